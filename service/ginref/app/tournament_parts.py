"""The use cases of tournaments, put together."""

from dataclasses import dataclass

from ginref.app.desk import Desk
from ginref.app.embargo import Embargo
from ginref.app.fixture_work import FixtureWork
from ginref.app.port import Sealer
from ginref.app.runner import Runner
from ginref.app.steward import Steward
from ginref.app.tools import Tools
from ginref.app.tournament_desk import TournamentDesk
from ginref.app.tournament_keeper import TournamentKeeper
from ginref.app.tournament_secret import SecretKeeper
from ginref.app.tournament_store import TournamentStore


@dataclass(frozen=True, slots=True)
class TournamentParts:
    """What all that has to do with tournaments shares in a process.

    Attributes:
        store: Keeps tournaments.
        keeper: Reads them, and adds to their logs.
        secrets: Makes the referee's shares.
        desk: Answers callers.
        embargo: Keeps matches from the public while others play their cards.
    """

    store: TournamentStore
    keeper: TournamentKeeper
    secrets: SecretKeeper
    desk: TournamentDesk
    embargo: Embargo

    @classmethod
    def of(
        cls, tools: Tools, store: TournamentStore, sealer: Sealer
    ) -> "TournamentParts":
        """Put the parts together over a store."""
        keeper = TournamentKeeper(store)
        secrets = SecretKeeper(store, sealer, tools.chance)
        desk = TournamentDesk(tools, store, keeper, secrets)
        return cls(store, keeper, secrets, desk, Embargo(keeper))

    def runner(self, tools: Tools, desk: Desk) -> Runner:
        """Return what runs them, with matches that are made at a desk."""
        work = FixtureWork(tools, desk, self.secrets)
        steward = Steward(self.keeper, self.secrets, work)
        return Runner(self.store, steward, tools.hub, tools.observer, tools.monotonic)
