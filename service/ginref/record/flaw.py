"""What kind of thing is wrong with a record: a closed set, for programs."""

import enum


class Flaw(enum.StrEnum):
    """What the first wrong thing in a record is about."""

    FORM = "form"
    """It is no record, or not one of a known layout."""

    SIGNATURE = "signature"
    """Nobody has signed it, or not what it holds."""

    KEY = "key"
    """It is true, but signed by nobody who is trusted."""

    CHAIN = "chain"
    """Entries are missing or out of order, or their chain is another one."""

    DEAL = "deal"
    """Shares and commitments: the cards do not follow from what was committed to."""

    SUBMISSION = "submission"
    """The signature of a bot that fits no move of its: the bot has not made it."""

    MOVE = "move"
    """A move, or the refusal of one, that the rules do not allow."""

    CLOCK = "clock"
    """Times, deadlines, credits and what is left of a bank."""

    SCORE = "score"
    """The rounds or the sheet."""

    ENDING = "ending"
    """How the match ended, and for whom."""

    EVIDENCE = "evidence"
    """What a bot has kept of the match: the record contradicts it."""
