"""Tournaments to start from, as files with comments: one of each format."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_HEAD: Final = """\
# A tournament of ginref. What is left out has its usual value; what is not known is
# refused. `ginref tournament preview FILE --entrants 8` says what it comes to.
name: {name}                # small letters, digits, dots, dashes
title: "{title}"
"""

_TAIL: Final = """\

entry:
  by: open                  # open, codes, invitation
  capacity: 32              # whoever comes later waits for a place
  bots_per_owner: 1
  seeding: draw             # entry, given, draw: lots from shares that all bots give
  # qualifying: {house: careful}  # a match with a house bot, to show that it can play
schedule:                   # what ends by itself; without it the organizer decides
  registration: 7d
  check_in: 15m
  fixture: 2h               # from a fixture's first match to the end of its last
  appeals: 1h               # how long results may be appealed against
conduct:
  award: 60                 # net points a board that a forfeit costs
  forfeits: 3               # after so many forfeits a bot is withdrawn
  attempts: 3               # at what the referee itself could not finish
"""

_BOARDS: Final = """\
match:
  clock: standard           # fast, standard, research, or all five times
  ruleset:                  # a preset's name, or options that start from one
    name: twelve-boards
    preset: gin
    boards: 12              # a fixed number of boards by net points
    next_dealer: board_parity
"""

EXAMPLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "single_elimination": _HEAD.format(name="knock-out", title="Knock-out")
        + """\
match: {ruleset: hollywood, clock: standard}
stages:
  - name: main
    format: single_elimination
    third_place: true
    match: {best_of: 3}
    except:                 # by name (final, semifinals), round (R2) or node (R2.1)
      final: {best_of: 5}
"""
        + _TAIL,
        "double_elimination": _HEAD.format(name="two-lives", title="Two lives")
        + """\
match: {ruleset: hollywood, clock: standard}
stages:
  - name: main
    format: double_elimination
    grand_final: reset      # none, single, reset
    match: {best_of: 3}
    except:
      grand_final: {best_of: 5}
"""
        + _TAIL,
        "round_robin": _HEAD.format(name="everybody", title="Everybody meets everybody")
        + _BOARDS
        + """\
boards: independent         # independent, common, mirrored
stages:
  - name: main
    format: round_robin
    cycles: 2               # how often each pair meets
"""
        + _TAIL,
        "swiss": _HEAD.format(name="swiss", title="Swiss")
        + _BOARDS
        + """\
stages:
  - name: main
    format: swiss
    rounds: 5
"""
        + _TAIL,
        "ladder": _HEAD.format(name="ladder", title="Ladder")
        + """\
match: {ruleset: gin, clock: fast}
stages:
  - name: main
    format: ladder
    fixtures: 30            # of each entrant; without it, until it is closed
"""
        + _TAIL,
        "groups": _HEAD.format(name="groups", title="Groups and a final round")
        + """\
match: {ruleset: hollywood, clock: standard}
stages:
  - name: groups
    format: round_robin
    groups: 2
    promote: 2              # of each group; or {each: 2, best: 1}
  - name: finals
    format: single_elimination
    match: {best_of: 3}
"""
        + _TAIL,
    }
)
"""The text of a file, by its format; `groups` is a stage of groups and a bracket."""
