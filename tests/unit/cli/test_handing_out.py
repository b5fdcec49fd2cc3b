"""What commands show of tokens, bots and invitations."""

import io

from rich.console import Console

from ginref.cli.handing_out import show
from ginref.cli.organizing import Office


def test_the_name_of_a_row_is_whole_however_narrow_the_place() -> None:
    written = io.StringIO()
    office = Office(
        url=None,
        token_file=None,
        roots=None,
        tls_cert=None,
        tls_key=None,
        allow_plaintext=False,
        console=Console(file=written, width=40),
    )
    name, moment = "tyuefugcttkoeq", "2026-11-30 18:20 UTC"

    show(office, [(name, "spectator", moment, moment)], "token", "role", "made", "ends")

    assert name in written.getvalue()
