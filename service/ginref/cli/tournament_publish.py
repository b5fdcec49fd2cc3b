"""`ginref tournament publish`: pages of a tournament that outlive its referee."""

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Annotated, Final

import typer
from google.protobuf.json_format import MessageToDict

from ginref.adapters.own_folder import is_own
from ginref.cli.organizing import CommandError, Name, Office, online
from ginref.cli.tournament_export import save_records
from ginref.record.public_key import write_jwks
from ginref_client.tournament import Tournament

_MARK: Final = re.compile(r"view\.json|tournament\.json")
"""What a folder of pages holds, and hardly any other."""

_FILES: Final = ("*.mjs", "*.css", "*.svg")


@online
async def publish(
    office: Office,
    name: Name,
    site: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the pages, of their own.")
    ],
) -> None:
    """Write pages of a tournament as files that any web server can serve.

    They show it as it stands now, replay every match that is over, and verify its
    record in the browser. With them lie the signed export, the signed records and the
    public keys, so that nothing of it needs the referee any more.

    Exit status: 0, or 1 when a file cannot be written or the pages are not built.
    """
    # Only this command needs the server's packages.
    from ginref.transport.page import BUILT  # noqa: PLC0415

    if not BUILT.is_dir():
        raise CommandError("the pages are not built here: run make pages")
    if not is_own(site, _MARK):
        raise CommandError(f"{site} holds other things: give a folder of its own")
    async with office.referee() as referee:
        seen = await referee.get_tournament(name)
        envelope = await referee.export_tournament(name)
        keys = await referee.public_keys()
        saved = await save_records(referee, seen, site / "records")
    (site / "tournament.json").write_bytes(envelope)
    (site / "keys.json").write_bytes(write_jwks(keys.values()))
    await asyncio.to_thread(_write_pages, site, seen)
    office.say(f"pages    {site / 'index.html'}")
    office.say(f"records  {saved}")


def _write_pages(site: Path, seen: Tournament) -> None:
    """Write the pages and what they are drawn from.

    Raises:
        OSError: A file cannot be written.
    """
    from ginref.transport.page import BUILT, FOLDER, render_shell  # noqa: PLC0415

    view = MessageToDict(seen, always_print_fields_with_no_presence=True)
    (site / "view.json").write_text(json.dumps(view), encoding="utf-8")
    title = seen.title or seen.tournament_id
    index = render_shell("tournament", title, seen.tournament_id, is_published=True)
    (site / "index.html").write_text(index, encoding="utf-8")
    replay = render_shell("replay", f"Replay - {title}", is_published=True)
    (site / "replay.html").write_text(replay, encoding="utf-8")
    static = site / "static"
    static.mkdir(exist_ok=True)
    for pattern in _FILES:
        for file in FOLDER.glob(pattern):
            shutil.copyfile(file, static / file.name)
    # What is for whoever looks up the API, or runs a tournament, is not for readers.
    left_out = shutil.ignore_patterns("swagger-ui*", "js-yaml*")
    shutil.copytree(BUILT, static / "built", ignore=left_out, dirs_exist_ok=True)
