"""The export of a tournament: one JSON document that holds all of it and proves it.

It is written in the form of RFC 8785, so that the same log gives the same bytes, and is
signed like a match record.

    format         1
    tournament     its identity
    configuration  what the organizer has declared, with all that the file left out
    log            every entry; each names the digest of the one before it
    head           digest of the last entry, which stands for the whole log
    services       how each entrant was served, if that was known; else null

What follows from these is there for readers: `lifecycle`, `entrants`, `chance`,
`stages`, `matches`, `ranking`, `interventions`, `attempts`, `missing`. The log names
the record of every match by its digest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import rfc8785

from ginref.record.shape import Place, RecordError, first_difference, read_canonical
from ginref.tournament.audit import Audit, audit
from ginref.tournament.configuration import Configuration
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.configuration_write import configuration_to_json
from ginref.tournament.error import FieldError, LogError
from ginref.tournament.export_section import derived_sections
from ginref.tournament.log import LogEntry, entry_from_json, entry_to_json, head
from ginref.tournament.option import Option
from ginref.tournament.service_time import ServiceTime
from ginref.tournament.shape import from_json, to_json

PAYLOAD_TYPE: Final = "application/vnd.ginref.tournament.v1+json"
"""Type of an export in its envelope."""

FORMAT: Final = 1
"""Layout of the document; a reader refuses every other number."""

DERIVED: Final = (
    "lifecycle",
    "entrants",
    "chance",
    "stages",
    "matches",
    "ranking",
    "interventions",
    "attempts",
    "missing",
)
"""What follows from the rest."""

_STATED: Final = ("format", "tournament", "configuration", "log", "head", "services")


class ExportError(ValueError):
    """A document that is no export, or that cannot be read as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """An export as read: well-formed, but not yet proved.

    Attributes:
        configuration: What the organizer has declared.
        entries: The whole log.
        head: The head that it claims for the log.
        services: How each entrant was served; None if nobody has said.
        document: The whole of it as JSON values.
    """

    configuration: Configuration
    entries: tuple[LogEntry, ...]
    head: str
    services: tuple[ServiceTime, ...] | None
    document: dict[str, Any]


def build_export(
    configuration: Configuration,
    entries: Sequence[LogEntry],
    services: Sequence[ServiceTime] | None = None,
) -> bytes:
    """Write the export of a tournament, however far it has come.

    Args:
        configuration: What the organizer has declared.
        entries: The whole log, its creation at least.
        services: How each entrant was served, if that is known.

    Raises:
        LogError: The log is none that a referee could have written.
    """
    audited = audit(configuration, entries)
    return rfc8785.dumps(export_json(configuration, entries, audited, services))


def export_json(
    configuration: Configuration,
    entries: Sequence[LogEntry],
    audited: Audit,
    services: Sequence[ServiceTime] | None = None,
) -> dict[str, Any]:
    """Return the export of a tournament as JSON values.

    Args:
        configuration: What the organizer has declared.
        entries: The whole log.
        audited: What the check of the log has shown.
        services: How each entrant was served, if that is known.

    Raises:
        LogError: The log is empty, or about another configuration.
    """
    if not entries:
        raise LogError(0, "a log begins with the creation")
    return {
        "format": FORMAT,
        "configuration": configuration_to_json(configuration),
        "log": [entry_to_json(entry) for entry in entries],
        "head": head(entries),
        "services": None if services is None else [to_json(one) for one in services],
        **derived_sections(configuration, entries, audited),
    }


def parse_export(payload: bytes) -> Export:
    """Read an export and check its shape, but not whether what it says is true.

    Raises:
        ExportError: Naming the first wrong thing.
    """
    try:
        return _parse(read_canonical(payload))
    except RecordError as error:
        raise ExportError(f"{error.place or 'the export'}: {error.what}") from None
    except FieldError as error:
        raise ExportError(str(error)) from None


def _parse(whole: Place) -> Export:
    if isinstance(whole.value, dict) and whole.value.get("format", FORMAT) != FORMAT:
        raise RecordError("format", f"only format {FORMAT} can be read")
    parts = whole.members({*_STATED, *DERIVED})
    parts["tournament"].text()
    configuration = _read_configuration(parts["configuration"])
    services = parts["services"].value
    return Export(
        configuration=configuration,
        entries=tuple(
            entry_from_json(Option(place.value, place.path))
            for place in parts["log"].items()
        ),
        head=parts["head"].octets(32).hex(),
        services=None
        if services is None
        else from_json(tuple[ServiceTime, ...], Option(services, "services")),
        document=whole.value,
    )


def _read_configuration(place: Place) -> Configuration:
    try:
        configuration = read_configuration(place.value)
    except FieldError as error:
        dot = "." if error.path else ""
        raise FieldError(f"configuration{dot}{error.path}", error.what) from None
    form = configuration_to_json(configuration)
    different = first_difference(place.value, form, place.path)
    if different:
        raise different
    return configuration
