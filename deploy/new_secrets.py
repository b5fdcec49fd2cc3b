"""Make the secrets that `deploy/compose.yaml` wants: python3 deploy/new_secrets.py.

Each is a file of its own in `deploy/secrets`, a folder that nobody else can look into;
in a container it must be readable whoever runs there. What is there already is kept.
"""

import hashlib
import secrets
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "secrets"

_RIGHTS: Final = (
    "~ginref:* &ginref:* -@all +@read +@write +@scripting +@pubsub +@connection"
    " -@dangerous +time +info +wait +config|get +cluster|info +cluster|shards"
)


def new_secrets(folder: Path) -> list[Path]:
    """Make the secrets that are missing from a folder, and return their files."""
    folder.mkdir(mode=0o700, exist_ok=True)
    made = []
    url, users = folder / "store-url", folder / "store-users"
    if not (url.exists() and users.exists()):
        password = secrets.token_urlsafe(32)
        digest = hashlib.sha256(password.encode()).hexdigest()
        _write(url, f"redis://ginref:{password}@valkey:6379\n")
        _write(
            users,
            "user default off\n"
            "user health on nopass -@all +ping\n"
            f"user ginref on #{digest} {_RIGHTS}\n",
        )
        made += [url, users]
    grafana = folder / "grafana-password"
    if not grafana.exists():
        _write(grafana, secrets.token_urlsafe(24))
        made.append(grafana)
    return made


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o444)


if __name__ == "__main__":
    for file in new_secrets(FOLDER):
        print(f"made {file}")  # noqa: T201 - tells whoever runs it
