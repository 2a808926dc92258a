"""Packages for tests, written to a folder, and what comes of loading them."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from covel_host.catalog import registration
from covel_host.catalog.loading import ENTRY_LIMIT_S, LoadOutcome, load_package
from covel_host.catalog.sources import read_sources
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest import served
from covel_host.manifest.package import read_package

TOOL = '''
@tool
def {name}() -> int:
    """Counts."""
    return {value}
'''


def write_package(root: Path, files: dict[str, str], *, manifest: str = "") -> Path:
    """A package at `root`; `manifest` are lines of its frontmatter."""
    files = {"PLUGIN.md": f"---\ndescription: A test\n{manifest}---\n", **files}
    for relative, text in files.items():
        path = root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def entry_source(*tools: str, body: str = "") -> str:
    """An entry module that registers `tools`, `body` in front of the hook."""
    made = "".join(TOOL.format(name=name, value=place) for place, name in enumerate(tools))
    return (
        "from plugin_sdk import hookimpl, tool\n"
        f"{made}{body}\n"
        f"@hookimpl\ndef register_tools():\n    return [{', '.join(tools)}]\n"
    )


def tools_manifest(*names: str) -> str:
    """The lines of `contributes.tools`."""
    return f"contributes:\n  tools: [{', '.join(names)}]\n"


async def load(root: Path, *, limit_s: float = ENTRY_LIMIT_S, number: int = 1) -> LoadOutcome:
    """The package at `root`, read and loaded."""
    reading = read_package(root)
    return await load_package(reading, read_sources(root), number=number, limit_s=limit_s)


def load_now(root: Path, *, limit_s: float = ENTRY_LIMIT_S) -> LoadOutcome:
    """`load` in an event loop of its own; a generation has ended again on return."""

    async def load_and_end() -> LoadOutcome:
        outcome = await load(root, limit_s=limit_s)
        if outcome.generation is not None:
            await outcome.generation.dispose()
        return outcome

    return asyncio.run(load_and_end())


def load_entry(root: Path, source: str, **files: str) -> LoadOutcome:
    """A package that is an entry module and, by name, further ones beside it."""
    beside = {f"server/{name}.py": text for name, text in files.items()}
    return load_now(write_package(root / "moss-ledger", {"server/index.py": source, **beside}))


def only(outcome: LoadOutcome) -> Diagnostic:
    """The one problem of a load that failed."""
    assert outcome.generation is None
    assert len(outcome.diagnostics) == 1, outcome.diagnostics
    return outcome.diagnostics[0]


def names(outcome: LoadOutcome) -> list[str]:
    """The kinds of problems found, sorted."""
    return sorted(found.name for found in outcome.diagnostics)


def leftovers(plugin_id: str) -> list[str]:
    """Everything of a package that the interpreter still holds."""
    stem = plugin_id.replace("-", "_") + "_g"
    top = sys.modules.get("covel_packages")
    return [
        *(name for name in sys.modules if name.startswith(f"covel_packages.{stem}")),
        *(name for name in vars(top or object) if name.startswith(stem)),
        *(
            str(finder)
            for finder in sys.meta_path
            if getattr(finder, "name", "").startswith(f"covel_packages.{stem}")
        ),
    ]


def refuse_kinds(monkeypatch: pytest.MonkeyPatch, table: Mapping[str, str]) -> None:
    """Let the host refuse the code contributions of `table` and serve every other kind."""
    for module in (served, registration):
        monkeypatch.setattr(module, "CODE_CONTRIBUTIONS", table)
