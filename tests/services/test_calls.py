"""One call of a service: checks, copies, limits, turns, and what failing means."""

import asyncio
import threading
from typing import Any

import pytest
from pydantic import BaseModel, Field

from covel_host.base.cancel_signal import CancelSignal
from covel_host.services.failures import INVALID_RESULT, ServiceFailed, ServiceTimeout
from plugin_sdk import ToolError, ToolValidationError, service
from plugin_sdk.context import ServiceContext
from tests.services.bench import ServiceBench

UUID = "0b0f0f0e-1111-2222-3333-444455556666"


class Amount(BaseModel):
    count: int = Field(ge=0)


def echo(contract: str = "stock.echo@1", **options: Any) -> Any:
    @service(contract, kind=options.pop("kind", "read"), name=contract.partition("@")[0][:20])
    async def answer(ctx: ServiceContext, value: dict[str, object]) -> object:
        return {"value": value, "caller": ctx.caller_plugin_id}

    return answer


def failing(error: BaseException, *, kind: Any = "read") -> Any:
    @service("stock.fail@1", kind=kind)
    async def fail(ctx: ServiceContext) -> object:
        raise error

    return fail


def failure(bench: ServiceBench, contract: str, value: Any = None, **more: Any) -> ServiceFailed:
    with pytest.raises(ServiceFailed) as caught:
        bench.run(contract, value, **more)
    return caught.value


def test_input_and_output_are_copies() -> None:
    kept: list[Any] = []

    @service("stock.keep@1", kind="read")
    async def keep(ctx: ServiceContext, value: dict[str, object]) -> object:
        kept.append(value)
        return value

    given = {"rows": [1]}
    answer = ServiceBench(stock=[keep]).run("stock.keep@1", given)
    assert answer == given == kept[0]
    kept[0]["rows"].append(2)
    given["rows"].append(3)
    assert answer == {"rows": [1]}


@pytest.mark.parametrize("value", [{"count": "5"}, {"count": -1}, {}, 5])
def test_input_is_checked_strictly_by_the_provider(value: Any) -> None:
    @service("stock.add@1", kind="read")
    async def add(ctx: ServiceContext, amount: Amount) -> int:
        return amount.count

    refused = failure(ServiceBench(stock=[add]), "stock.add@1", value)
    assert refused.code == "invalid-input"
    assert refused.details
    assert not refused.is_refused


def test_input_without_a_json_form_is_the_callers_own_mistake() -> None:
    with pytest.raises(ToolError) as caught:
        ServiceBench(stock=[echo()]).run("stock.echo@1", {"value": object()})
    assert caught.value.code == "invalid-input"
    assert not isinstance(caught.value, ServiceFailed)


def test_a_transform_applies_once() -> None:
    class Doubled(BaseModel):
        count: int

        def model_post_init(self, _: Any) -> None:
            self.count *= 2

    @service("stock.double@1", kind="read")
    async def double(ctx: ServiceContext, amount: Doubled) -> int:
        return amount.count

    assert ServiceBench(stock=[double]).run("stock.double@1", {"count": 2}) == 4


def test_a_plain_function_runs_in_a_thread() -> None:
    @service("stock.thread@1", kind="read")
    def thread(ctx: ServiceContext) -> bool:
        return threading.current_thread() is threading.main_thread()

    assert ServiceBench(stock=[thread]).run("stock.thread@1") is False


@pytest.mark.parametrize(
    ("error", "code", "message", "is_refused"),
    [
        (ToolError("conflict", "Taken.", hint="Wait."), "conflict", "Taken.", True),
        (ToolError("refused", "No."), "refused", "No.", True),
        (ToolError("cancelled", "Off."), "cancelled", "Off.", False),
        (ToolValidationError("Wrong."), "invalid-input", "Wrong.", False),
        (ToolError("internal", f"It is {UUID}."), "internal", f"It is {UUID}.", True),
        (RuntimeError(f"broken {UUID}\nmore"), "internal", "broken <id>", True),
        (TimeoutError("slow disk"), "internal", "slow disk", True),
        (asyncio.CancelledError(), "internal", "CancelledError", True),
        (SystemExit(3), "internal", "sys.exit(3) was called", True),
        (KeyboardInterrupt(), "internal", "KeyboardInterrupt", True),
        (ServiceTimeout("deep.er@1", 5), "timeout", "The service deep.er@1 did not", True),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_what_a_provider_raises_is_told_by_the_table(
    error: BaseException, code: str, message: str, is_refused: bool
) -> None:
    found = failure(ServiceBench(stock=[failing(error)]), "stock.fail@1")
    assert (found.code, found.is_refused) == (code, is_refused)
    assert found.message.startswith(message)
    assert "\n" not in found.message
    assert found.is_authored == (code != "internal" or isinstance(error, ToolError))
    assert found.hint == getattr(error, "hint", None)


def test_an_output_that_does_not_fit_is_told_without_its_problems() -> None:
    @service("stock.wrong@1", kind="read")
    async def wrong(ctx: ServiceContext) -> int:
        return "five"  # type: ignore[return-value]

    found = failure(ServiceBench(stock=[wrong]), "stock.wrong@1")
    assert (found.code, found.message, found.is_refused) == ("internal", INVALID_RESULT, True)


def test_a_provider_that_is_not_active_is_unavailable_and_not_named() -> None:
    for standing in ("inactive", "paused"):
        bench = ServiceBench(stock=[echo()])
        bench.standings["stock"] = standing
        found = failure(bench, "stock.echo@1")
        assert (found.code, found.is_refused) == ("unavailable", True)
        assert "stock.echo@1" in found.message
        assert "'stock'" not in found.message


def test_both_sides_are_looked_at_for_every_call() -> None:
    bench = ServiceBench(stock=[echo()])
    assert bench.run("stock.echo@1", {}) == {"value": {}, "caller": "trader"}
    bench.standings["trader"] = "inactive"
    assert failure(bench, "stock.echo@1").code == "unavailable"


def test_an_offer_of_another_contract_means_nothing() -> None:
    bench = ServiceBench(stock=[echo()])
    offer = bench.offer("stock.echo@1")
    wrong = type(offer)(plugin_id="stock", name=offer.name, contract="stock.echo@2")

    async def main() -> None:
        with pytest.raises(ServiceFailed, match="no active provider"):
            await bench.calls.call(bench.caller(), wrong, {})

    asyncio.run(main())


def test_a_circle_is_refused_and_a_package_may_be_met_twice() -> None:
    @service("a.first@1", kind="read")
    async def first(ctx: ServiceContext) -> object:
        return await ctx.call("b.back@1")  # type: ignore[attr-defined]

    @service("b.back@1", kind="read")
    async def back(ctx: ServiceContext, to: dict[str, object]) -> object:
        return await ctx.call(to.get("to", "a.first@1"))  # type: ignore[attr-defined]

    @service("a.other@1", kind="read")
    async def other(ctx: ServiceContext) -> object:
        return "reached"

    bench = ServiceBench(a=[first, other], b=[back])
    found = failure(bench, "a.first@1")
    assert found.code == "unavailable"
    assert "call itself" in found.message

    @service("a.start@1", kind="read")
    async def start(ctx: ServiceContext) -> object:
        return await ctx.call("b.back@1", {"to": "a.other@1"})  # type: ignore[attr-defined]

    assert ServiceBench(a=[start, other], b=[back]).run("a.start@1") == "reached"


def test_eight_services_may_lie_inside_each_other_and_not_nine() -> None:
    def level(number: int, last: int) -> Any:
        @service(f"deep.level{number}@1", kind="read", name=f"level{number}")
        async def deeper(ctx: ServiceContext) -> object:
            if number == last:
                return number
            return await ctx.call(f"deep.level{number + 1}@1")  # type: ignore[attr-defined]

        return deeper

    assert ServiceBench(deep=[level(n, 8) for n in range(1, 9)]).run("deep.level1@1") == 8
    found = failure(ServiceBench(deep=[level(n, 9) for n in range(1, 10)]), "deep.level1@1")
    assert (found.code, found.is_refused) == ("unavailable", True)


@pytest.mark.parametrize("timeout_ms", [0, -1, 2**31, float("inf"), float("nan"), True, "5"])
def test_a_limit_that_is_none_is_refused(timeout_ms: Any) -> None:
    with pytest.raises(ToolError, match="timeout_ms"):
        ServiceBench(stock=[echo()]).run("stock.echo@1", {}, timeout_ms=timeout_ms)


def test_a_provider_that_takes_too_long_is_left_and_its_answer_dropped() -> None:
    is_over = threading.Event()

    @service("stock.slow@1", kind="write")
    def slow(ctx: ServiceContext) -> str:
        is_over.wait(5)
        return "late"

    bench = ServiceBench(stock=[slow])

    async def main() -> None:
        with pytest.raises(ServiceTimeout, match=r"stock\.slow@1 did not answer within 20 ms"):
            await bench.call("stock.slow@1", timeout_ms=20)
        assert bench.tasks.pending == ("service slow of stock",)
        assert bench.contexts[0].is_closed
        assert bench.contexts[0].signal.cancelled
        is_over.set()
        assert await bench.tasks.close(budget_s=2) == ()

    asyncio.run(main())
    assert [one.state for one in bench.scope.opened] == ["withdrawn"]
    assert bench.reports[0]["errorCode"] == "timeout"


def test_the_callers_signal_ends_the_call() -> None:
    @service("stock.wait@1", kind="read")
    async def wait(ctx: ServiceContext) -> None:
        await asyncio.Event().wait()

    bench = ServiceBench(stock=[wait])

    async def main() -> None:
        signal = CancelSignal()
        task = asyncio.ensure_future(bench.call("stock.wait@1", by=bench.caller(signal=signal)))
        await asyncio.sleep(0)
        signal.cancel("the player left")
        with pytest.raises(ServiceFailed) as caught:
            await task
        assert (caught.value.code, caught.value.is_refused) == ("cancelled", False)
        assert await bench.tasks.close(budget_s=1) == ()

    asyncio.run(main())


def test_a_cancelled_caller_takes_its_call_with_it() -> None:
    ends: list[str] = []

    @service("stock.wait@1", kind="write")
    async def wait(ctx: ServiceContext) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    bench = ServiceBench(stock=[wait])

    async def main() -> None:
        task = asyncio.ensure_future(bench.call("stock.wait@1"))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await bench.tasks.close(budget_s=1) == ()

    asyncio.run(main())
    assert ends == ["cancelled"]
    assert bench.reports[0]["errorCode"] == "cancelled"


@pytest.mark.parametrize(("kind", "most"), [("write", 1), ("read", 3)])
def test_writes_of_one_caller_to_one_provider_run_one_after_another(kind: Any, most: int) -> None:
    under_way, seen = [0], [0]

    @service("stock.count@1", kind=kind)
    async def count(ctx: ServiceContext) -> None:
        under_way[0] += 1
        seen.append(under_way[0])
        for _ in range(3):
            await asyncio.sleep(0)
        under_way[0] -= 1

    bench = ServiceBench(stock=[count])

    async def main() -> None:
        await asyncio.gather(*(bench.call("stock.count@1") for _ in range(3)))

    asyncio.run(main())
    assert max(seen) == most


def test_the_wait_for_a_turn_counts() -> None:
    @service("stock.hold@1", kind="write")
    async def hold(ctx: ServiceContext) -> None:
        await asyncio.Event().wait()

    bench = ServiceBench(stock=[hold])

    async def main() -> None:
        first = asyncio.ensure_future(bench.call("stock.hold@1"))
        await asyncio.sleep(0)
        with pytest.raises(ServiceTimeout):
            await bench.call("stock.hold@1", timeout_ms=10)
        assert len(bench.contexts) == 1
        first.cancel()
        await asyncio.wait({first})
        assert await bench.tasks.close(budget_s=1) == ()

    asyncio.run(main())


def test_a_left_provider_does_not_keep_its_turn() -> None:
    lives: list[bool] = [True]

    @service("stock.stubborn@1", kind="write")
    async def stubborn(ctx: ServiceContext) -> str:
        while lives[0]:
            try:
                await asyncio.sleep(0.001)
            except asyncio.CancelledError:
                continue
        return "late"

    bench = ServiceBench(stock=[stubborn, echo("stock.echo@1", kind="write")])

    async def main() -> None:
        with pytest.raises(ServiceTimeout):
            await bench.call("stock.stubborn@1", timeout_ms=5)
        assert await bench.call("stock.echo@1", {}) == {"value": {}, "caller": "trader"}
        lives[0] = False
        assert await bench.tasks.close(budget_s=1) == ()

    asyncio.run(main())
    assert [one.state for one in bench.scope.opened] == ["withdrawn", "kept"]


def test_only_a_write_that_succeeds_is_kept() -> None:
    bench = ServiceBench(
        stock=[echo("stock.read@1"), echo("stock.write@1", kind="write"), failing(ValueError("x"))]
    )
    bench.run("stock.read@1", {})
    bench.run("stock.write@1", {})
    failure(bench, "stock.fail@1")
    assert [(one.may_write, one.state) for one in bench.scope.opened] == [
        (False, "withdrawn"),
        (True, "kept"),
        (False, "withdrawn"),
    ]


def test_records_that_changed_meanwhile_are_a_conflict() -> None:
    bench = ServiceBench(stock=[echo(kind="write")])
    bench.scope.refuses = True
    found = failure(bench, "stock.echo@1", {})
    assert (found.code, found.is_refused) == ("conflict", True)


def test_a_nested_write_is_kept_in_its_callers_scope() -> None:
    @service("shop.sell@1", kind="write")
    async def sell(ctx: ServiceContext) -> object:
        return await ctx.call("stock.echo@1", {})  # type: ignore[attr-defined]

    bench = ServiceBench(shop=[sell], stock=[echo(kind="write")])
    assert bench.run("shop.sell@1") == {"value": {}, "caller": "shop"}
    (outer,) = bench.scope.opened
    assert [one.state for one in outer.opened] == ["kept"]
    assert [report.get("parentCallId") for report in bench.reports] == ["service-0-1", "call-1"]


def test_a_read_service_cannot_write_through_another() -> None:
    @service("shop.look@1", kind="read")
    async def look(ctx: ServiceContext) -> object:
        return await ctx.call("stock.echo@1", {})  # type: ignore[attr-defined]

    bench = ServiceBench(shop=[look], stock=[echo(kind="write")])
    assert failure(bench, "shop.look@1").code == "refused"


def test_a_run_that_cannot_change_data_calls_no_write_service() -> None:
    bench = ServiceBench(stock=[echo(kind="write"), echo("stock.read@1")])
    with pytest.raises(ToolError, match="it changes data") as caught:
        bench.run("stock.echo@1", {}, by=bench.caller(bar="run"))
    assert caught.value.code == "unavailable"
    assert bench.run("stock.read@1", {}, by=bench.caller(bar="run"))


def test_the_trace_names_both_sides() -> None:
    bench = ServiceBench(stock=[echo()])
    bench.run("stock.echo@1", {})
    (report,) = bench.reports
    del report["durationMs"]
    assert report == {
        "callId": "service-0-1",
        "parentCallId": "call-1",
        "callerPluginId": "trader",
        "providerPluginId": "stock",
        "name": "stock.echo",
        "contract": "stock.echo@1",
        "outcome": "completed",
    }
