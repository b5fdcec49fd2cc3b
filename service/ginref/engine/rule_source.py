"""Whom each option of a ruleset follows, one source for each.

A source is where the option, or the value that a preset has for it, can be read. Where
it is silent, `docs/rules.md` says what was decided.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_SCORING: Final = "ginrummy.com/scoring.html"
_OKLAHOMA: Final = "bicyclecards.com/card-games/rule/oklahoma-gin"
_HOLLYWOOD: Final = "rummy-games.com/rules/hollywood-gin.html"
_CUTTHROAT: Final = "rummyrulebook.com/pages/cutthroat-gin-rummy"
_ROUND: Final = "whiteknucklecards.com/games/ginrummy.html"

SOURCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "table": (
            f"{_CUTTHROAT}; for the box: "
            "gamingbuzzers.com/rummy-games/rules-three-handed-gin-rummy"
        ),
        "gin_bonus": f"{_SCORING}: 25, or 20 by some rules",
        "undercut_bonus": f"{_SCORING}: 25, or 10 by some rules",
        "undercut_on_tie": f"{_SCORING}: equal deadwood undercuts",
        "big_gin_bonus": f"{_SCORING}: 6 more than gin",
        "layoff_on_gin": "github.com/ichabod801/t_games: an option there",
        "knock_limit": f"{_ROUND}: 10; straight gin: github.com/ichabod801/t_games",
        "knock_limit_from_upcard": _OKLAHOMA,
        "ace_limit": f"{_OKLAHOMA}: gin only; one: rummyrulebook.com",
        "spades_double": f"{_OKLAHOMA}: all that the deal scores",
        "may_discard_taken_card": f"{_ROUND}: a different card must be thrown",
        "wall": "rubl.com/rules/gin_rummy_50_card.html: two cards, by the common rule",
        "turn_limit": "github.com/datamllab/rlcard: 200 moves",
        "round_limit": "none: a bound on what a referee has to play",
        "next_dealer": (
            "github.com/jdh8/gin-rummy: the winner; by turns: Wikipedia, Gin rummy; "
            "by board: Laws of Duplicate Bridge, law 2"
        ),
        "games": _HOLLYWOOD,
        "game_target": f"{_SCORING}: 100; Oklahoma's 150: rummyrulebook.com",
        "closed_policy": f"{_HOLLYWOOD}: the next game in progress",
        "stop": (
            "pokerwiner.com/gaming-dictionary/standard-hollywood-gin-rummy-poker.html: "
            "all three games are played"
        ),
        "boards": "Laws of Duplicate Bridge: a session is a number of boards",
        "game_bonus": f"{_SCORING}: 100",
        "line_bonus": f"{_SCORING}: 25 for every round won",
        "shutout": (
            "double_total: github.com/jdh8/gin-rummy; double_game_bonus: "
            "collegesportsscholarships.com/card-games-gin-rummy-scoring.htm; "
            f"flat_bonus: {_CUTTHROAT}"
        ),
        "shutout_bonus": f"{_CUTTHROAT}: 100",
    }
)
"""Where to read of each option, by the option's name."""
