"""Operations: writes of services that count with their caller, or not at all."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from covel_host.proposals.data_entries import DataEntry
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.operations import Operation, OperationEnded
from covel_host.proposals.staging import Staging
from covel_host.store.store import Store
from plugin_sdk.proposals import PluginData, PluginDataDelete, PluginDataUpdate
from plugin_sdk.values import JsonValue
from tests.proposals.builders import commit, note, refused, staged


class Records:
    """The stored records of one package."""

    def __init__(self, **rows: JsonValue) -> None:
        self.rows = rows

    async def get(self, namespace: str, key: str) -> DataEntry | None:
        return DataEntry(key, self.rows[key], 7) if key in self.rows else None

    async def list(self, namespace: str, *, after: str, limit: int) -> Sequence[DataEntry]:
        keys = sorted(key for key in self.rows if key > after)[:limit]
        return [DataEntry(key, self.rows[key], 7) for key in keys]


def staging(**packages: Records) -> Staging:
    return Staging(
        Records(),
        plugin_id="trader",
        runtime_id="trader/run",
        run_id="run-1",
        new_id=iter(f"proposal-{number}" for number in range(1_000)).__next__,
        source_of=packages.__getitem__,
    )


def put(key: str, value: JsonValue) -> PluginData:
    return PluginData(namespace="items", key=key, value=value)


def more(key: str, by: int = 1) -> PluginDataUpdate:
    return PluginDataUpdate(
        namespace="items", key=key, ops=[{"op": "increment", "path": "/count", "by": by}]
    )


async def shown(layer: Staging | Operation, plugin_id: str = "stock") -> dict[str, Any]:
    return {one.key: one.value for one in await layer.data_of(plugin_id).list("items")}


def test_what_is_kept_goes_down_one_layer_at_a_time() -> None:
    async def main() -> None:
        run = staging(stock=Records(rope={"count": 1}))
        call = run.open(may_write=False)
        service = call.open(may_write=True)
        await service.stage(more("rope"), plugin_id="stock")
        assert await shown(service) == {"rope": {"count": 2}}
        assert await shown(call) == {"rope": {"count": 1}}
        await service.keep()
        assert await shown(call) == {"rope": {"count": 2}}
        assert await shown(run) == {"rope": {"count": 1}}
        await call.keep()
        assert await shown(run) == {"rope": {"count": 2}}
        (kept,) = run.proposals
        assert (kept.plugin_id, kept.runtime_id, kept.run_id) == ("stock", "trader/run", "run-1")

    asyncio.run(main())


def test_what_is_withdrawn_leaves_no_trace() -> None:
    async def main() -> None:
        run = staging(stock=Records())
        call = run.open(may_write=False)
        service = call.open(may_write=True)
        await service.stage(put("rope", 1), plugin_id="stock")
        await service.keep()
        call.withdraw()
        assert await shown(run) == {}
        assert run.proposals == ()
        with pytest.raises(OperationEnded):
            await call.keep()
        late = call.open(may_write=True)
        await late.stage(put("rope", 2), plugin_id="stock")
        with pytest.raises(OperationEnded):
            await late.keep()

    asyncio.run(main())


def test_an_operation_sees_what_its_callers_and_the_run_wrote() -> None:
    async def main() -> None:
        run = staging(stock=Records(a=1))
        first = run.open(may_write=True)
        await first.stage(put("b", 2), plugin_id="stock")
        await first.keep()
        outer = run.open(may_write=True)
        await outer.stage(put("c", 3), plugin_id="stock")
        inner = outer.open(may_write=True)
        await inner.stage(PluginDataDelete(namespace="items", key="a"), plugin_id="stock")
        assert await shown(inner) == {"b": 2, "c": 3}
        assert await shown(outer) == {"a": 1, "b": 2, "c": 3}

    asyncio.run(main())


def test_a_write_that_does_not_apply_is_refused_at_once() -> None:
    async def main() -> None:
        operation = staging(stock=Records()).open(may_write=True)
        with pytest.raises(ProposalRefused) as caught:
            await operation.stage(more("rope"), plugin_id="stock")
        assert caught.value.code == "path-not-found"
        assert operation.proposals == ()

    asyncio.run(main())


def test_keeping_looks_again_at_what_changed_below() -> None:
    async def main() -> None:
        run = staging(stock=Records(rope={"count": 1}))
        one, other = run.open(may_write=True), run.open(may_write=True)
        await one.stage(more("rope"), plugin_id="stock")
        await one.stage(put("bell", 1), plugin_id="stock")
        await other.stage(PluginDataDelete(namespace="items", key="rope"), plugin_id="stock")
        await other.keep()
        with pytest.raises(ProposalRefused):
            await one.keep()
        assert await shown(run) == {}
        assert len(run.proposals) == 1

    asyncio.run(main())


def test_writes_of_several_packages_stand_or_fall_together() -> None:
    async def main() -> None:
        run = staging(stock=Records(), shop=Records(till={"count": 0}))
        operation = run.open(may_write=True)
        await operation.stage(put("rope", 1), plugin_id="stock")
        await operation.stage(more("till", 5), plugin_id="shop")
        await operation.keep()
        assert await shown(run) == {"rope": 1}
        assert await shown(run, "shop") == {"till": {"count": 5}}

    asyncio.run(main())


def test_the_runs_own_records_are_one_with_those_a_service_of_it_writes() -> None:
    async def main() -> None:
        run = staging()
        await run.stage([put("mine", 1)])
        operation = run.open(may_write=True)
        await operation.stage(put("other", 2), plugin_id="trader")
        await operation.keep()
        assert await run.plugin_data.get("items", "other") == 2
        assert await shown(run, "trader") == {"mine": 1, "other": 2}

    asyncio.run(main())


def test_reads_are_recorded_with_the_version_that_is_stored() -> None:
    async def main() -> None:
        run = staging(stock=Records(rope=1))
        outer = run.open(may_write=True)
        await outer.stage(put("bell", 1), plugin_id="stock")
        inner = outer.open(may_write=False)
        await inner.data_of("stock").get("items", "rope")
        await inner.data_of("stock").get("items", "bell")
        (read,) = run.reads.reads
        assert (read.kind, getattr(read, "key", None), getattr(read, "version", None)) == (
            "data",
            "rope",
            7,
        )

    asyncio.run(main())


def test_a_package_does_not_reach_the_frameworks_records() -> None:
    async def main() -> None:
        operation = staging(stock=Records()).open(may_write=True)
        hidden = PluginData.model_construct(namespace="_hidden.plans", key="k", value=1)
        with pytest.raises(ProposalRefused) as caught:
            await operation.stage(hidden, plugin_id="stock")
        assert caught.value.code == "reserved-namespace"

    asyncio.run(main())


def test_overlapping_writes_of_one_operation_keep_one_order() -> None:
    async def main() -> None:
        run = staging(stock=Records(rope={"count": 0}))
        operation = run.open(may_write=True)
        await asyncio.gather(*(operation.stage(more("rope"), plugin_id="stock") for _ in range(9)))
        await operation.keep()
        assert await shown(run) == {"rope": {"count": 9}}

    asyncio.run(main())


def test_a_providers_write_that_the_commit_refuses_is_told_as_the_providers(store: Store) -> None:
    ops = [{"op": "increment", "path": "/count", "by": 1}]
    write = staged("plugin.data.update", 2, namespace="items", key="rope", ops=ops)
    error = refused(store, commit(proposals=(note(), replace(write, plugin_id="stock"))))
    assert [(one.plugin_id, one.runtime_id) for one in error.failed] == [("stock", "echo-demo")]
