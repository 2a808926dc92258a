"""Many sessions that wait for their model, and one session that goes on for long."""

import asyncio
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

import yaml

from benchmarks.rounds import table, verdict
from covel_host.host import Host
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.messages import ModelReply, ModelRequest, Usage
from covel_host.models.selector import UseOffline, parse_model_selector
from covel_host.models.slots import SlotTable
from covel_host.settings import Settings, read_settings
from covel_host.turn.turns import TurnRequest

SESSIONS, TURNS_EACH, WAIT_S = 200, 5, 2.0
LONG, EARLY, AROUND = 2_000, 20, 10
GOAL_SHARE, GOAL_SPREAD, GOAL_GROWTH = 0.9, 1.5, 1.2
PROSE = "Rain fell on the harbour, and nobody came."
WAITING = (
    f"{SESSIONS} sessions play {TURNS_EACH} turns each at the same time, every turn as soon as the "
    f"one before is committed; their first ones begin within {WAIT_S:.0f} s. A turn is a story "
    f"whose scripted model answers after {WAIT_S:.0f} s; `COVEL_LLM_MAX_CONCURRENT=0`, "
    "`synchronous=FULL`. Ideal: nothing but the waits."
)
LASTING = (
    f"One session of {LONG:,} turns, a story with `history: {{maxTurns: 20}}` and a model that "
    f"answers at once; median of the {2 * AROUND} turns around turn {EARLY}, and of the last "
    f"{2 * AROUND}."
)


def report() -> str:
    """The sections of RESULTS.md."""
    return "\n".join([asyncio.run(_waiting()), asyncio.run(_lasting())])


async def _waiting() -> str:
    with tempfile.TemporaryDirectory() as folder:
        settings = _settings(Path(folder))
        script = Path(folder) / "replies.yaml"
        reply = {"text": PROSE, "delayMs": round(WAIT_S * 1000)}
        script.write_text(yaml.safe_dump([reply] * SESSIONS * (TURNS_EACH + 1)))
        selector = parse_model_selector(f"scripted:{script}")
        host = await Host.open(settings, load=["tale"], selector=selector)
        try:
            session_ids = [await host.open_session(["tale"]) for _ in range(SESSIONS)]
            times: list[float] = []
            started = time.perf_counter()
            async with asyncio.TaskGroup() as group:
                for number, session_id in enumerate(session_ids):
                    begin_s = number * WAIT_S / SESSIONS
                    group.create_task(_session(host, session_id, times, begin_s=begin_s))
            taken_s = time.perf_counter() - started
        finally:
            await host.close()
    share = (TURNS_EACH + 1) * WAIT_S / taken_s
    spread = quantiles(times, n=100)[98] / median(times)
    rows: list[list[object]] = [
        [
            "turns per second",
            f"{SESSIONS * TURNS_EACH / taken_s:.1f}",
            f"{share:.0%} of ideal",
            f"{GOAL_SHARE:.0%}",
            "met" if share >= GOAL_SHARE else "missed",
        ],
        ["median turn, s", f"{median(times):.2f}", "", "", ""],
        [
            "p99 turn, s",
            f"{spread * median(times):.2f}",
            f"{spread:.2f} × median",
            GOAL_SPREAD,
            verdict(spread, GOAL_SPREAD),
        ],
    ]
    head = ("200 sessions that wait", "", "ratio", "goal", "")
    return "\n".join(["## Sessions", "", WAITING, "", table(head, rows)])


async def _session(host: Host, session_id: str, times: list[float], *, begin_s: float) -> None:
    await asyncio.sleep(begin_s)
    for _ in range(TURNS_EACH):
        started = time.perf_counter()
        played = await host.play(TurnRequest(session_id=session_id, message="I wait."))
        times.append(time.perf_counter() - started)
        assert played.committed, played.failure


async def _lasting() -> str:
    with tempfile.TemporaryDirectory() as folder:
        host = await Host.open(_settings(Path(folder)), load=["tale"], selector=UseOffline())
        host.ports = replace(host.ports, gateway=_Gateway())
        try:
            session_id = await host.open_session(["tale"])
            times = []
            for number in range(LONG):
                request = TurnRequest(session_id=session_id, message=f"I wait, {number}.")
                started = time.perf_counter()
                assert (await host.play(request)).committed
                times.append(time.perf_counter() - started)
        finally:
            await host.close()
    early = median(times[EARLY - AROUND : EARLY + AROUND])
    late = median(times[-2 * AROUND :])
    rows: list[list[object]] = [
        [f"turn {EARLY}", f"{early * 1000:.2f}", "1.00", "", ""],
        [
            f"turn {LONG:,}",
            f"{late * 1000:.2f}",
            f"{late / early:.2f}",
            GOAL_GROWTH,
            verdict(late / early, GOAL_GROWTH),
        ],
    ]
    head = ("one long session", "ms", f"× turn {EARLY}", "goal", "")
    return "\n".join([LASTING, "", table(head, rows)])


class _Gateway(ModelGateway):
    """Answers at once."""

    def __init__(self) -> None:
        super().__init__(GatewayOptions(), SlotTable({}, ""), selector=UseOffline())

    async def complete(self, request: ModelRequest, **_: object) -> ModelReply:
        usage = Usage(10, 5)
        return ModelReply(PROSE, (), finish_reason="stop", usage=usage, provider="", model="")


def _settings(home: Path) -> Settings:
    folder = home / "plugins" / "tale"
    folder.mkdir(parents=True)
    manifest = {
        "description": "A package of a benchmark.",
        "runtime": {
            "schedule": {"stage": "narrative"},
            "agent": {"history": {"maxTurns": 20}},
            "io": {"visibility": "story"},
        },
    }
    (folder / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(manifest)}---\nTell it.\n")
    environ = {"COVEL_HOME": str(home), "COVEL_LLM_MAX_CONCURRENT": "0"}
    return read_settings(environ, trust=["tale"])
