"""A fault in each phase of a load: nothing of the package stays, and its clean-ups run."""

from pathlib import Path
from typing import Any

import pytest

from covel_host.catalog.registration_kinds import KINDS
from tests.catalog.builders import leftovers, load_now, refuse_kinds, write_package

HANDLED = "---\nschedule:\n  trigger: {type: manual}\nfunction:\n  handler: ./handler.py\n---\n"
GUARDED = "---\nschedule:\n  stage: post-turn\nguard: ./guard.py\n---\nCount.\n"
ENTRY = '''
import meeting
from plugin_sdk import hookimpl, tool
from . import near

@tool
def count() -> int:
    """Counts."""
    return 1

@hookimpl
def register_tools(covel):
    covel.on_dispose(lambda: meeting.seen.append(covel.signal.reason))
    return [count]
'''
FAULTS = {
    "raises": "raise ValueError('no')",
    "exits": "raise SystemExit",
    "hangs": "meeting.gate.wait(30)",
}


def files(phase: str, fault: str) -> dict[str, str]:
    """A package that is right but for `fault` in one phase."""
    at = {
        "entry": "near",
        "handler module": "runtimes/a/handler",
        "guard module": "runtimes/b/guard",
    }.get(phase)
    written = {
        "server/index.py": ENTRY,
        "server/near.py": "import meeting\n",
        "runtimes/a/RUNTIME.md": HANDLED,
        "runtimes/a/handler.py": "import meeting\ndef handle(ctx): ...\n",
        "runtimes/b/RUNTIME.md": GUARDED,
        "runtimes/b/guard.py": "import meeting\ndef guard(ctx): ...\n",
    }
    if at is None:
        written["server/index.py"] += f"\n@hookimpl\ndef {phase}():\n    {fault}\n"
    else:
        file = f"server/{at}.py" if at == "near" else f"{at}.py"
        written[file] += f"{fault}\n"
    return written


PHASES = (
    "entry",
    *(kind.hook for kind in KINDS if kind.hook != "register_tools"),
    "handler module",
    "guard module",
    "on_load",
)


@pytest.fixture(autouse=True)
def _every_kind_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_kinds(monkeypatch, {})


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("phase", PHASES)
def test_a_fault_in_a_phase_publishes_nothing(
    phase: str, fault: str, tmp_path: Path, meeting: Any
) -> None:
    root = write_package(
        tmp_path / "moss-ledger",
        files(phase, FAULTS[fault]),
        manifest="contributes:\n  tools: [count]\n",
    )
    outcome = load_now(root, limit_s=0.2 if fault == "hangs" else 15)
    assert outcome.generation is None
    [found] = [found for found in outcome.diagnostics if found.severity == "error"]
    assert found.line is not None
    if fault == "hangs":
        assert found.name == "entry-timeout"
    # The entry had not been asked for anything yet when it failed itself.
    assert meeting.seen == ([] if phase == "entry" else ["loading failed"])
    assert leftovers("moss-ledger") == []


def test_the_package_without_a_fault_is_loaded(tmp_path: Path, meeting: Any) -> None:
    root = write_package(
        tmp_path / "moss-ledger",
        files("on_load", "pass"),
        manifest="contributes:\n  tools: [count]\n",
    )
    assert load_now(root).generation is not None


@pytest.mark.parametrize(
    ("schema", "name"),
    [('{"type": 3}', "schema-unusable"), ("{", "json-syntax"), ("true", "schema-unusable")],
)
def test_an_unusable_data_set_schema_publishes_nothing(
    schema: str, name: str, tmp_path: Path, meeting: Any
) -> None:
    source = ENTRY + "\n@hookimpl\ndef on_load(): meeting.seen.append('on_load')\n"
    root = write_package(
        tmp_path / "moss-ledger",
        {"server/index.py": source, "server/near.py": "", "npcs.json": schema},
        manifest="contributes:\n  tools: [count]\n  datasets: { npcs: { schema: npcs.json } }\n",
    )
    outcome = load_now(root)
    assert outcome.generation is None
    assert name in [found.name for found in outcome.diagnostics]
    assert meeting.seen == ["loading failed"]
    assert leftovers("moss-ledger") == []


def test_a_clean_up_that_fails_or_hangs_hides_no_reason(tmp_path: Path, meeting: Any) -> None:
    source = ENTRY + (
        "\n@hookimpl\ndef on_load(covel):\n"
        "    def failing(): raise SystemExit\n"
        "    covel.on_dispose(failing)\n"
        "    raise ValueError('no shelf')\n"
    )
    root = write_package(
        tmp_path / "moss-ledger",
        {"server/index.py": source, "server/near.py": ""},
        manifest="contributes:\n  tools: [count]\n",
    )
    outcome = load_now(root)
    assert [found.name for found in outcome.diagnostics] == ["load-hook-failed"]
    assert meeting.seen == ["loading failed"]
