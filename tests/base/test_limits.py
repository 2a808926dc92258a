"""Many limits under one timer of the loop."""

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from covel_host.base.limits import Limits


def _note(ended: list[float], limit_s: float, over: "asyncio.Future[None]") -> None:
    ended.append(limit_s)


async def _order(limits: Limits, limits_s: Sequence[float]) -> list[float]:
    """The limits in the order in which they end."""
    ended: list[float] = []
    waits = []
    for limit_s in limits_s:
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        over.add_done_callback(partial(_note, ended, limit_s))
        limits.begin(over, limit_s)
        waits.append(over)
    async with asyncio.timeout(5):
        await asyncio.gather(*waits)
    return ended


@pytest.mark.parametrize("limits_s", [(0.01, 0.03, 0.05), (0.05, 0.03, 0.01), (0.03, 0.05, 0.01)])
def test_each_limit_ends_at_its_own_time_whichever_began_first(limits_s: Sequence[float]) -> None:
    assert asyncio.run(_order(Limits(), limits_s)) == [0.01, 0.03, 0.05]


def test_a_limit_is_never_over_early() -> None:
    async def waited_s() -> float:
        loop, limits = asyncio.get_running_loop(), Limits()
        first, second = loop.create_future(), loop.create_future()
        limits.begin(first, 0.01)
        started = loop.time()
        limits.begin(second, 0.02)
        limits.end(first)
        await second
        assert not first.done()
        return loop.time() - started

    assert asyncio.run(waited_s()) >= 0.019


def test_what_ended_in_time_is_left_alone() -> None:
    async def main() -> str:
        loop, limits = asyncio.get_running_loop(), Limits()
        done: asyncio.Future[str] = loop.create_future()
        ended: asyncio.Future[None] = loop.create_future()
        limits.begin(done, 0)  # type: ignore[arg-type]
        done.set_result("own")
        limits.begin(ended, 0.01)
        await ended
        return done.result()

    assert asyncio.run(main()) == "own"


def test_limits_hold_on_the_next_loop_though_the_timer_of_the_last_one_is_gone() -> None:
    limits = Limits()

    async def leaves() -> None:
        limits.begin(asyncio.get_running_loop().create_future(), 3600)

    asyncio.run(leaves())
    assert asyncio.run(_order(limits, [0.01])) == [0.01]


def test_a_thousand_calls_that_end_in_time_leave_one_timer() -> None:
    async def timers() -> int:
        loop, limits = asyncio.get_running_loop(), Limits()
        for _ in range(1000):
            over: asyncio.Future[None] = loop.create_future()
            limits.begin(over, 60)
            limits.end(over)
        return len(loop._scheduled)  # type: ignore[attr-defined]

    assert asyncio.run(timers()) == 1
