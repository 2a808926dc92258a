"""What validating many packages costs, beside reading and parsing their files and doing no more."""

import gc
import importlib
import json
import os
import tempfile
import textwrap
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson
import yaml

from benchmarks.rounds import median_times, table, verdict
from covel_host.manifest.validation import validate_folder
from covel_host.manifest.validation_cache import SETTLED_NS, ValidationCache

PACKAGES: Final = 1_000
GOAL_FIRST: Final = 2.5
GOAL_UNCHANGED: Final = 0.2
GOAL_KEPT_MB: Final = 10.0
SETTING: Final = (
    f"{PACKAGES:,} packages, each with a root manifest, two runtimes and two JSON Schemas; in the "
    "second table with an entry module of two tools, too. Floor: list the folders, read every "
    "file, parse the YAML with the C loader and the schemas with orjson, one process. Peer: npe2 "
    "reads as many manifests of its own format, one small file each, beside a floor of its own."
)
PEER: Final = "peer: npe2, one small manifest each"
PEER_FLOOR: Final = "read, C loader (floor of npe2)"
FLOOR: Final = "scandir, read, C loader, orjson (floor)"
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Reading = Callable[[], object]


def report() -> str:
    """The section of RESULTS.md."""
    parts = ["## Validation", "", SETTING, ""]
    for has_code in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            parts += [_measured(Path(folder), has_code=has_code)]
    with tempfile.TemporaryDirectory() as folder:
        parts += [_kept(Path(folder)), _growth(Path(folder))]
    return "\n".join(parts)


def _measured(folder: Path, *, has_code: bool) -> str:
    roots = make_packages(folder / "packages", PACKAGES, has_code=has_code)
    cache = ValidationCache()
    cases: dict[str, Reading] = {
        FLOOR: lambda: [read_floor(root) for root in roots],
        "validate_folder, first": lambda: _validate(roots),
        "ValidationCache, unchanged": lambda: [cache.diagnostics(root) for root in roots],
    }
    peer = _npe2(folder / "peer")
    if peer is not None:
        cases |= peer
    times = median_times(cases, rounds=5)
    goals = {"validate_folder, first": GOAL_FIRST, "ValidationCache, unchanged": GOAL_UNCHANGED}
    rows = []
    for name, seconds in times.items():
        goal = goals.get(name)
        ratio = seconds / times[PEER_FLOOR if name in (PEER, PEER_FLOOR) else FLOOR]
        cells = [f"{seconds * 1000:.0f}", f"{ratio:.2f}", goal or "", verdict(ratio, goal)]
        rows.append([name, *cells])
    kind = "with an entry" if has_code else "without code"
    head = [f"{PACKAGES:,} packages {kind}", "ms", "ratio to floor", "goal", ""]
    note = "" if peer is not None else "Peer npe2 is not installed and was skipped.\n"
    return table(head, rows) + note


def _kept(folder: Path) -> str:
    """Memory that a cache keeps, with one problem in every tenth package."""
    roots = make_packages(folder / "kept", PACKAGES, has_code=True)
    for root in roots[::10]:
        manifest = root / "PLUGIN.md"
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(text.replace("---\n", "---\nlicence: MIT\n", 1), encoding="utf-8")
    time.sleep(SETTLED_NS / 1e9)
    cache = ValidationCache()
    validate_folder(roots[0])
    gc.collect()
    tracemalloc.start()
    for root in roots:
        cache.diagnostics(root)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    cells = [f"{kept:.1f}", GOAL_KEPT_MB, verdict(kept, GOAL_KEPT_MB)]
    return table(["kept by a cache", "MB", "goal", ""], [[f"{PACKAGES:,} packages", *cells]])


def _growth(folder: Path) -> str:
    """Time for each package as their number grows."""
    rows = []
    for count in (250, 1_000, 4_000):
        roots = make_packages(folder / f"growth-{count}", count, has_code=True)
        seconds = median_times({"": partial(_validate, roots)}, rounds=3)
        rows.append([f"{count:,}", f"{seconds[''] / count * 1e6:.0f}"])
    return table(["packages", "µs for each"], rows)


def _validate(roots: list[Path]) -> None:
    for root in roots:
        validate_folder(root)


def make_packages(folder: Path, count: int, *, has_code: bool) -> list[Path]:
    """`count` packages, and then the time after which a cache trusts their time stamps."""
    roots = []
    for number in range(count):
        root = folder / f"ledger-{number}"
        for name, text in _files(number, has_code=has_code).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        roots.append(root)
    time.sleep(SETTLED_NS / 1e9)
    return roots


def read_floor(root: Path) -> list[object]:
    """Everything in the files of a package, parsed and not looked at."""
    found: list[object] = []
    folders = [str(root)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    folders.append(entry.path)
                    continue
                with open(entry.path, "rb") as stream:
                    content = stream.read()
                if entry.name.endswith(".md"):
                    found.append(yaml.load(content.split(b"---\n")[1], _LOADER))
                elif entry.name.endswith(".json"):
                    found.append(orjson.loads(content))
    return found


def _files(number: int, *, has_code: bool) -> dict[str, str]:
    files = {
        "PLUGIN.md": PLUGIN.format(number=number, tools="[look-up, write-row]" if has_code else []),
        "runtimes/gather/RUNTIME.md": GATHER,
        "runtimes/report/RUNTIME.md": REPORT,
        "schemas/plant.json": json.dumps(PLANT, indent=2),
        "schemas/request.json": json.dumps(REQUEST, indent=2),
    }
    return {**files, "server/index.py": ENTRY} if has_code else files


def _npe2(folder: Path) -> dict[str, Reading] | None:
    """npe2's own reading of as many manifests and its floor, `None` where it is not installed."""
    try:
        manifest: Any = importlib.import_module("npe2").PluginManifest
    except ImportError:
        return None
    files = []
    for number in range(PACKAGES):
        file = folder / f"ledger-{number}" / "napari.yaml"
        file.parent.mkdir(parents=True)
        file.write_text(NPE2.format(number=number), encoding="utf-8")
        files.append(file)
    return {
        PEER_FLOOR: lambda: [yaml.load(file.read_bytes(), _LOADER) for file in files],
        PEER: lambda: [manifest.from_file(file) for file in files],
    }


PLUGIN: Final = """\
---
version: 1.4.0
displayName: Moss ledger
description: Keeps a ledger of the plants that were found.
tags: [cost:llm, "ui:right-panel"]
author:
  name: Moss
  url: https://moss.example/ledger-{number}
license: MIT
provides: [ledger-{number}.rows@1]
contributes:
  tools: {tools}
  events:
    - topic: plant.found
      schema: ./schemas/plant.json
      description: A plant was found.
  settings:
    - {{ key: tone, type: select, default: dry, label: Tone,
        options: [{{ value: dry, label: Dry }}, {{ value: warm, label: Warm }}] }}
    - {{ key: limit, type: integer, default: 20, label: Rows, min: 1, max: 50 }}
  data:
    plants:
      schema: ./schemas/plant.json
      version: 1
      description: The plants found so far.
---
Keep the ledger in order.
"""
GATHER: Final = """\
---
type: agent
description: Gathers what the turn says about plants.
schedule:
  stage: post-turn
  trigger: { type: scheduled, interval: 2, cooldownTurns: 1 }
io:
  visibility: plugin
  payloadSchema: ../../schemas/request.json
  selfData:
    - { namespace: plants, as: plants, format: summary }
agent:
  history: { maxTurns: 6 }
  loop: { maxSteps: 6, timeoutMs: 60000 }
---
Read the turn and write down every plant that was found.
"""
REPORT: Final = """\
---
type: agent
description: Tells the player what the ledger holds.
schedule:
  trigger: { type: manual }
io:
  visibility: story
agent:
  model: fast
  loop: { maxSteps: 4 }
---
Tell the player, in one paragraph, what the ledger holds.
"""
PLANT: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 80},
        "count": {"type": "integer", "minimum": 0},
        "where": {"type": "string"},
        "seen": {"type": "array", "items": {"type": "integer"}, "maxItems": 20},
    },
    "required": ["name"],
}
REQUEST: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"plant": {"type": "string"}, "limit": {"type": "integer", "maximum": 50}},
    "additionalProperties": False,
}
ENTRY: Final = textwrap.dedent('''\
    """The tools of the ledger."""

    from typing import Annotated

    from pydantic import Field

    from plugin_sdk import PluginData, ToolContext, hookimpl, tool, with_pending_proposals


    @tool(name="look-up", read_only=True)
    async def look_up(
        ctx: ToolContext, plant: Annotated[str, Field(min_length=1, description="Its name.")]
    ) -> object:
        """Read what is known of one plant."""
        return await ctx.store.get_plugin_data("plants", plant)


    @tool(name="write-row")
    async def write_row(
        ctx: ToolContext,
        plant: Annotated[str, Field(min_length=1, max_length=80, description="Its name.")],
        count: Annotated[int, Field(ge=0, description="How many were found.")] = 1,
    ) -> object:
        """Write one row of the ledger."""
        before = await ctx.store.get_plugin_data("plants", plant) or {"count": 0}
        value = {"name": plant, "count": before["count"] + count}
        return with_pending_proposals(
            value, [PluginData(namespace="plants", key=plant, value=value)]
        )


    @hookimpl
    def register_tools():
        return [look_up, write_row]
''')
NPE2: Final = """\
name: ledger-{number}
display_name: Moss ledger
contributions:
  commands:
    - id: ledger-{number}.gather
      title: Gather
      python_name: ledger.gather:gather
    - id: ledger-{number}.report
      title: Report
      python_name: ledger.report:report
  readers:
    - command: ledger-{number}.gather
      accepts_directories: false
      filename_patterns: ["*.moss"]
"""
