"""What is wrong with what the referee signs for a bot, as soon as it comes."""

from collections.abc import Mapping

from ginref.engine.ruleset import Ruleset
from ginref.record.envelope import (
    EnvelopeError,
    UnsignedError,
    is_signature,
    parse_envelope,
    signer_of,
)
from ginref.record.evidence import OfferLine
from ginref.record.receipt import RECEIPT_TYPE, mismatch, read_receipt
from ginref.record.setup import statement
from ginref.record.shape import RecordError
from ginref.record.submission import Submission


def doubt_offer(
    match_id: str, rules: Ruleset, offer: OfferLine, keys: Mapping[str, bytes]
) -> str | None:
    """Say what is wrong with the referee's commitment, or None.

    Args:
        match_id: The match.
        rules: Its rules.
        offer: The seat as it was offered.
        keys: The referee's public keys by name; empty if they are not known.
    """
    if not keys:
        return None
    if offer.key_id not in keys:
        return f"its commitment is signed by {_unknown(offer.key_id)}"
    signed = statement(match_id, rules, offer.bots, offer.commitment)
    if not is_signature(keys[offer.key_id], offer.signature, signed):
        return "it has not signed its commitment to the cards"
    return None


def doubt_receipt(  # noqa: PLR0911, PLR0913, PLR0917 - one for each thing to be wrong
    receipt: bytes,
    submission: Submission,
    reason: str | None,
    version: int,
    commitment: bytes | None,
    keys: Mapping[str, bytes],
) -> str | None:
    """Say what is wrong with a receipt, or None.

    Args:
        receipt: The envelope, as it came.
        submission: What the bot had submitted.
        reason: Why it was refused, as the referee said beside it; None if accepted.
        version: The version that it made, as the referee said beside it.
        commitment: What the bot has committed to; None for nothing.
        keys: The referee's public keys by name; empty if they are not known.
    """
    try:
        envelope = parse_envelope(receipt)
        key_id, is_trusted = signer_of(envelope, keys)
        read = read_receipt(envelope.payload)
    except (EnvelopeError, RecordError, UnsignedError) as error:
        return f"its receipt is none: {error}"
    if envelope.payload_type != RECEIPT_TYPE:
        return f"its receipt is of the type {envelope.payload_type!r}"
    if keys and not is_trusted:
        return f"its receipt is signed by {_unknown(key_id)}"
    if wrong := mismatch(read, submission):
        return f"its receipt is not for what was submitted: {wrong}"
    if read.reason != reason:
        return f"it says {reason or 'accepted'}, and signs {read.reason or 'accepted'}"
    if reason is None and read.version != version:
        return f"it says version {version}, and signs version {read.version}"
    if commitment is not None and read.commitment != commitment:
        return "the cards are dealt without the share of this bot"
    return None


def _unknown(key_id: str) -> str:
    return f"a key you do not trust, {key_id} (join again if its host has a new one)"
