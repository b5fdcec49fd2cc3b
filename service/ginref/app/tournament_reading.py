"""Configurations of tournaments that can be played at this referee."""

from collections.abc import Mapping
from typing import Any

from ginref.app.port import Registry
from ginref.app.registry_row import read_bot
from ginref.app.tournament_refusal import refused_configuration
from ginref.tournament.configuration import Configuration
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.error import FieldError
from ginref.tournament.qualifying import refuse_stranger
from ginref.tournament.roster import refuse_absent


async def read_playable(
    registry: Registry, configuration: Mapping[str, Any]
) -> Configuration:
    """Read a configuration, whose bots must be known here.

    Raises:
        RefusedError: CONFIGURATION_INVALID.
    """
    try:
        declared = read_configuration(configuration)
        rules = declared.entry
        if rules.listed or rules.invited or rules.qualifying:
            rows = [*map(read_bot, await registry.rows("bot"))]
            refuse_absent(rules, {row.name: row.owner for row in rows})
            house = {row.name for row in rows if row.house}
            if rules.qualifying:
                refuse_stranger(rules.qualifying, house)
    except FieldError as error:
        raise refused_configuration(error) from None
    return declared
