"""A session calls a tool all the time while its package is edited, good and broken in turn."""

import asyncio
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.reload_hosts import PLUGIN_ID, CovelServed, Watching, package_code, write_package
from benchmarks.rounds import table

EDITS = 200
CALL_EVERY_S = 0.01
BROKEN = "def (\n"
_PAGE_BYTES = 4096


def calls_section() -> str:
    """What became of the calls, by what could go wrong."""
    with tempfile.TemporaryDirectory() as folder:
        entry = write_package(Path(folder) / "plugins", PLUGIN_ID)
        with Watching(Path(folder) / "plugins") as watching:
            return asyncio.run(_measured(watching, entry))


async def _measured(watching: Watching, entry: Path) -> str:
    served = CovelServed(watching, entry)
    calls: list[tuple[int, int]] = []
    ends = asyncio.Event()
    calling = asyncio.create_task(_call(watching, calls, ends))
    sizes = []
    for edit in range(1, EDITS + 1):
        if edit % 2:
            entry.write_text(BROKEN, encoding="utf-8")
            await asyncio.sleep(0.1)
        else:
            entry.write_text(package_code(edit), encoding="utf-8")
            while served.value() != edit:
                await asyncio.sleep(0.002)
        if edit in (EDITS // 4, EDITS):
            sizes.append(_resident_bytes())
    ends.set()
    begun = await calling
    by_generation = Counter(number for number, _ in calls)
    mixed = len({*calls}) - len(by_generation)
    grown = (sizes[-1] - sizes[0]) / 1024**2
    rows = [
        ["calls begun", begun, "", ""],
        ["calls ended", len(calls), begun, "met" if len(calls) == begun else "missed"],
        ["generations that served", len(by_generation), "", ""],
        ["generations with two values", mixed, 0, "met" if not mixed else "missed"],
        ["MB grown over the last three quarters", f"{grown:.1f}", "", ""],
    ]
    head = [f"a call every 10 ms, {EDITS} edits, good and broken in turn", "", "goal", ""]
    return table(head, rows)


async def _call(watching: Watching, calls: list[tuple[int, int]], ends: asyncio.Event) -> int:
    """Call until `ends`; the number of calls begun. Each ended one is kept with its generation."""
    begun = 0
    next_s = time.monotonic()
    while not ends.is_set():
        begun += 1
        generation = watching.holder.current.packages[PLUGIN_ID].generation
        if generation is not None:
            calls.append((generation.number, generation.tools["value"]()))
        next_s += CALL_EVERY_S
        await asyncio.sleep(max(next_s - time.monotonic(), 0))
    return begun


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES
