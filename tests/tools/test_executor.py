"""Every outcome of a tool call: order of checks, limits, errors, what a tool may return."""

import asyncio
import json
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import pytest
from pydantic import BaseModel, model_validator

from covel_host.tools.calls import CallCancelled, ToolCallResult, ToolRequest
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import (
    TOOL_ERROR_CODES,
    FieldProblem,
    ToolError,
    ToolErrorCode,
    ToolValidationError,
)
from plugin_sdk.outcomes import Event
from plugin_sdk.proposals import PluginData
from plugin_sdk.results import with_emitted_events, with_model_view, with_pending_proposals
from plugin_sdk.tools import Tool, tool
from tests.support.tool_calls import ToolBench

UUID = "123e4567-e89b-42d3-a456-426614174000"


def run(bench: ToolBench, name: str, arguments: str = "{}") -> ToolCallResult:
    return asyncio.run(bench.call(name, arguments))


def error_of(result: ToolCallResult) -> dict[str, Any]:
    envelope = json.loads(result.envelope)
    assert list(envelope) == ["error"]
    assert result.error is not None
    assert result.status == "failed"
    assert result.content is None
    assert envelope["error"]["code"] == result.error.code
    error: dict[str, Any] = envelope["error"]
    return error


def raising(error: BaseException, **options: Any) -> Tool[Any, Any]:
    @tool(name="fail", **options)
    async def fail() -> object:
        """Fail."""
        raise error

    return fail


def giving(value: object, **options: Any) -> Tool[Any, Any]:
    @tool(name="give", **options)
    async def give() -> object:
        """Give."""
        return value

    return give


# --- order of checks -------------------------------------------------------------------------


def test_a_slip_in_a_name_is_answered_with_the_nearest_tool() -> None:
    bench = ToolBench(giving(1))
    assert error_of(run(bench, "gvie"))["hint"] == 'The nearest tool is "give".'
    assert "hint" not in error_of(run(bench, "take"))
    assert "hint" not in error_of(run(bench, "give" * 40))


def test_authorisation_comes_before_resolution_and_resolution_before_the_arguments() -> None:
    bench = ToolBench(giving(1))
    bench.authorized = set()
    assert error_of(run(bench, "give", "not json"))["code"] == "unavailable"
    assert bench.packages.asked == []
    bench.authorized = {"missing"}
    assert error_of(run(bench, "missing", "not json"))["code"] == "not-found"
    assert bench.opened == []


def test_a_name_never_reaches_another_packages_tool() -> None:
    bench = ToolBench(others=[giving("theirs")])
    bench.authorized.add("give")
    assert error_of(run(bench, "give"))["code"] == "not-found"


def test_a_framework_name_never_means_a_packages_tool() -> None:
    @tool(name="delegate")
    async def own() -> object:
        """Own."""
        return "own"

    bench = ToolBench(own, builtins={})
    assert error_of(run(bench, "delegate"))["code"] == "not-found"


def test_a_call_under_its_own_name_says_where_the_tool_is_from() -> None:
    bench = ToolBench(giving({"n": 1}))
    assert (run(bench, "give").source, run(bench, "runtime-done").source) == ("local", "builtin")


def test_a_run_keeps_the_tools_it_was_begun_with() -> None:
    bench = ToolBench(giving("before"))
    scope = bench.scope
    bench.packages.by_package = {}
    request = ToolRequest(0, "c1", "give", "{}")
    assert asyncio.run(bench.executor.call(request, scope)).content == "before"
    assert error_of(run(bench, "give"))["code"] == "not-found"


# --- arguments -------------------------------------------------------------------------------


@tool(name="add")
async def add(left: int, rows: list[int] | None = None) -> object:
    """Add."""
    return left + sum(rows or [])


def test_repaired_arguments_reach_the_function_and_the_history() -> None:
    result = run(ToolBench(add), "add", '{"left":1,"rows":"[2,3]"}]')
    assert (result.content, result.arguments) == (6, {"left": 1, "rows": [2, 3]})
    assert json.loads(result.history_arguments) == {"left": 1, "rows": [2, 3]}
    assert result.request.arguments == '{"left":1,"rows":"[2,3]"}]'


def test_unreadable_arguments_stay_a_json_string_in_the_history() -> None:
    result = run(ToolBench(add), "add", '{"left": 1, "rows": [2,')
    assert error_of(result)["code"] == "invalid-input"
    assert json.loads(result.history_arguments) == '{"left": 1, "rows": [2,'
    assert result.arguments == '{"left": 1, "rows": [2,'


def test_arguments_of_a_refused_call_are_valid_json_in_the_history_too() -> None:
    bench = ToolBench()
    assert json.loads(run(bench, "unknown", '{"a":1}}').history_arguments) == {"a": 1}
    assert json.loads(run(bench, "unknown", "a: 1").history_arguments) == "a: 1"


def test_values_are_checked_strictly_and_every_problem_is_told() -> None:
    result = run(ToolBench(add), "add", '{"left":"5","rows":[1,"x"]}')
    error = error_of(result)
    assert error["code"] == "invalid-input"
    assert [line.split(":")[0] for line in error["message"].splitlines()] == ["left", "rows.1"]
    assert error["hint"]
    assert result.error is not None
    assert [problem.path for problem in result.error.details] == ["left", "rows.1"]


def test_an_error_of_an_authors_validator_fails_the_call_alone() -> None:
    class Odd(BaseModel):
        n: int

        @model_validator(mode="after")
        def _check(self) -> "Odd":
            raise KeyError("no such row")

    @tool(name="odd", parameters=Odd)
    async def odd(value: Odd) -> object:
        """Odd."""
        return value.n

    error = error_of(run(ToolBench(odd), "odd", '{"n":1}'))
    assert error["code"] == "internal"


# --- errors ----------------------------------------------------------------------------------


class OwnError(ToolError):
    """A sub-class of an author."""


class HalfMadeError(ToolError):
    """A sub-class that never calls its base."""

    def __init__(self) -> None:
        self.args = ("half made",)


def foreign_error() -> BaseException:
    """What another copy of the SDK would raise."""

    class ToolError(Exception):
        code = "conflict"
        message = "Somebody was faster."
        hint = None

    return ToolError()


@pytest.mark.parametrize("code", TOOL_ERROR_CODES)
def test_a_tool_error_is_told_as_written(code: ToolErrorCode) -> None:
    error = ToolError(code, f"About {UUID}.\nSecond line.", hint="Try again.")
    result = run(ToolBench(raising(error)), "fail")
    assert error_of(result) == {
        "code": code,
        "message": f"About {UUID}.\nSecond line.",
        "hint": "Try again.",
    }
    assert result.error is not None
    assert (result.error.raised_by, result.error.cause) == ("tool", error)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (OwnError("not-found", "No such row."), "not-found", "No such row."),
        (foreign_error(), "conflict", "Somebody was faster."),
        (
            HalfMadeError(),
            "internal",
            'Tool "fail" failed: HalfMadeError (its text cannot be shown: AttributeError)',
        ),
        (TimeoutError("the line is slow"), "timeout", 'Tool "fail" timed out: the line is slow'),
        (TimeoutError(), "timeout", 'Tool "fail" timed out: TimeoutError'),
        (SystemExit(3), "internal", 'Tool "fail" failed: sys.exit(3) was called'),
        (GeneratorExit(), "internal", 'Tool "fail" failed: GeneratorExit'),
        (asyncio.CancelledError(), "internal", 'Tool "fail" failed: CancelledError'),
        (StopIteration("odd"), "internal", 'Tool "fail" failed: coroutine raised StopIteration'),
        (RecursionError("too deep"), "internal", 'Tool "fail" failed: too deep'),
        (BaseException("rare"), "internal", 'Tool "fail" failed: rare'),
        (ValueError(f"row {UUID} is odd\nmore"), "internal", 'Tool "fail" failed: row <id> is odd'),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_whatever_a_tool_raises_becomes_one_failure(
    error: BaseException, code: str, message: str
) -> None:
    result = run(ToolBench(raising(error)), "fail")
    assert error_of(result) == {"code": code, "message": message}


def test_an_unexpected_error_is_cut_and_only_the_log_has_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = ToolBench(raising(ValueError("x" * 400 + "\nsecond line")))
    error = error_of(run(bench, "fail"))
    assert len(error["message"]) == len('Tool "fail" failed: ') + 300
    failed = bench.log.events[-1]
    assert failed.data["error"] == "x" * 400 + "\nsecond line"
    assert "Traceback" not in json.dumps(failed.data)
    assert caplog.records[0].exc_info is not None
    assert "second line" in caplog.text


def test_an_error_that_cannot_be_shown_is_named() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    error = error_of(run(ToolBench(raising(Mute())), "fail"))
    assert error["message"].startswith('Tool "fail" failed: Mute (its text cannot be shown')


def test_a_message_that_cannot_be_stored_is_mended() -> None:
    result = run(ToolBench(raising(OSError("no file '\udcff.txt'"))), "fail")
    assert result.error is not None
    assert result.error.message == "no file '\ufffd.txt'"


def test_details_of_a_validation_error_reach_the_trace() -> None:
    problem = FieldProblem("rows.0", "is odd")
    bench = ToolBench(raising(ToolValidationError("Odd rows.", details=[problem])))
    assert error_of(run(bench, "fail"))["code"] == "invalid-input"
    assert bench.log.events[-1].data["details"] == [{"path": "rows.0", "message": "is odd"}]


@pytest.mark.parametrize(
    "raised",
    [
        SystemExit(2),
        KeyboardInterrupt(),
        StopIteration(),
        GeneratorExit(),
        asyncio.CancelledError(),
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("timeout_ms", [None, 5000])
def test_a_tool_cannot_end_the_host(
    raised: BaseException, is_async: bool, timeout_ms: int | None
) -> None:
    @tool(name="fail", timeout_ms=timeout_ms)
    def fail() -> object:
        """Fail."""
        raise raised

    @tool(name="fail", timeout_ms=timeout_ms)
    async def fail_on_loop() -> object:
        """Fail."""
        raise raised

    made: Tool[Any, Any] = fail_on_loop if is_async else fail
    assert error_of(run(ToolBench(made), "fail"))["code"] == "internal"


class Ending(str):
    def __str__(self) -> str:
        raise SystemExit(4)


class EndingError(Exception):
    def __str__(self) -> str:
        raise SystemExit(4)


@pytest.mark.parametrize("made", [giving(Ending("x")), raising(EndingError())])
def test_what_a_tool_gives_cannot_end_the_host_either(made: Tool[Any, Any]) -> None:
    result = run(ToolBench(made), made.name)
    assert error_of(result)["code"] == "internal"
    assert "SystemExit" in result.envelope or "sys.exit(4)" in result.envelope


def test_a_message_that_is_no_text_is_told_as_text() -> None:
    error = ToolError("refused", 5)  # type: ignore[arg-type]
    assert error_of(run(ToolBench(raising(error)), "fail"))["message"] == "5"


# --- what a tool returns ---------------------------------------------------------------------


class Card(BaseModel):
    title: str


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (None, None),
        ({"n": 10**30}, {"n": 10**30}),
        (Card(title="Map"), {"title": "Map"}),
        ([Card(title="Map")], [{"title": "Map"}]),
        ("text", "text"),
    ],
    ids=["nothing", "huge", "model", "models", "text"],
)
def test_json_values_and_models_are_content(value: object, content: object) -> None:
    result = run(ToolBench(giving(value)), "give")
    assert (result.status, result.content) == ("completed", content)


def test_the_content_is_a_copy() -> None:
    value = {"rows": [1]}
    result = run(ToolBench(giving(value)), "give")
    value["rows"].append(2)
    assert result.content == {"rows": [1]}


class Broken(BaseModel):
    def model_dump(self, **options: Any) -> NoReturn:
        raise KeyError("broken dump")


def itself() -> list[object]:
    loop: list[object] = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    "value",
    [
        {"n": float("nan")},
        {1, 2},
        itself(),
        {1: "x"},
        object(),
        "\ud800",
        10**5000,
        Broken(),
        with_model_view({}, data={"n": float("inf")}),
    ],
    ids=["nan", "set", "cycle", "key", "object", "surrogate", "digits", "dump", "view"],
)
def test_content_without_a_json_form_fails_the_call(value: object) -> None:
    bench = ToolBench(giving(with_pending_proposals(value, [note()])))
    assert error_of(run(bench, "give"))["code"] == "internal"
    assert bench.staging.proposals == ()


def test_the_audit_keeps_what_json_can_hold_of_such_content() -> None:
    bench = ToolBench(giving({"kept": 1, "odd": [float("nan"), {1}]}))
    error = run(bench, "give").error
    assert error is not None
    assert error.returned == {"kept": 1, "odd": [None, None]}
    assert [problem.path for problem in error.details] == ["odd.0", "odd.1"]
    assert [told["path"] for told in bench.log.events[-1].data["details"]] == ["odd.0", "odd.1"]


def test_a_view_is_for_the_model_and_the_content_for_code() -> None:
    result = run(ToolBench(giving(with_model_view({"secret": 1}, summary="Done it."))), "give")
    assert result.envelope == '{"summary":"Done it."}'
    assert result.content == {"secret": 1}


# --- writes ----------------------------------------------------------------------------------


def note(value: Any = 1, namespace: str = "notes") -> PluginData:
    return PluginData(namespace=namespace, key="k", value=value)


def test_proposals_are_staged_and_seen_by_the_runs_view() -> None:
    bench = ToolBench(giving(with_pending_proposals({}, [note({"n": 1})])))

    async def main() -> tuple[ToolCallResult, Any]:
        result = await bench.call("give")
        return result, await bench.staging.plugin_data.get("notes", "k")

    result, seen = asyncio.run(main())
    assert json.loads(result.envelope)["staged"]["count"] == 1
    assert [staged.type for staged in result.proposals] == ["plugin.data"]
    assert (result.proposals, seen) == (bench.staging.proposals, {"n": 1})


@pytest.mark.parametrize(
    ("refused", "code"),
    [
        (note(namespace="_runtime_jobs"), "internal"),
        (note(value="x" * 2_000_000), "invalid-input"),
    ],
    ids=["reserved", "too-large"],
)
def test_a_refused_proposal_fails_the_call_and_stages_nothing(refused: Any, code: str) -> None:
    bench = ToolBench(giving(with_pending_proposals({}, [note(), refused])))
    assert error_of(run(bench, "give"))["code"] == code
    assert bench.staging.proposals == ()


@pytest.mark.parametrize(
    "written",
    [with_pending_proposals({}, [note()]), with_emitted_events({}, [Event("a.b", {})])],
    ids=["proposal", "event"],
)
def test_a_read_only_tool_that_writes_fails_before_any_success_is_told(written: object) -> None:
    bench = ToolBench(giving(written, read_only=True))
    error = error_of(run(bench, "give"))
    assert error["code"] == "internal"
    assert "read-only tool returned writes" in error["message"]
    assert [event.type for event in bench.log.events] == ["tool.calling", "tool.failed"]
    assert bench.staging.proposals == ()


def test_events_of_a_call_are_kept_for_the_end_of_the_run_and_counted() -> None:
    data: dict[str, Any] = {"by": ["wind"]}
    bench = ToolBench(giving(with_emitted_events({}, [Event("door.opened", data)])))
    result = run(bench, "give")
    data["by"].clear()
    assert result.events == (Event("door.opened", {"by": ["wind"]}),)
    staged = json.loads(result.envelope)["staged"]
    assert (staged["count"], staged["kinds"]) == (1, ["event"])
    assert bench.staging.proposals == ()


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ({"topic": "door.opened"}, "is a 'dict', not an Event"),
        (Event(7), "has the topic 7, which is no text"),  # type: ignore[arg-type]
        (Event("a", [1]), "has data that is no object"),  # type: ignore[arg-type]
        (Event("a", {"x": object()}), "has data without a JSON form"),  # type: ignore[dict-item]
    ],
)
def test_an_event_of_another_form_fails_the_call(event: Any, problem: str) -> None:
    bench = ToolBench(giving(with_emitted_events({}, [event])))
    error = error_of(run(bench, "give"))
    assert (error["code"], problem in error["message"]) == ("internal", True)


# --- threads, limits, cancellation -----------------------------------------------------------


def test_a_plain_function_runs_in_a_daemon_thread() -> None:
    @tool(name="where")
    def where() -> object:
        """Where."""
        here = threading.current_thread()
        return [here.daemon, here is threading.main_thread()]

    assert run(ToolBench(where), "where").content == [True, False]


def test_a_call_past_its_limit_times_out_and_its_late_result_is_dropped() -> None:
    release = asyncio.Event()
    ended = asyncio.Event()

    @tool(name="slow", timeout_ms=1)
    async def slow() -> object:
        """Slow."""
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        ended.set()
        return with_pending_proposals({"late": True}, [note()])

    bench = ToolBench(slow)

    async def main() -> tuple[ToolCallResult, tuple[str, ...], tuple[str, ...]]:
        result = await bench.call("slow")
        left = await bench.executor.close(budget_s=0)
        release.set()
        await ended.wait()
        return result, left, await bench.executor.close()

    result, left, later = asyncio.run(main())
    assert error_of(result) == {"code": "timeout", "message": 'Tool "slow" did not finish in 1 ms.'}
    assert (left, later) == (("tool slow",), ())
    assert bench.opened[0].signal.reason == "timeout"
    assert bench.opened[0].is_closed
    assert bench.staging.proposals == ()


def test_a_thread_past_its_limit_is_known_until_it_ends() -> None:
    release = threading.Event()

    @tool(name="slow", timeout_ms=1)
    def slow() -> object:
        """Slow."""
        release.wait(20)
        return 1

    bench = ToolBench(slow)

    async def main() -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        result = await bench.call("slow")
        left = await bench.executor.close(budget_s=0)
        release.set()
        return error_of(result)["code"], left, await bench.executor.close()

    assert asyncio.run(main()) == ("timeout", ("tool slow",), ())


async def when_running(
    bench: ToolBench, started: asyncio.Event, act: Callable[["asyncio.Task[Any]"], Awaitable[Any]]
) -> Any:
    """Start a call of `wait`, act while it runs, and give what came of it."""
    task = asyncio.get_running_loop().create_task(bench.call("wait"))
    await started.wait()
    await act(task)
    try:
        return await task
    except asyncio.CancelledError as error:
        return error


def waiting(started: asyncio.Event, *, swallows: bool = False, **options: Any) -> Tool[Any, Any]:
    @tool(name="wait", **options)
    async def wait(ctx: ToolContext) -> object:
        """Wait."""
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            assert ctx.signal.cancelled
            if not swallows:
                raise
        return with_pending_proposals({}, [note()])

    return wait


@pytest.mark.parametrize("options", [{}, {"timeout_ms": 60_000}], ids=["in place", "own task"])
@pytest.mark.parametrize("swallows", [False, True])
def test_closing_ends_a_running_call_as_cancelled(options: Any, swallows: bool) -> None:
    started = asyncio.Event()
    bench = ToolBench(waiting(started, swallows=swallows, **options))

    async def close(task: "asyncio.Task[Any]") -> None:
        assert await bench.executor.close() == ()

    async def main() -> tuple[Any, ToolCallResult]:
        return await when_running(bench, started, close), await bench.call("wait")

    result, later = asyncio.run(main())
    assert error_of(result)["code"] == "cancelled"
    assert error_of(later)["code"] == "unavailable"
    assert bench.staging.proposals == ()


@pytest.mark.parametrize("options", [{}, {"timeout_ms": 60_000}], ids=["in place", "own task"])
@pytest.mark.parametrize("swallows", [False, True])
def test_a_cancelled_caller_is_cancelled_even_if_the_tool_swallows_it(
    options: Any, swallows: bool
) -> None:
    started = asyncio.Event()
    bench = ToolBench(waiting(started, swallows=swallows, **options))

    async def cancel(task: "asyncio.Task[Any]") -> None:
        bench.signal.cancel("aborted")
        task.cancel()

    error = asyncio.run(when_running(bench, started, cancel))
    assert isinstance(error, CallCancelled)
    assert error.result.error is not None
    assert error.result.error.code == "cancelled"
    assert bench.log.events[-1].data["code"] == "cancelled"
    assert bench.staging.proposals == ()


def test_a_thread_sees_the_runs_cancellation() -> None:
    started = threading.Event()
    seen = threading.Event()

    @tool(name="wait")
    def wait(ctx: ToolContext) -> object:
        """Wait."""
        started.set()
        while not ctx.signal.cancelled:
            seen.wait(0.001)
        seen.set()
        return 1

    bench = ToolBench(wait)

    async def main() -> bool:
        task = asyncio.get_running_loop().create_task(bench.call("wait"))
        await asyncio.to_thread(started.wait, 20)
        bench.signal.cancel("aborted")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await bench.executor.close()
        return seen.is_set()

    assert asyncio.run(main())


def test_a_cancelled_run_makes_no_more_calls() -> None:
    bench = ToolBench(giving(1))
    bench.signal.cancel("deadline")
    assert error_of(run(bench, "give"))["code"] == "cancelled"
    assert bench.opened == []


def test_the_recursion_limit_is_one_failed_call() -> None:
    @tool(name="deep")
    async def deep() -> object:
        """Deep."""

        def again(n: int) -> int:
            return again(n + 1)

        return again(0)

    assert sys.getrecursionlimit() < 100_000
    assert error_of(run(ToolBench(deep), "deep"))["code"] == "internal"
