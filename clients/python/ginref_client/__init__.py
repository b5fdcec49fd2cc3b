"""Everything a bot author needs: the client, baseline bots and a local arena."""

from ginref.engine.card import Card, CardSet
from ginref.engine.meld import DeclaredMeld
from ginref.engine.move import (
    DRAW_STOCK,
    DRAW_UPCARD,
    PASS,
    Discard,
    DrawStock,
    DrawUpcard,
    Knock,
    Move,
    Pass,
)
from ginref.engine.view import SeatView
from ginref_client.bot import Bot
from ginref_client.certificate import ClientCertificate
from ginref_client.fact import FinishedMatch, FinishedRound, MatchInfo, TurnClock
from ginref_client.referee import Referee
from ginref_client.run import main
from ginref_client.session import Session

__all__ = [
    "DRAW_STOCK",
    "DRAW_UPCARD",
    "PASS",
    "Bot",
    "Card",
    "CardSet",
    "ClientCertificate",
    "DeclaredMeld",
    "Discard",
    "DrawStock",
    "DrawUpcard",
    "FinishedMatch",
    "FinishedRound",
    "Knock",
    "MatchInfo",
    "Move",
    "Pass",
    "Referee",
    "SeatView",
    "Session",
    "TurnClock",
    "main",
]
