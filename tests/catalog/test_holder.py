import asyncio
import gc
import shutil
import weakref
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from covel_host.base.clock import SystemClock
from covel_host.catalog.building import CatalogLoader, read_catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.generation import Generation
from covel_host.catalog.holder import RETRY_AFTER_S, CatalogHolder
from covel_host.catalog.load_results import LoadResults
from covel_host.catalog.sources import read_sources
from covel_host.catalog.trust import TrustPolicy
from covel_host.catalog.trust_records import TrustFile
from plugin_sdk.testing import ManualClock
from tests.catalog.builders import entry_source, leftovers, tools_manifest, write_package

MOSS, FERN = "moss-ledger", "fern-notes"


class House:
    """A folder of packages and a holder over it."""

    def __init__(self, root: Path, *, clock: ManualClock | None = None) -> None:
        self.root = root / "plugins"
        self.folders: Sequence[PluginFolder] = (
            PluginFolder(self.root, "builtin"),
            PluginFolder(root / "user", "builtin"),
        )
        self.loader = CatalogLoader(
            trust=TrustPolicy(), results=LoadResults(root / "loads.json"), folders=self.folders
        )
        self._clock = clock

    def write(self, plugin_id: str = MOSS, *, value: int = 0, body: str = "") -> None:
        source = entry_source("count", body=body).replace("return 0", f"return {value}")
        self.write_source(source, plugin_id)

    def write_source(self, source: str, plugin_id: str = MOSS) -> None:
        write_package(
            self.root / plugin_id, {"server/index.py": source}, manifest=tools_manifest("count")
        )

    def open(self) -> CatalogHolder:
        catalog = read_catalog(discover(self.folders))
        return CatalogHolder(catalog, self.loader, clock=self._clock)


def held(house: House, work: Callable[[CatalogHolder], Awaitable[None]]) -> None:
    """Run `work` with an open holder; nothing of any package is left when it has closed."""

    async def run() -> None:
        holder = house.open()
        try:
            await work(holder)
        finally:
            await holder.close()

    asyncio.run(run())
    assert leftovers(MOSS) == []
    assert leftovers(FERN) == []


def generation(holder: CatalogHolder, plugin_id: str = MOSS) -> Generation:
    found = holder.current.packages[plugin_id].generation
    assert found is not None
    return found


def count(holder: CatalogHolder) -> Any:
    return generation(holder).tools["count"]()


def serials(plugin_id: str = MOSS) -> int:
    """How many generations of a package the interpreter still has modules of."""
    modules = [name for name in leftovers(plugin_id) if name.startswith("covel_packages.")]
    return len({name.split(".")[1] for name in modules})


async def settled() -> None:
    """Let clean-ups that were started come to their end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others, timeout=10)


def test_nothing_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write()
    house.write(FERN)

    async def work(holder: CatalogHolder) -> None:
        assert leftovers(MOSS) == []
        before = holder.current
        after = await holder.need([MOSS, "unknown"])
        assert after is holder.current is not before
        assert before.packages[MOSS].status == "discovered"
        assert after.packages[MOSS].status == "loaded"
        assert after.packages[FERN].status == "discovered"
        assert leftovers(FERN) == []
        assert await holder.need([MOSS]) is after

    held(house, work)


def test_two_needs_at_once_load_once(tmp_path: Path, meeting: Any) -> None:
    house = House(tmp_path)
    house.write(body="import meeting\nmeeting.seen.append('import')\n")

    async def work(holder: CatalogHolder) -> None:
        await asyncio.gather(*(holder.need([MOSS]) for _ in range(5)))
        assert meeting.seen == ["import"]
        assert generation(holder).number == 1

    held(house, work)


def test_a_hanging_package_holds_up_no_other(tmp_path: Path, meeting: Any) -> None:
    house = House(tmp_path)
    house.write(body="import meeting\nmeeting.entered.set()\nmeeting.gate.wait(30)\n")
    house.write(FERN)

    async def work(holder: CatalogHolder) -> None:
        first = asyncio.ensure_future(holder.need([MOSS]))
        assert await asyncio.to_thread(meeting.entered.wait, 10)
        await holder.need([FERN])
        assert (await holder.reload(FERN)).is_swapped
        assert not first.done()
        meeting.gate.set()
        catalog = await first
        assert catalog.packages[FERN].status == catalog.packages[MOSS].status == "loaded"
        assert generation(holder, FERN).number == 2

    held(house, work)


def test_a_cancelled_need_leaves_the_load_to_who_waits(tmp_path: Path, meeting: Any) -> None:
    house = House(tmp_path)
    house.write(body="import meeting\nmeeting.entered.set()\nmeeting.gate.wait(30)\n")

    async def work(holder: CatalogHolder) -> None:
        first = asyncio.ensure_future(holder.need([MOSS]))
        assert await asyncio.to_thread(meeting.entered.wait, 10)
        second = asyncio.ensure_future(holder.need([MOSS]))
        await asyncio.sleep(0)
        first.cancel()
        meeting.gate.set()
        await second
        assert first.cancelled()
        assert generation(holder).number == 1

    held(house, work)


def test_a_package_that_failed_is_left_alone_for_a_while(tmp_path: Path, meeting: Any) -> None:
    clock = ManualClock()
    house = House(tmp_path, clock=clock)
    house.write_source("import meeting\nmeeting.seen.append('try')\nraise ValueError('no')\n")

    async def work(holder: CatalogHolder) -> None:
        for expected in (1, 1):
            assert (await holder.need([MOSS])).packages[MOSS].status == "error"
            assert len(meeting.seen) == expected
        clock.advance(RETRY_AFTER_S)
        await holder.need([MOSS])
        assert len(meeting.seen) == 2
        outcome = await holder.reload(MOSS)
        assert len(meeting.seen) == 3
        assert not outcome.is_swapped
        house.write()
        assert (await holder.reload(MOSS)).is_swapped
        assert generation(holder).number == 1

    held(house, work)


def test_a_package_that_was_repaired_is_read_anew_when_it_is_tried_again(tmp_path: Path) -> None:
    clock = ManualClock()
    house = House(tmp_path, clock=clock)
    write_package(house.root / MOSS, {}, manifest="kind: [\n")

    async def work(holder: CatalogHolder) -> None:
        assert (await holder.need([MOSS])).packages[MOSS].status == "error"
        house.write(value=3)
        assert (await holder.need([MOSS])).packages[MOSS].status == "error"
        clock.advance(RETRY_AFTER_S)
        await holder.need([MOSS])
        assert count(holder) == 3

    held(house, work)


def test_an_untrusted_package_is_loaded_once_it_is_trusted(tmp_path: Path) -> None:
    house = House(tmp_path)
    source = {"server/index.py": entry_source("count")}
    write_package(house.root / MOSS, source, manifest=tools_manifest("count"))
    house.folders = [PluginFolder(house.root, "community")]
    house.loader = CatalogLoader(
        trust=TrustPolicy(), results=LoadResults(tmp_path / "loads.json"), folders=house.folders
    )

    async def work(holder: CatalogHolder) -> None:
        assert (await holder.need([MOSS])).packages[MOSS].status == "untrusted"
        assert leftovers(MOSS) == []
        house.loader.trust = TrustPolicy({MOSS: "--trust"})
        assert (await holder.need([MOSS])).packages[MOSS].status == "loaded"

    held(house, work)


def test_a_reload_swaps_and_ends_the_old_generation(tmp_path: Path, meeting: Any) -> None:
    house = House(tmp_path)
    unload = "@hookimpl\ndef on_unload(covel):\n    import meeting\n    meeting.seen.append({})\n"
    house.write(value=1, body=unload.format(1))

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        house.write(value=2, body=unload.format(2))
        outcome = await holder.reload(MOSS)
        assert outcome.is_swapped
        assert outcome.before is not None
        assert outcome.before.generation is not None
        assert outcome.after is holder.current.packages[MOSS]
        assert (count(holder), generation(holder).number) == (2, 2)
        await settled()
        assert meeting.seen == [1]
        assert serials() == 1

    held(house, work)
    assert meeting.seen == [1, 2]


def test_every_module_of_a_package_is_replaced(tmp_path: Path) -> None:
    house = House(tmp_path)
    source = entry_source("count", body="from .deep import VALUE\n").replace(
        "return 0", "return VALUE"
    )
    house.write_source(source)
    deep = house.root / MOSS / "server/deep.py"
    deep.write_text("from ..tools.notes import VALUE\n")
    (house.root / MOSS / "tools").mkdir()
    notes = house.root / MOSS / "tools/notes.py"
    notes.write_text("VALUE = 1\n")

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        assert count(holder) == 1
        notes.write_text("VALUE = 2\n")
        await holder.reload(MOSS)
        assert count(holder) == 2

    held(house, work)


def test_equal_module_names_of_two_packages_do_not_meet(tmp_path: Path) -> None:
    house = House(tmp_path)
    for number, plugin_id in enumerate((MOSS, FERN)):
        house.write_source(
            entry_source("count", body="from .notes import VALUE\n").replace(
                "return 0", "return VALUE"
            ),
            plugin_id,
        )
        (house.root / plugin_id / "server/notes.py").write_text(f"VALUE = {number}\n")

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS, FERN])
        assert count(holder) == 0
        assert generation(holder, FERN).tools["count"]() == 1

    held(house, work)


BROKEN = {
    "import": "raise ValueError('no')\n",
    "syntax": "def (\n",
    "registration": entry_source("other"),
    "on_load": entry_source("count", body="@hookimpl\ndef on_load(): raise ValueError('no')\n"),
}


@pytest.mark.parametrize("phase", BROKEN)
def test_a_reload_that_fails_keeps_the_last_good_generation(phase: str, tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write(value=1)

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        good = holder.current
        house.write_source(BROKEN[phase])
        outcome = await holder.reload(MOSS)
        assert not outcome.is_swapped
        assert outcome.after is not None
        assert outcome.after.status == "error"
        assert any(found.blocks_loading for found in outcome.diagnostics)
        assert holder.current is good
        assert count(holder) == 1
        assert serials() == 1

    held(house, work)


def test_a_broken_manifest_keeps_the_last_good_generation(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write(value=1)

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        (house.root / MOSS / "PLUGIN.md").write_text("---\ndescription: [\n---\n")
        outcome = await holder.reload(MOSS)
        assert not outcome.is_swapped
        assert count(holder) == 1

    held(house, work)


def test_a_leased_generation_ends_with_its_last_lease(tmp_path: Path, meeting: Any) -> None:
    house = House(tmp_path)
    house.write(
        value=1,
        body="@hookimpl\ndef on_unload():\n    import meeting\n    meeting.seen.append(1)\n",
    )

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        first, second = holder.lease(), holder.lease()
        house.write(value=2)
        await holder.reload(MOSS)
        with holder.lease() as newer:
            assert newer.catalog.tools(MOSS)["count"]() == 2
        assert first.catalog.tools(MOSS)["count"]() == 1
        first.release()
        first.release()
        await settled()
        assert meeting.seen == []
        assert serials() == 2
        second.release()
        await settled()
        assert meeting.seen == [1]
        assert serials() == 1

    held(house, work)


def test_a_lease_of_another_catalog_holds_the_generations_it_shares(
    tmp_path: Path, meeting: Any
) -> None:
    """Counted per generation: replacing one package ends nothing of the others."""
    house = House(tmp_path)
    unload = "@hookimpl\ndef on_unload():\n    import meeting\n    meeting.seen.append('fern')\n"
    house.write()
    house.write(FERN, body=unload)

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS, FERN])
        old = holder.lease()
        await holder.reload(MOSS)
        new = holder.lease()
        old.release()
        await holder.reload(FERN)
        await settled()
        assert meeting.seen == []
        assert new.catalog.tools(FERN)["count"]() == 0
        new.release()
        await settled()
        assert meeting.seen == ["fern"]

    held(house, work)


def test_a_lease_that_ends_by_an_error_counts_too(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write()

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        lease = holder.lease()
        await holder.reload(MOSS)
        with pytest.raises(ZeroDivisionError), lease:
            _ = 1 / 0
        await settled()
        assert serials() == 1

    held(house, work)


def test_a_package_that_is_gone_or_disabled_leaves_the_catalog(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write()
    house.write(FERN)

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS, FERN])
        (house.root / MOSS / "PLUGIN.md.disabled").write_text("")
        shutil.rmtree(house.root / FERN)
        for plugin_id in (MOSS, FERN):
            outcome = await holder.reload(plugin_id)
            assert (outcome.after, outcome.is_swapped) == (None, False)
            assert outcome.before is not None
        await settled()
        assert dict(holder.current.packages) == {}
        assert serials() == serials(FERN) == 0
        (house.root / MOSS / "PLUGIN.md.disabled").unlink()
        assert (await holder.reload(MOSS)).is_swapped
        assert generation(holder).number == 2
        assert (await holder.reload("never-there")).before is None

    held(house, work)


def test_a_new_package_takes_its_place_in_order(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write("b-two")
    write_package(tmp_path / "user/a-user", {})

    async def work(holder: CatalogHolder) -> None:
        house.write("c-three")
        house.write("a-one")
        for plugin_id in ("c-three", "a-one"):
            outcome = await holder.reload(plugin_id)
            assert (outcome.before, outcome.is_swapped) == (None, True)
        assert list(holder.current.packages) == ["a-one", "b-two", "c-three", "a-user"]
        assert list(holder.current.packages) == list(read_catalog(discover(house.folders)).packages)

    held(house, work)


def test_what_a_removed_package_hid_comes_forward(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write()
    write_package(tmp_path / "user" / MOSS, {})

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        assert [found.name for found in holder.current.diagnostics] == ["duplicate-package"]
        shutil.rmtree(house.root / MOSS)
        outcome = await holder.reload(MOSS)
        assert outcome.is_swapped
        assert holder.current.packages[MOSS].found.folder == tmp_path / "user"
        assert holder.current.diagnostics == ()

    held(house, work)


def test_what_was_not_loaded_before_shows_what_came_of_it(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write()

    async def work(holder: CatalogHolder) -> None:
        house.write_source("raise ValueError('no')\n")
        outcome = await holder.reload(MOSS)
        assert not outcome.is_swapped
        assert holder.current.packages[MOSS] is outcome.after

    held(house, work)


def test_a_closed_holder_publishes_nothing_any_more(tmp_path: Path, meeting: Any) -> None:
    house = House(tmp_path)
    house.write(body="import meeting\nmeeting.entered.set()\nmeeting.gate.wait(30)\n")

    async def run() -> None:
        holder = house.open()
        loading = asyncio.ensure_future(holder.reload(MOSS))
        assert await asyncio.to_thread(meeting.entered.wait, 10)
        await holder.close()
        meeting.gate.set()
        outcome = await loading
        assert not outcome.is_swapped
        await settled()
        assert dict(holder.current.packages) == {}
        await holder.close()

    asyncio.run(run())
    assert leftovers(MOSS) == []


def test_closing_ends_leased_generations_too(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write()

    async def run() -> None:
        holder = house.open()
        await holder.need([MOSS])
        lease = holder.lease()
        await holder.reload(MOSS)
        await holder.close()
        assert leftovers(MOSS) == []
        lease.release()

    asyncio.run(run())


def test_a_clean_up_that_blocks_holds_up_no_reload(tmp_path: Path, meeting: Any) -> None:
    house = House(tmp_path)
    blocking = "@hookimpl\ndef on_unload():\n    import meeting\n    meeting.gate.wait(30)\n"
    house.write(body=blocking)

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        house.write(value=2)
        assert (await holder.reload(MOSS)).is_swapped
        assert count(holder) == 2
        meeting.gate.set()

    held(house, work)


def test_an_in_flight_call_ends_on_its_own_generation(tmp_path: Path, meeting: Any) -> None:
    house = House(tmp_path)
    late = "def late():\n    from . import helper\n    return helper.VALUE\n"
    source = entry_source("count", body=late).replace("return 0", "return late()")
    house.write_source(source)
    helper = house.root / MOSS / "server/helper.py"
    helper.write_text("VALUE = 'old'\n")

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        with holder.lease() as lease:
            helper.write_text("VALUE = 'new'\n")
            await holder.reload(MOSS)
            # The first import of the helper by the old generation comes after the edit.
            assert lease.catalog.tools(MOSS)["count"]() == "old"
            assert count(holder) == "new"

    held(house, work)


def test_a_generation_that_ended_is_let_go(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.write(body="class Sentinel: ...\nSENTINEL = Sentinel()\n")

    async def work(holder: CatalogHolder) -> None:
        await holder.need([MOSS])
        function: Any = generation(holder).tools["count"].function
        sentinel = weakref.ref(function.__globals__["SENTINEL"])
        del function
        await holder.reload(MOSS)
        await settled()
        gc.collect()
        assert sentinel() is None

    held(house, work)


def test_code_that_is_no_longer_allowed_serves_no_other_execution(
    tmp_path: Path, meeting: Any
) -> None:
    house = House(tmp_path)
    house.folders = tuple(replace(folder, source="community") for folder in house.folders)
    grants = TrustFile(tmp_path / "trust.json")
    house.loader = CatalogLoader(
        trust=TrustPolicy(file=grants),
        results=LoadResults(tmp_path / "loads.json"),
        folders=house.folders,
    )
    house.write(
        body="import meeting\n@hookimpl\ndef on_unload():\n    meeting.seen.append('end')\n"
    )
    granted = read_sources(house.root / MOSS).content_hash

    async def work(holder: CatalogHolder) -> None:
        at = SystemClock().now()
        assert (await holder.need([MOSS])).packages[MOSS].status == "untrusted"
        grants.grant(MOSS, content_hash=granted, at=at)
        assert (await holder.need([MOSS])).packages[MOSS].status == "loaded"
        with holder.lease() as lease:
            grants.end(MOSS, content_hash=granted, ended="revoked", at=at)
            assert (await holder.need([MOSS])).packages[MOSS].status == "untrusted"
            held_tools = lease.catalog.tools(MOSS)
            assert held_tools["count"]() == 0
            assert meeting.seen == []
        await settled()
        assert meeting.seen == ["end"]

    held(house, work)
