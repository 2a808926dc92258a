"""One hook's own code: its limit, its thread, and what it may not do to the host."""

import asyncio
import contextvars
import signal
import threading
from typing import Any

import pytest

from covel_host.hooks.outcomes import HookOutcome
from plugin_sdk.errors import ToolError
from plugin_sdk.hook_events import SessionStart
from plugin_sdk.hooks import HookResult, proceed
from tests.hooks.support import Scene, hook, ring


async def dispatch(scene: Scene) -> HookOutcome[Any]:
    return await scene.dispatcher.dispatch("pre_tool_use", ring(times=2), scene.facts)


def test_a_late_async_hook_is_cancelled() -> None:
    async def late() -> tuple[Scene, list[str]]:
        seen: list[str] = []

        async def waits(ctx: Any) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append(f"cancelled, signal: {ctx.signal.reason}")
                raise

        scene = Scene(hook(waits, timeout_ms=10))
        outcome = await dispatch(scene)
        assert outcome.aborted == (
            "The hook 'waits' of the package 'bells' did not answer in time."
        )
        await scene.tasks.close()
        return scene, seen

    scene, seen = asyncio.run(late())
    assert seen == ["cancelled, signal: timeout"]
    assert scene.traced == ["hook.error waits", "hook.aborted waits"]
    assert scene.data(0)["message"] == "The hook did not answer in 10 ms."
    assert scene.data(0)["errorType"] == "TimeoutError"


def test_a_hook_that_swallows_its_cancellation_is_left_and_known() -> None:
    async def stubborn() -> None:
        gate = asyncio.Event()

        async def stays() -> HookResult:
            while not gate.is_set():
                try:
                    await gate.wait()
                except asyncio.CancelledError:
                    continue
            return proceed(replace={"name": "late"})

        scene = Scene(hook(stays, timeout_ms=10))
        try:
            outcome = await dispatch(scene)
            assert outcome.aborted is not None
            assert scene.tasks.pending == ("hook bells:stays",)
        finally:
            gate.set()
        await scene.tasks.close()
        assert outcome.payload.name == "ring-bell"
        assert scene.traced == ["hook.error stays", "hook.aborted stays"]

    asyncio.run(stubborn())


def test_a_late_plain_hook_is_left_in_its_thread() -> None:
    async def late() -> None:
        gate = threading.Event()

        def blocks() -> None:
            gate.wait()

        scene = Scene(hook(blocks, timeout_ms=10))
        assert (await dispatch(scene)).aborted is not None
        assert scene.tasks.pending == ("hook bells:blocks",)
        gate.set()
        assert await scene.tasks.close() == ()

    asyncio.run(late())


def test_a_match_that_eats_the_time_keeps_the_hook_from_being_called() -> None:
    async def late() -> list[str]:
        gate, called = threading.Event(), []

        def blocks(call: Any) -> bool:
            return gate.wait()

        def plain() -> None:
            called.append("plain")

        scene = Scene(hook(plain, match=blocks, timeout_ms=10))
        assert (await dispatch(scene)).aborted is not None
        gate.set()
        await scene.tasks.close()
        return called

    assert asyncio.run(late()) == []


def test_plain_hooks_run_in_a_thread_of_their_own_with_the_callers_context() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")

    async def called() -> list[object]:
        seen: list[object] = []

        def looks() -> None:
            thread = threading.current_thread()
            seen.extend([thread.name, thread.daemon, variable.get()])

        variable.set("set")
        await dispatch(Scene(hook(looks)))
        return seen

    assert asyncio.run(called()) == ["covel hook bells:looks", True, "set"]


def _raises(error: BaseException) -> Any:
    def plain() -> None:
        raise error

    return plain


def _raises_async(error: BaseException) -> Any:
    async def asynchronous() -> None:
        raise error

    return asynchronous


@pytest.mark.parametrize("make", [_raises, _raises_async])
@pytest.mark.parametrize(
    ("error", "error_type", "said"),
    [
        (asyncio.CancelledError(), "CancelledError", "CancelledError"),
        (SystemExit(3), "SystemExit", "sys.exit(3) was called"),
        (KeyboardInterrupt(), "KeyboardInterrupt", "KeyboardInterrupt"),
        (TimeoutError("slow"), "TimeoutError", "slow"),
        (GeneratorExit(), "GeneratorExit", "GeneratorExit"),
        (ToolError("refused", "no"), "ToolError", "no"),
        (ValueError("x" * 3000), "ValueError", "x" * 1999 + "…"),
        (ValueError("\ud800"), "ValueError", "�"),
    ],
)
def test_whatever_a_hook_raises_is_its_failure(
    make: Any, error: BaseException, error_type: str, said: str
) -> None:
    scene = Scene(hook(make(error)))
    outcome = asyncio.run(dispatch(scene))
    assert outcome.aborted is not None
    assert outcome.aborted.endswith("of the package 'bells' failed.")
    told = scene.data(0)
    assert (told["kind"], told["errorType"]) == ("raised", error_type)
    assert said in told["message"]


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def test_an_exception_that_cannot_be_shown_is_told_all_the_same() -> None:
    scene = Scene(hook(_raises(Unspeakable())))
    asyncio.run(dispatch(scene))
    assert scene.data(0)["errorType"] == "Unspeakable"
    assert scene.data(0)["message"] == "(its text cannot be shown: RuntimeError)"


def test_a_cancelled_caller_leaves_and_its_hook_is_cancelled() -> None:
    async def cancelled() -> list[str]:
        seen: list[str] = []
        began = asyncio.Event()

        async def waits(ctx: Any) -> None:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                seen.append(str(ctx.signal.reason))

        scene = Scene(hook(waits))
        caller = asyncio.create_task(dispatch(scene))
        await began.wait()
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        await scene.tasks.close()
        assert scene.traced == []
        return seen

    assert asyncio.run(cancelled()) == ["cancelled"]


def test_a_closing_host_stops_hooks_without_cancelling_their_callers() -> None:
    async def closing() -> HookOutcome[Any]:
        began = asyncio.Event()

        async def waits() -> None:
            began.set()
            await asyncio.Event().wait()

        scene = Scene(hook(waits))
        caller = asyncio.create_task(dispatch(scene))
        await began.wait()
        await scene.tasks.close()
        return await caller

    assert asyncio.run(closing()).aborted == (
        "The hook 'waits' of the package 'bells' was stopped because the host is closing."
    )


def test_the_context_says_where_and_dies_with_the_call() -> None:
    kept: list[Any] = []

    async def looks(ctx: Any) -> None:
        kept.append(ctx)
        settings = ctx.get_own_settings()
        settings["list"].append("spoilt")
        with pytest.raises(TypeError):
            settings["list"] = []
        assert ctx.get_own_settings() == {"list": []}
        assert not ctx.signal.cancelled

    scene = Scene(
        hook(looks), active=("bells", "tower"), settings={"bells": {"list": []}, "tower": {}}
    )
    assert asyncio.run(dispatch(scene)).aborted is None
    (ctx,) = kept
    assert (ctx.event, ctx.session_id, ctx.turn_id, ctx.locale) == (
        "PreToolUse",
        "session-1",
        "turn-1",
        "en",
    )
    assert (ctx.plugin_id, ctx.runtime_id) == ("tower", "tower/keeper")
    assert ctx.active_plugin_ids == ("bells", "tower")
    assert ctx.signal.reason == "ended"
    with pytest.raises(ToolError, match="has ended") as caught:
        ctx.get_own_settings()
    assert caught.value.code == "unavailable"


def test_the_signal_follows_the_executions() -> None:
    async def followed() -> list[str]:
        seen: list[str] = []

        async def waits(ctx: Any) -> None:
            scene.signal.cancel("aborted")
            await ctx.signal.wait()
            seen.append(ctx.signal.reason)

        scene = Scene(hook(waits))
        await dispatch(scene)
        return seen

    assert asyncio.run(followed()) == ["aborted"]


def test_session_events_have_no_turn() -> None:
    seen: list[str] = []

    def looks(ctx: Any) -> None:
        seen.append(ctx.turn_id)

    scene = Scene(hook(looks, "session_start"))
    start = SessionStart(session_id="session-1")
    asyncio.run(scene.dispatcher.observe("session_start", start, scene.facts))
    assert seen == [""]


def test_ctrl_c_on_the_loop_is_a_persons() -> None:
    async def pressed_twice() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(dispatch(Scene(hook(pressed_twice))))


def test_a_loop_that_ends_meanwhile_throws_the_call_away() -> None:
    seen: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        except GeneratorExit:
            seen.append("thrown away")
            raise

    loop = asyncio.new_event_loop()
    scene = Scene(hook(waits))
    loop.set_exception_handler(lambda _, context: None)
    caller = loop.create_task(dispatch(scene))
    for _ in range(3):
        loop.call_soon(loop.stop)
        loop.run_forever()
    (left,) = [task for task in asyncio.all_tasks(loop) if task is not caller]
    coroutine: Any = left.get_coro()
    coroutine.close()
    loop.close()
    assert seen == ["thrown away"]
