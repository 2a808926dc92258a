import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from covel_host.catalog.building import load_into, read_catalog
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder, PluginSource
from covel_host.catalog.load_results import LoadResults
from covel_host.catalog.sources import PackageSources, read_sources
from covel_host.catalog.trust import TrustPolicy, trust_advice
from tests.catalog.builders import entry_source, leftovers, tools_manifest, write_package

TRUST_ALL = TrustPolicy(dict.fromkeys(("good", "bad", "plain", "broken"), "--trust"))


def read(root: Path, source: PluginSource = "community") -> Catalog:
    return read_catalog(discover([PluginFolder(root / "plugins", source)]))


def loaded(
    catalog: Catalog, root: Path, plugin_ids: Sequence[str], trust: TrustPolicy = TRUST_ALL
) -> Catalog:
    async def run() -> Catalog:
        results = LoadResults(root / "loads.json")
        result = await load_into(catalog, plugin_ids, trust=trust, results=results)
        await result.close()
        return result

    return asyncio.run(run())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    plugins = tmp_path / "plugins"
    good = {"server/index.py": entry_source("count")}
    write_package(plugins / "good", good, manifest=tools_manifest("count"))
    write_package(plugins / "bad", {"server/index.py": "raise ValueError('no')"})
    write_package(plugins / "broken", {}, manifest="kind: [\n")
    write_package(plugins / "plain", {"tests/test_plain.py": "raise ValueError"})
    return tmp_path


def status(catalog: Catalog) -> dict[str, str]:
    return {plugin_id: state.status for plugin_id, state in catalog.packages.items()}


def test_reading_runs_no_code_and_lists_everything(root: Path) -> None:
    catalog = read(root)
    assert status(catalog) == {
        "bad": "discovered",
        "broken": "error",
        "good": "discovered",
        "plain": "discovered",
    }
    assert catalog.packages["broken"].diagnostics != ()
    assert list(catalog.generations()) == []


def test_a_bad_package_stops_no_other(root: Path) -> None:
    before = read(root)
    catalog = loaded(before, root, ["bad", "broken", "unheard-of", "good", "plain"])
    assert status(catalog) == {
        "bad": "error",
        "broken": "error",
        "good": "loaded",
        "plain": "loaded",
    }
    assert [found.name for found in catalog.packages["bad"].diagnostics] == ["entry-import-failed"]
    assert list(catalog.tools("good")) == ["count"]
    assert catalog.tools("bad") == {}
    assert catalog.tools("unheard-of") == {}
    assert status(before)["good"] == "discovered"
    assert leftovers("good") == leftovers("bad") == []


def test_only_the_named_packages_are_loaded(root: Path) -> None:
    assert status(loaded(read(root), root, ["good"]))["bad"] == "discovered"


def test_code_that_nobody_trusts_does_not_run(root: Path) -> None:
    catalog = loaded(read(root), root, ["good", "bad", "plain"], TrustPolicy())
    assert status(catalog) == {
        "bad": "untrusted",
        "broken": "error",
        "good": "untrusted",
        # Its only module is a test, which the host never runs.
        "plain": "loaded",
    }
    [found] = catalog.packages["bad"].diagnostics
    assert (found.name, found.severity) == ("code-not-trusted", "info")
    assert found.hint == trust_advice("bad")


@pytest.mark.parametrize(
    "manifest",
    [
        "runtime:\n  schedule: {trigger: {type: manual}}\n  function: {handler: handle.py}\n",
        "runtime:\n  schedule: {trigger: {type: manual}}\n  guard: handle.py\n",
    ],
)
def test_a_runtimes_code_needs_trust_as_well(tmp_path: Path, manifest: str) -> None:
    write_package(tmp_path / "plugins" / "coded", {"handle.py": ""}, manifest=manifest)
    catalog = read(tmp_path)
    assert status(catalog) == {"coded": "discovered"}, catalog.packages["coded"].diagnostics
    assert status(loaded(catalog, tmp_path, ["coded"])) == {"coded": "untrusted"}


def test_bundled_code_runs(root: Path) -> None:
    catalog = loaded(read(root, "builtin"), root, ["good"], TrustPolicy())
    assert status(catalog)["good"] == "loaded"


def test_a_loaded_package_stays_as_it_is(root: Path) -> None:
    async def run() -> None:
        results = LoadResults(root / "loads.json")
        first = await load_into(read(root), ["good"], trust=TRUST_ALL, results=results)
        second = await load_into(first, ["good", "plain"], trust=TRUST_ALL, results=results)
        assert second.packages["good"] is first.packages["good"]
        assert status(second)["plain"] == "loaded"
        await second.close()

    asyncio.run(run())


def test_a_package_that_failed_is_loaded_again_when_asked(root: Path) -> None:
    catalog = loaded(read(root), root, ["bad"])
    (root / "plugins/bad/server/index.py").write_text("")
    again = loaded(catalog, root, ["bad"])
    assert status(again)["bad"] == "loaded"
    assert again.packages["bad"].diagnostics == ()


def test_sources_that_cannot_be_read_are_an_error(root: Path) -> None:
    (root / "plugins/good/server/more.py").symlink_to(root)
    catalog = loaded(read(root), root, ["good"])
    state = catalog.packages["good"]
    assert state.status == "error"
    assert {found.file for found in state.diagnostics} >= {"server/more.py"}


def test_the_result_of_every_load_is_kept(root: Path) -> None:
    loaded(read(root), root, ["good", "bad"])
    results = LoadResults(root / "loads.json")
    for plugin_id, expected in (("good", "loaded"), ("bad", "error")):
        content_hash = read_sources(root / "plugins" / plugin_id).content_hash
        last = results.last(plugin_id, content_hash)
        assert last is not None
        assert last.status == expected
    assert last is not None
    assert last.problems == (
        "server/index.py:1: The entry 'server/index.py' was not imported: ValueError: no.",
    )


def test_declarations_and_code_are_of_one_state_whatever_was_read_before(root: Path) -> None:
    before = read(root)
    package = root / "plugins" / "good"
    manifest = tools_manifest("count", "tally") + "version: 2.0.0\n"
    write_package(package, {"server/index.py": entry_source("count", "tally")}, manifest=manifest)
    catalog = loaded(before, root, ["good"])
    state = catalog.packages["good"]
    assert state.status == "loaded", state.diagnostics
    assert list(catalog.tools("good")) == ["count", "tally"]
    assert state.reading.manifest is not None
    assert state.reading.manifest.version == "2.0.0"
    assert state.generation is not None
    assert state.generation.content_hash == read_sources(package).content_hash


def test_a_manifest_that_broke_meanwhile_keeps_the_code_from_running(root: Path) -> None:
    before = read(root)
    write_package(root / "plugins" / "good", {}, manifest="kind: [\n")
    assert status(loaded(before, root, ["good"]))["good"] == "error"


def test_a_package_that_is_written_again_and_again_is_not_loaded(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read(root)
    versions = itertools.count(1)

    def read_and_write(folder: Path) -> PackageSources:
        write()
        sources = read_sources(folder)
        write()
        return sources

    def write() -> None:
        manifest = f"{tools_manifest('count')}version: 1.0.{next(versions)}\n"
        write_package(root / "plugins" / "good", {}, manifest=manifest)

    monkeypatch.setattr("covel_host.catalog.building.read_sources", read_and_write)
    catalog = loaded(before, root, ["good"])
    (found,) = catalog.packages["good"].diagnostics
    assert (found.name, found.message) == (
        "file-unreadable",
        "The package's files change while they are read.",
    )
