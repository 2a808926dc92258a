"""Every kind of problem that only loading finds has a package and the exact text shown for it."""

import asyncio
import os
import re
import shutil
from pathlib import Path

import pytest

from covel_host.catalog.building import load_into, read_catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.load_results import LoadResults
from covel_host.catalog.trust import TrustPolicy
from covel_host.diagnostics.code_table import ALL_CODES
from covel_host.diagnostics.code_table_worlds import WORLDS
from covel_host.diagnostics.formats import format_full, format_json

GOLDEN = Path(__file__).parents[1] / "golden"
CASES = sorted(folder.name for folder in (GOLDEN / "loading").iterdir())
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


def shown(name: str, folder: Path) -> tuple[str, ...]:
    """What loading the package of a case shows, as text and as JSON."""
    shutil.copytree(GOLDEN / "loading" / name / "moss-ledger", folder / "moss-ledger")
    trusted = {} if name == "code-not-trusted" else {"moss-ledger": "--trust"}

    async def load() -> tuple[str, ...]:
        catalog = await load_into(
            read_catalog(discover([PluginFolder(folder, "community")])),
            ["moss-ledger"],
            trust=TrustPolicy(trusted),
            results=LoadResults(folder / "results.json"),
            limit_s=0.5 if name == "entry-timeout" else 15,
        )
        state = catalog.packages["moss-ledger"]
        assert name in [found.name for found in state.diagnostics]
        text = format_full(
            state.diagnostics, sources=lambda plugin, file: state.reading.source(file)
        )
        await catalog.close()
        # How long a load took differs from run to run.
        shown = (text, format_json(state.diagnostics, packages=1))
        return tuple(re.sub(r"[\d,]+ ms", "N ms", each) for each in shown)

    return asyncio.run(load())


@pytest.mark.parametrize("name", CASES)
def test_a_problem_of_loading_is_shown_as_expected(name: str, tmp_path: Path) -> None:
    for text, file in zip(shown(name, tmp_path), ("expected.txt", "expected.json"), strict=True):
        expected = GOLDEN / "loading" / name / file
        if UPDATE:
            expected.write_text(text, encoding="utf-8")
        assert text == expected.read_text(encoding="utf-8")


def test_every_code_has_a_golden_folder() -> None:
    kinds = (GOLDEN / "diagnostics", GOLDEN / "loading")
    folders = {folder.name for kind in kinds for folder in kind.iterdir()}
    worlds = {info.name for info in WORLDS}
    assert {info.name for info in ALL_CODES} - worlds - folders == set()
