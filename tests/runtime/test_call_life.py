"""The life of a context: what ends it, and uses from other threads."""

import asyncio
import threading

import pytest

from covel_host.runtime.call_life import CallLife
from plugin_sdk.errors import ToolError


async def five() -> int:
    return 5


def test_a_use_gives_what_its_work_gives() -> None:
    async def main() -> int:
        return await CallLife().use(five)

    assert asyncio.run(main()) == 5


def test_after_the_end_nothing_is_begun() -> None:
    async def main() -> None:
        life = CallLife("run")
        life.end()
        with pytest.raises(ToolError) as raised:
            await life.use(five)
        assert raised.value.code == "unavailable"
        assert raised.value.message.startswith("The run this context belongs to has ended")

    asyncio.run(main())


def test_what_was_begun_before_the_end_is_not_given_after_it() -> None:
    async def main() -> None:
        life, go_on = CallLife(), asyncio.Event()
        use = asyncio.ensure_future(life.use(go_on.wait))
        await asyncio.sleep(0)
        life.end()
        go_on.set()
        with pytest.raises(ToolError):
            await use

    asyncio.run(main())


def test_uses_are_waited_for() -> None:
    async def main() -> list[str]:
        life, go_on, order = CallLife(), asyncio.Event(), list[str]()

        async def work() -> None:
            await go_on.wait()
            order.append("worked")

        use = asyncio.ensure_future(life.use(work))
        await asyncio.sleep(0)
        waiting = asyncio.ensure_future(life.uses_ended())
        await asyncio.sleep(0)
        assert not waiting.done()
        go_on.set()
        await waiting
        order.append("ended")
        await use
        return order

    assert asyncio.run(main()) == ["worked", "ended"]


def test_a_use_of_another_loop_is_done_on_the_hosts() -> None:
    async def main() -> bool:
        life, host = CallLife(), threading.current_thread()

        async def where() -> bool:
            return threading.current_thread() is host

        def elsewhere() -> bool:
            return asyncio.run(life.use(where))

        return await asyncio.to_thread(elsewhere)

    assert asyncio.run(main())


def test_a_use_of_another_loop_is_cancelled_with_its_caller() -> None:
    async def main() -> bool:
        life, cancelled = CallLife(), asyncio.Event()

        async def work() -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.set()
                raise

        def elsewhere() -> None:
            async def impatient() -> None:
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(life.use(work), 0.01)

            asyncio.run(impatient())

        await asyncio.to_thread(elsewhere)
        await cancelled.wait()
        return True

    assert asyncio.run(main())
