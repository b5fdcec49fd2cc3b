"""What a bot is told when several things have happened since it was last told."""

from typing import Any

from ginref.app.announcer import ANYWHERE, Announcer
from ginref.app.message import Message, RoundOver
from ginref.engine.ruleset import HOLLYWOOD

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


async def test_a_bot_that_is_told_late_sees_each_hand_that_was_shown(
    world: World,
) -> None:
    facts = await world.start(ruleset=HOLLYWOOD)
    told: list[Message] = []
    announcer = Announcer(world.one.keeper, world.bot("greedy"), told.append)
    announcer.begin(facts.match_id)
    await announcer.announce(facts.match_id, ANYWHERE)
    shown: dict[int, tuple[object, object]] = {}
    while len(shown) < 3:
        await world.move(facts)
        public = (await world.desk.get_match(world.host, facts.match_id)).public
        if last := public.view.last_result:
            shown[last.number] = last, public.view.sheet

    await announcer.announce(facts.match_id, None)

    rounds = [message for message in told if isinstance(message, RoundOver)]
    assert [over.summary.number for over in rounds] == [*range(1, 1 + len(rounds))]
    assert shown == {
        over.reveal.number: (over.reveal, over.sheet) for over in rounds if over.reveal
    }
