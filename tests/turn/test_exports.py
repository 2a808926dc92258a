"""An output recorded under a name is an input of later executions, as it was at their start."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.host import Host
from covel_host.turn.admission import ManualRequest
from tests.proposals.builders import exports as kept_exports
from tests.support.hosts import opened
from tests.support.packages import write_package
from tests.support.replies import say

CLOCK = {"type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"]}


def clock(home: Path, schema: Any = CLOCK) -> None:
    write_package(
        home / "plugins" / "clock",
        io={
            "output": {"schema": "./clock.schema.json", "recordAs": "hour"},
            "inputs": {
                "before": {"from": {"runtime": "clock"}, "scope": "committed", "recordAs": "hour"}
            },
        },
        files={"clock.schema.json": json.dumps(schema)},
    )


async def ran(host: Host, session_id: str | None = None) -> Any:
    return await host.run(ManualRequest(target="clock", session_id=session_id))


def exports(host: Host, session_id: str) -> list[tuple[str, str, int, Any]]:
    found = host.ports.store.read_now(lambda reading: kept_exports(reading, session_id))
    return [(each.producer_id, each.name, each.number, each.value) for each in found]


def bound(request: Any) -> str:
    texts = [message.text for message in request.messages if "<runtime-exports" in message.text]
    return texts[0] if texts else ""


def test_an_export_is_read_by_the_next_execution_and_not_by_its_own(tmp_path: Path) -> None:
    clock(tmp_path)

    async def main() -> Any:
        async with opened(tmp_path, say('{"hour": 3}'), say('{"hour": 4}')) as host:
            first = await ran(host)
            stored = exports(host, first.session_id)
            second = await ran(host, first.session_id)
            assert (first.committed, second.committed) == (True, True)
            requests = host.ports.gateway.requests  # type: ignore[attr-defined]
            return stored, exports(host, first.session_id), [bound(each) for each in requests]

    first, second, prompts = asyncio.run(main())
    assert first == [("clock", "hour", 1, {"hour": 3})]
    assert second == [("clock", "hour", 2, {"hour": 4})]
    assert prompts[0] == ""
    assert '"hour": 3' in prompts[1] or '"hour":3' in prompts[1]


def test_an_export_that_no_longer_fits_its_schema_is_left_out(tmp_path: Path) -> None:
    clock(tmp_path)

    async def main() -> Any:
        async with opened(tmp_path, say('{"hour": 3}'), say('{"minute": 4}')) as host:
            first = await ran(host)
            clock(tmp_path, {**CLOCK, "required": ["minute"]})
            assert (await host.ports.catalogs.reload("clock")).is_swapped
            await ran(host, first.session_id)
            requests = host.ports.gateway.requests  # type: ignore[attr-defined]
            return [bound(each) for each in requests]

    assert asyncio.run(main()) == ["", ""]


def test_an_export_that_cannot_be_stored_warns_and_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock(tmp_path)
    monkeypatch.setattr("covel_host.proposals.export_writes.MAX_PLUGIN_DATA_VALUE_BYTES", 3)

    async def main() -> Any:
        async with opened(tmp_path, say('{"hour": 3}')) as host:
            report = await ran(host)
            return report, exports(host, report.session_id)

    report, stored = asyncio.run(main())
    assert (report.committed, stored) == (True, [])
    assert "the limit for one value is 3 bytes" in report.result.warnings[-1]
