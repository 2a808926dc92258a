"""What the gateway adds to a model call, with many calls at once."""

import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.rounds import table, verdict
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.messages import ModelRequest, UserMessage
from covel_host.models.selector import UseScript
from covel_host.models.slots import SlotTable

CALLS = (1, 200, 800)
SESSIONS = 200
"""As many calls at once are promised; more are shown."""
WAIT_S = 2.0
WORDS = 40
ROUNDS = 3
GOAL = 0.9

SETTING = (
    f"A scripted model that waits {WAIT_S:g} s and then streams {WORDS} words; no limit on calls "
    "at once. Floor: the wait alone, as many times at once. Throughput is the floor's time over "
    "ours; the processor's time is per call, the model's own work included.\n"
)

Calls = Callable[[int], Awaitable[None]]


def report() -> str:
    """The section of RESULTS.md."""
    rows: list[list[object]] = []
    for count in CALLS:
        floor = min(asyncio.run(_measured(_waits, count))[0] for _ in range(ROUNDS))
        wall, cpu, threads = min(asyncio.run(_through_gateway(count)) for _ in range(ROUNDS))
        share = floor / wall
        rows.append(
            [
                f"{count:,}",
                f"{wall:.3f}",
                f"{share:.1%}",
                f"{cpu / count * 1e6:.0f}",
                threads,
                verdict(GOAL, share) if count <= SESSIONS else "",
            ]
        )
    head = ["calls at once", "s", f"throughput (goal {GOAL:.0%})", "µs of processor", "threads", ""]
    return "\n".join(["## Model gateway", "", SETTING, table(head, rows)])


async def _waits(count: int) -> None:
    await asyncio.gather(*(asyncio.sleep(WAIT_S) for _ in range(count)))


async def _through_gateway(count: int) -> tuple[float, float, int]:
    reply = {"text": "word " * WORDS, "delayMs": round(WAIT_S * 1000)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies.json"
        path.write_text(json.dumps([reply] * count), encoding="utf-8")
        gateway = ModelGateway(
            GatewayOptions(max_concurrent=0), SlotTable({}), selector=UseScript(path)
        )
    request = ModelRequest((UserMessage("Go on."),))

    async def calls(number: int) -> None:
        await asyncio.gather(*(gateway.complete(request) for _ in range(number)))

    try:
        return await _measured(calls, count)
    finally:
        await gateway.aclose()


async def _measured(calls: Calls, count: int) -> tuple[float, float, int]:
    """Seconds, seconds of the processor, and threads that were started."""
    threads, started, used = threading.active_count(), time.perf_counter(), time.process_time()
    await calls(count)
    return (
        time.perf_counter() - started,
        time.process_time() - used,
        threading.active_count() - threads,
    )
