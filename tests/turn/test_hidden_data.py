"""Hidden data and rows of the host are told nowhere (spec/protocol.md 6.2)."""

from pathlib import Path
from typing import Any

import pytest

from covel_host.cli.session_facts import read_session
from covel_host.cli.session_json import session_json
from covel_host.cli.session_text import session_text
from covel_host.turn.session_export import export_session
from tests.support.casts import Table, at_table, cast, function
from tests.support.hosts import settings_of

SECRET = "the butler did it in the library"
PRE = {"stage": "pre-turn"}
KEEPS = 'await ctx.plugin_data.set("_hidden.notes", "{key}", {value})\nreturn success()'


def told(home: Path, code: str) -> tuple[bool, str]:
    """Whether the turn was committed, and everything that was told of it."""
    cast(home, "tale", {"before": function(code, schedule=PRE)})

    async def body(table: Table) -> tuple[bool, str]:
        with table.host.events.subscribe(table.session_id) as heard:
            turn = await table.play()
        events = [event.payload async for event in heard]
        exported = table.host.ports.store.read_now(
            lambda reading: export_session(reading, table.session_id)
        )
        facts = read_session(settings_of(home), table.session_id, turn_id=None)
        rows: Any = [event.data for event in turn.rows.trace]
        shown = (events, exported, rows, session_json(facts), session_text(facts))
        live = [event.payload for event in turn.observer.events]
        return turn.report.committed, str((shown, live, turn.report.executions[-1].failure))

    return at_table(home, body)


def test_a_hidden_record_is_in_no_event_export_trace_or_view(tmp_path: Path) -> None:
    is_committed, text = told(tmp_path, KEEPS.format(key="plan", value=f'"{SECRET}"'))
    assert is_committed
    assert SECRET not in text
    assert "_hidden" not in text


def test_hidden_reads_are_not_listed(tmp_path: Path) -> None:
    code = 'await ctx.plugin_data.get("_hidden.notes", "the-plan")\nreturn success()'
    _, text = told(tmp_path, code)
    assert "the-plan" not in text


def test_rows_of_the_host_are_not_told(tmp_path: Path) -> None:
    _, text = told(tmp_path, "return success()")
    assert "__kernel" not in text
    assert "_runtime_jobs" not in text


@pytest.mark.parametrize("owner", ["__kernel:setup", "_runtime_jobs"])
def test_no_package_reaches_them(tmp_path: Path, owner: str) -> None:
    code = f'try:\n    await ctx.plugin_data.set("{owner}", "a", 1)\nexcept Exception:\n    pass\n'
    _, text = told(tmp_path, code + "return success()")
    assert '"a"' not in text
