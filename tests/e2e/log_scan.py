"""Finds in a log what nobody may read there: cards, and secrets however written."""

from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Iterator, Mapping

from tests.e2e.answer import cards_in

Secret = bytes | str


def forms(secret: Secret) -> Iterator[str]:
    """Yield how a secret may be written.

    Of base64 and base32 the middle part: both ends depend on what stands beside it.
    """
    if isinstance(secret, str):
        yield secret
        return
    yield secret.hex()
    yield secret.hex().upper()
    yield repr(secret)[2:-1]
    yield str(list(secret))[1:-1]
    yield str(int.from_bytes(secret))
    for encode, group in ((b64encode, 3), (urlsafe_b64encode, 3), (b32encode, 5)):
        for start in range(group):
            yield encode(secret[start:]).decode().rstrip("=")[:-8]


def leaks(text: str, secrets: Mapping[str, Secret]) -> set[str]:
    """Return the names of all secrets that can be read in a text, and its cards."""
    told = {
        name
        for name, secret in secrets.items()
        if any(form in text for form in forms(secret))
    }
    return told | set(map(str, cards_in(text)))
