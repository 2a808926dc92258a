"""A replay of an unchanged turn never differs, whatever the turn is."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.models.messages import DeltaSink, ModelReply, ModelRequest
from tests.support.casts import Member, Table, agent, at_table, cast, function, story
from tests.support.replies import Reply, broken, say

STAGES = ("pre-turn", "narrative", "post-turn")
STEPS = (
    "seen.append(ctx.random.random())",
    "seen.append(ctx.clock.now().isoformat())",
    "seen.append(ctx.clock.monotonic())",
    'seen.append((await ctx.gateway.generate_text(f"q{len(seen)}")).text)',
    'seen += [list(one) for one in (await ctx.gateway.embed(["a b", "c"])).vectors]',
    'await ctx.plugin_data.set("notes", f"k{len(seen)}", ctx.random.randint(1, 9))',
    'seen.append(await ctx.plugin_data.get("notes", "k0"))',
    "await asyncio.sleep(0)",
    "raise ValueError(str(ctx.random.random()))",
    'return skip("enough")',
    "return success({'seen': seen}, effects=Effects(events=[Event('bell.rung', {'n': 1})]))",
)
BELL = {"topic": "bell.rung", "schema": "./any.json", "description": "It rang."}


@st.composite
def members(draw: st.DrawFn) -> dict[str, Member]:
    """Up to five runtimes: functions of random steps, agents, a story, a follower."""
    made: dict[str, Member] = {}
    for number in range(draw(st.integers(1, 4))):
        stage = {"stage": draw(st.sampled_from(STAGES))}
        if draw(st.booleans()):
            steps = draw(st.lists(st.sampled_from(STEPS), max_size=5))
            code = "\n".join(("seen = []", *steps, 'return success({"seen": seen})'))
            made[f"r{number}"] = function(code, schedule=stage)
        else:
            made[f"r{number}"] = agent(schedule=stage, agent={"loop": {"maxRetries": 1}})
    if draw(st.booleans()):
        made["told"] = story()
    if draw(st.booleans()):
        heard = {"trigger": {"type": "event", "topic": "bell.rung"}}
        made["hears"] = function("return success(ctx.random.random())", schedule=heard)
    return made


def replies(seed: list[int]) -> list[Reply]:
    """Many replies: texts, after a pause or at once, and errors that may be tried again."""

    def of(number: int) -> Reply:
        if number % 7 == 0:
            return broken()

        return say(f"text {number}")

    return [of(seed[at % len(seed)] + at) for at in range(60)]


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(members(), st.lists(st.integers(1, 50), min_size=1, max_size=5))
def test_an_unchanged_turn_is_the_same(made: dict[str, Member], seed: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        cast(home, "cast", made, contributes={"events": [BELL]})

        async def body(table: Table) -> None:
            turns = [await table.play(f"Turn {number}.", record=True) for number in range(2)]
            for turn in turns:
                [report] = await table.host.replay(table.session_id, turn.turn.turn_id)
                assert report.is_same, (turn.statuses, report.differences)

        at_table(home, body, *replies(seed))


def test_many_runs_side_by_side_that_end_in_any_order(tmp_path: Path) -> None:
    cast(tmp_path, "many", {f"a{n}": agent(schedule={"stage": "pre-turn"}) for n in range(6)})
    waiting: list[asyncio.Event] = []

    async def last_first(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
        mine, number = asyncio.Event(), len(waiting)
        waiting.append(mine)
        if len(waiting) == 6:
            waiting[-1].set()
        await mine.wait()
        if number:
            waiting[number - 1].set()
        return say(f"reply {number}")

    async def body(table: Table) -> None:
        turn = await table.play(record=True)
        [report] = await table.host.replay(table.session_id, turn.turn.turn_id)
        assert report.is_same, report.differences

    given_replies: list[Any] = [last_first] * 6
    at_table(tmp_path, body, *given_replies)
