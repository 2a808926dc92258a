"""A run that is suspended and gone on with, against the same run without the pause."""

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.rounds import table, verdict
from covel_host.host import Host
from covel_host.models.selector import UseOffline
from covel_host.settings import read_settings
from covel_host.turn.admission import ManualRequest
from covel_host.turn.resuming import ResumeRequest
from covel_host.turn.suspension_listing import list_suspensions

ROUNDS, GOAL = 60, 1.2
MANIFEST = "---\ndescription: Asks, or does not.\n---\n"
RUNTIME = """---
schedule: { trigger: { type: manual } }
function: { handler: ./handler.py }
---
"""
WORK = """
    for number in range(20):
        await ctx.plugin_data.set("notes", f"n{number}", {"number": number, "text": "x" * 200})
    return success({"done": True})
"""
WHOLE = f"from plugin_sdk import success\n\n\nasync def handle(ctx):{WORK}"
PAUSED = f"""from plugin_sdk import success, suspended


async def handle(ctx):
    if ctx.resumed_from_suspension_id is None:
        return suspended("Ready?")
{WORK.lstrip(chr(10))}"""
TEXT = (
    "A function runtime writes twenty records and is committed (`synchronous=FULL`). Once as it "
    "is; once after it was suspended before it wrote: timed is `Host.resume`, from the stored "
    f"scene to the commit. Medians of {ROUNDS} alternating rounds in one session."
)


def report() -> str:
    """The section of RESULTS.md."""
    return asyncio.run(_report())


async def _report() -> str:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name, code in (("whole", WHOLE), ("paused", PAUSED)):
            place = home / "plugins" / "notes" / "runtimes" / name
            place.mkdir(parents=True)
            (place / "RUNTIME.md").write_text(RUNTIME)
            (place / "handler.py").write_text(code)
        (home / "plugins" / "notes" / "PLUGIN.md").write_text(MANIFEST)
        environ = {"COVEL_HOME": folder, "COVEL_PLUGINS_DIR": str(home / "bundled")}
        settings = read_settings(environ, trust=["notes"])
        host = await Host.open(settings, load=["notes"], selector=UseOffline())
        try:
            session_id = await host.open_session(["notes"])
            whole, resumed = [], []
            for _ in range(ROUNDS + 1):
                whole.append(await _timed(host, session_id, "notes/whole"))
                await _run(host, session_id, "notes/paused")
                (waiting,) = await list_suspensions(host.ports.store, session_id)
                started = time.perf_counter()
                report = await host.resume(
                    ResumeRequest(
                        session_id=session_id, suspension_id=waiting.suspension_id, data=None
                    )
                )
                resumed.append(time.perf_counter() - started)
                assert report.committed, report.failure
        finally:
            await host.close()
    floor, paused = median(whole[1:]), median(resumed[1:])
    ratio = paused / floor
    rows = [
        ["the run without the pause", f"{floor * 1000:.2f}", "1.00", "", ""],
        ["going on after it", f"{paused * 1000:.2f}", f"{ratio:.2f}", GOAL, verdict(ratio, GOAL)],
    ]
    return f"## Resume\n\n{TEXT}\n\n{table(['case', 'ms', '× floor', 'goal', ''], rows)}"


async def _timed(host: Host, session_id: str, target: str) -> float:
    started = time.perf_counter()
    await _run(host, session_id, target)
    return time.perf_counter() - started


async def _run(host: Host, session_id: str, target: str) -> None:
    report = await host.run(ManualRequest(target=target, session_id=session_id))
    assert report.committed, report.failure
