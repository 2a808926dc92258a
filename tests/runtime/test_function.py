"""Runs of function runtimes: what a handler returns, raises and leaves behind."""

import asyncio
import sys
import threading
from typing import Any

import pytest
from pydantic import BaseModel, Field

from covel_host.runtime.deadline import GRACE_S
from covel_host.runtime.result import RunFailure, RuntimeResult
from plugin_sdk import Effects, Event, Success, failed, skip, skipped, success, suspended
from plugin_sdk.errors import ToolError
from plugin_sdk.outcomes import JobStatus, Notification
from plugin_sdk.proposals import NarrativeAppend, PluginData, UiRender
from plugin_sdk.wire import UiPart
from tests.runtime.conftest import BenchMaker
from tests.support.runs import function_manifest

SCHEMA = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer"}},
}


def code_of(result: RuntimeResult) -> str | None:
    return None if result.failure is None else result.failure.code


def giving(value: object) -> Any:
    async def handle(ctx: Any) -> object:
        return value

    return handle


# --- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("returned", "output", "value", "has_value"),
    [
        ({"n": 1}, {"n": 1}, {"n": 1}, True),
        (success({"n": 1}), {"n": 1}, {"n": 1}, True),
        ([1, 2], {"value": [1, 2]}, [1, 2], True),
        (7, {"value": 7}, 7, True),
        ("", {"value": ""}, "", True),
        (None, {"value": None}, None, True),
        (success(None), {"value": None}, None, True),
        (success(), {}, None, False),
    ],
)
def test_the_value_stays_as_it_is_and_the_output_is_an_object(
    bench: BenchMaker, returned: object, output: object, value: object, has_value: bool
) -> None:
    result = bench().play(handler=giving(returned))
    assert result.status == "success"
    assert (result.output, result.value, result.has_value) == (output, value, has_value)
    assert result.completion == "done"


class Roll(BaseModel):
    total_sum: int = Field(alias="totalSum")


def test_a_model_is_a_value_by_its_aliases(bench: BenchMaker) -> None:
    result = bench().play(handler=giving([Roll(totalSum=3)]))
    assert result.value == [{"totalSum": 3}]


def test_what_the_handler_keeps_of_its_value_is_its_own(bench: BenchMaker) -> None:
    kept = {"n": 1}
    result = bench().play(handler=giving(kept))
    kept["n"] = 2
    assert result.output == {"n": 1}


def test_completion_is_told(bench: BenchMaker) -> None:
    result = bench().play(handler=giving(success(1, completion="pending")))
    assert result.completion == "pending"


def test_fields_of_the_value_have_no_effect(bench: BenchMaker) -> None:
    result = bench().play(handler=giving({"events": [{"topic": "a.b"}], "proposals": [1]}))
    assert (result.status, result.proposals) == ("success", ())


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (object(), "type 'object' has no JSON form"),
        ({1: 2}, "keys"),
        (float("nan"), "nan"),
        (skip(reason="x"), "guard's word"),
        (Effects(), "Effects alone"),
        (Success(value=1, has_value=True, completion="later"), "'completion' is 'later'"),  # type: ignore[arg-type]
        (Success(effects=[]), "'effects' is a 'list'"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_return_is_a_clear_failure(bench: BenchMaker, returned: object, said: str) -> None:
    result = bench().play(handler=giving(returned))
    assert code_of(result) == "outcome-invalid"
    assert result.failure is not None
    assert said in result.failure.message


class Wild(BaseModel):
    n: int = 1

    def model_dump(self, **options: Any) -> Any:
        raise RuntimeError("no")


def test_a_model_that_cannot_be_written_is_a_failure(bench: BenchMaker) -> None:
    assert code_of(bench().play(handler=giving(Wild()))) == "outcome-invalid"


# --- the output schema -----------------------------------------------------------------------


@pytest.mark.parametrize("returned", [{"n": "x"}, [1], success()])
def test_an_output_that_breaks_its_schema_fails_the_run_and_writes_nothing(
    bench: BenchMaker, returned: object
) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 1)
        return returned

    result = bench().play(handler=handle, schema=SCHEMA)
    assert code_of(result) == "output-schema-invalid"
    assert result.proposals == ()


def test_a_fitting_output_is_a_success(bench: BenchMaker) -> None:
    assert bench().play(handler=giving({"n": 1}), schema=SCHEMA).status == "success"


# --- effects ---------------------------------------------------------------------------------

ALL = Effects(
    notifications=[Notification("info", "Hello", "There.")],
    proposals=[NarrativeAppend(content="Rain.")],
    plugin_data=[PluginData(namespace="notes", key="a", value=1)],
    ui=[UiRender(parts=[UiPart(id="p", type="text", status="success", content="x")])],
    events=[Event("check.resolved", {"dc": 12})],
)


def test_effects_are_staged_in_the_order_of_the_channels(bench: BenchMaker) -> None:
    result = bench().play(handler=giving(success(1, effects=ALL)))
    assert [proposal.type for proposal in result.proposals] == [
        "event.emit",
        "ui.render",
        "plugin.data",
        "narrative.append",
        "ui.render",
    ]
    assert result.proposals[0].payload == {"topic": "check.resolved", "data": {"dc": 12}}
    shown: Any = result.proposals[-1].payload["parts"]
    assert [(part["type"], part["content"]) for part in shown] == [
        ("Alert", {"level": "info", "title": "Hello", "message": "There."})
    ]


@pytest.mark.parametrize(
    ("effects", "place"),
    [
        (Effects(events="check"), "effects.events"),  # type: ignore[arg-type]
        (Effects(events=[{"topic": "a"}]), "effects.events.0"),  # type: ignore[list-item]
        (Effects(ui=[None]), "effects.ui.0"),  # type: ignore[list-item]
        (Effects(notifications=[1]), "effects.notifications.0"),  # type: ignore[list-item]
        (
            Effects(notifications=[Notification("loud", "A", "B")]),  # type: ignore[arg-type]
            "effects.notifications.0",
        ),
        (Effects(diagnostics=[1]), "effects.diagnostics.0"),  # type: ignore[list-item]
        (Effects(events=[Event("a"), Event(7)]), "effects.events.1"),  # type: ignore[arg-type]
        (Effects(events=[Event("a", object())]), "effects.events.0"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_channel_fails_the_run_and_names_its_place(
    bench: BenchMaker, effects: Effects, place: str
) -> None:
    result = bench().play(handler=giving(success(1, effects=effects)))
    assert code_of(result) == "output-schema-invalid"
    assert result.failure is not None
    assert result.failure.message.startswith(f"`{place}`")
    assert result.proposals == ()


def test_a_refused_effect_keeps_the_code_of_its_refusal(bench: BenchMaker) -> None:
    big = PluginData(namespace="notes", key="a", value="x" * 300_000)
    result = bench().play(handler=giving(success(effects=Effects(plugin_data=[big]))))
    assert (result.status, code_of(result)) == ("failed", "value-too-large")


def test_diagnostics_are_warnings(bench: BenchMaker) -> None:
    effects = Effects(diagnostics=["Old save."])
    told = bench().play(handler=giving(skipped("Nothing.", effects=effects))).warnings
    assert told == ("Old save.",)


def test_a_report_that_is_none_fails_the_run(bench: BenchMaker) -> None:
    effects = Effects(job_status=[JobStatus(job_id="j", state="running", sequence=1, progress=2)])
    result = bench().play(handler=giving(success(1, effects=effects)))
    assert result.failure is not None
    assert "`effects.job_status.0`" in result.failure.message


# --- skipped, failed, suspended --------------------------------------------------------------


def test_a_skipped_run_keeps_what_it_staged(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 1)
        return skipped("Nothing to do.")

    made = bench()
    result = made.play(handler=handle)
    assert (result.status, result.reason, result.is_explicit_skip) == (
        "skipped",
        "Nothing to do.",
        True,
    )
    assert [proposal.type for proposal in result.proposals] == ["plugin.data"]
    assert made.trace_types[-1] == "runtime.skipped"


def test_a_skipped_run_may_have_no_other_effects(bench: BenchMaker) -> None:
    result = bench().play(handler=giving(skipped("No.", effects=ALL)))
    assert code_of(result) == "output-schema-invalid"


@pytest.mark.parametrize(
    ("returned", "code", "message"),
    [
        (failed("No dice."), "runtime-reported-failure", "No dice."),
        (failed(ToolError("not-found", "No such die.")), "not-found", "No such die."),
    ],
)
def test_a_run_may_report_its_own_failure(
    bench: BenchMaker, returned: object, code: str, message: str
) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 1)
        return returned

    result = bench().play(handler=handle)
    assert result.failure == RunFailure(code, message)
    assert result.proposals == ()


def test_effects_of_a_failed_run_are_told_to_be_lost(bench: BenchMaker) -> None:
    result = bench().play(handler=giving(failed("No.", effects=Effects(events=[Event("a")]))))
    assert result.warnings == ("'effects.events' of a failed run is not written",)
    assert result.proposals == ()


def test_a_suspended_run_asks_for_what_it_said(bench: BenchMaker) -> None:
    result = bench().play(handler=giving(suspended("Wait.", {"type": "string"})))
    assert (result.status, result.proposals) == ("suspended", ())
    assert result.suspension is not None
    assert result.suspension.reason == "Wait."
    assert result.suspension.resume_schema == {"type": "string"}


@pytest.mark.parametrize("schema", [{"type": "nothing"}, {"$ref": "http://example.org/x"}, [1]])
def test_a_resume_schema_that_is_none_fails_the_run(bench: BenchMaker, schema: Any) -> None:
    result = bench().play(handler=giving(suspended("Wait.", schema)))
    assert code_of(result) == "outcome-invalid"


# --- what a handler raises -------------------------------------------------------------------


def test_a_tool_error_tells_its_own_story(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        raise ToolError("conflict", "Taken.", hint="Choose another.")

    assert bench().play(handler=handle).failure == RunFailure(
        "conflict", "Taken.", "Choose another."
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("broken\nand more"), "ValueError: broken"),
        (SystemExit(3), "sys.exit(3) was called"),
        (KeyError(), "KeyError"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (asyncio.CancelledError(), "CancelledError"),
        (GeneratorExit(), "GeneratorExit"),
    ],
)
@pytest.mark.parametrize("is_async", [True, False])
def test_an_unexpected_error_is_told_by_its_first_line(
    bench: BenchMaker, error: BaseException, said: str, is_async: bool
) -> None:
    async def inline(ctx: Any) -> object:
        raise error

    def threaded(ctx: Any) -> object:
        raise error

    result = bench().play(handler=inline if is_async else threaded)
    assert result.failure is not None
    assert result.failure.code == "internal"
    assert result.failure.message.startswith("The handler of 'demo' failed: ")
    assert said in result.failure.message
    assert "and more" not in result.failure.message


def test_the_place_in_the_package_is_told_without_the_machines_paths(bench: BenchMaker) -> None:
    made = bench()
    root = made.folder / "demo"
    source = f"def handle(ctx):\n    raise OSError({str(root / 'x.txt')!r})\n"
    scope: dict[str, Any] = {}
    exec(compile(source, str(root / "server" / "handler.py"), "exec"), scope)
    failure = made.play(handler=scope["handle"]).failure
    assert failure is not None
    assert failure.hint == "Raised at server/handler.py:2."
    assert str(root) not in failure.message


def test_a_handler_that_was_not_loaded_is_a_failure(bench: BenchMaker) -> None:
    assert code_of(bench().play()) == "handler-not-loaded"


# --- threads and limits ----------------------------------------------------------------------


def test_a_plain_handler_runs_off_the_loop(bench: BenchMaker) -> None:
    def handle(ctx: Any) -> object:
        return threading.current_thread() is not threading.main_thread()

    assert bench().play(handler=handle).value is True


def test_a_plain_handler_may_give_an_awaitable(bench: BenchMaker) -> None:
    assert bench().play(handler=lambda ctx: giving(3)(ctx)).value == 3


def test_a_plain_handler_may_await_its_context_on_a_loop_of_its_own(bench: BenchMaker) -> None:
    def handle(ctx: Any) -> object:
        async def work() -> object:
            await ctx.plugin_data.set("notes", "a", 1)
            return await ctx.plugin_data.get("notes", "a")

        return asyncio.run(work())

    result = bench().play(handler=handle)
    assert (result.value, len(result.proposals)) == (1, 1)


def test_a_handler_that_waits_too_long_is_cancelled(bench: BenchMaker) -> None:
    stopped: list[str] = []

    async def handle(ctx: Any) -> object:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(ctx.signal.reason)
        return None

    made = bench(manifest=function_manifest(function={"timeoutMs": 20}))
    result = made.play(handler=handle)
    assert result.failure == RunFailure(
        "timeout", "The handler of 'demo' did not end within 20 ms ('function.timeoutMs')."
    )
    assert stopped == ["deadline"]


def test_a_handler_that_swallows_cancellation_is_left_with_nothing_in_its_hands(
    bench: BenchMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("covel_host.runtime.deadline.GRACE_S", 0.02)
    assert GRACE_S > 0.02
    codes: list[str] = []

    async def main() -> RuntimeResult:
        go_on = asyncio.Event()

        async def handle(ctx: Any) -> object:
            while not go_on.is_set():
                try:
                    await go_on.wait()
                except asyncio.CancelledError:
                    continue
            for use in (
                lambda: ctx.plugin_data.set("notes", "a", 1),
                lambda: ctx.store.get_session(),
                lambda: ctx.tools.call("x", {}),
                lambda: ctx.gateway.generate_text("Hi"),
                lambda: ctx.media.put(b"x", mime="image/png"),
            ):
                try:
                    await use()
                except ToolError as error:
                    codes.append(error.code)
            return {"late": True}

        result = await made.made(handler=handle).result()
        assert made.tasks.pending == ("runtime demo",)
        go_on.set()
        while made.tasks.pending:
            await asyncio.sleep(0)
        return result

    made = bench(manifest=function_manifest(function={"timeoutMs": 20}))
    result = asyncio.run(main())
    assert result.failure is not None
    assert "left behind" in result.failure.message
    assert (result.output, result.proposals) == ({}, ())
    assert codes == ["unavailable"] * 5


def test_a_thread_past_its_limit_is_tracked_and_loses_its_capabilities(
    bench: BenchMaker,
) -> None:
    codes: list[str] = []
    go_on = threading.Event()

    def handle(ctx: Any) -> object:
        go_on.wait()
        try:
            asyncio.run(ctx.plugin_data.set("notes", "a", 1))
        except ToolError as error:
            codes.append(error.code)
        try:
            ctx.world.characters  # noqa: B018
        except ToolError as error:
            codes.append(error.code)
        return None

    async def main() -> RuntimeResult:
        result = await made.made(handler=handle).result()
        assert made.tasks.pending == ("handler of demo",)
        go_on.set()
        while made.tasks.pending:
            await asyncio.sleep(0)
        return result

    made = bench(manifest=function_manifest(function={"timeoutMs": 20}))
    result = asyncio.run(main())
    assert result.failure is not None
    assert "left behind" in result.failure.message
    assert codes == ["unavailable"] * 2


def test_a_cancelled_run_is_cut_short(bench: BenchMaker) -> None:
    made = bench()

    async def main() -> RuntimeResult:
        started = asyncio.Event()

        async def handle(ctx: Any) -> object:
            started.set()
            await asyncio.Event().wait()
            return None

        run = made.made(handler=handle)
        task = asyncio.create_task(run.result())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return run.cut_short(RunFailure("cancelled", "Stopped."))

    result = asyncio.run(main())
    assert (result.status, code_of(result)) == ("failed", "cancelled")
    assert made.signal.reason == "aborted"


def test_the_trace_tells_the_run_and_its_handler(bench: BenchMaker) -> None:
    made = bench()
    made.play(handler=giving(1))
    assert made.trace_types == [
        "runtime.started",
        "function.executing",
        "function.completed",
        "runtime.completed",
    ]


def test_no_traceback_is_told(bench: BenchMaker) -> None:
    def handle(ctx: Any) -> object:
        raise ValueError("broken")

    failure = bench().play(handler=handle).failure
    assert failure is not None
    assert "Traceback" not in failure.message
    assert sys.exc_info() == (None, None, None)
