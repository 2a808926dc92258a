"""What a player sees of a game, event by event."""

import asyncio
import io
from typing import Any

import pytest

from covel_host.base.clock import SystemClock
from covel_host.cli.output import safe_text
from covel_host.cli.play_jobs import BesideTurns
from covel_host.cli.play_terminal import PlayTerminal
from covel_host.trace.events import SessionEvent, TraceEvent
from scripts.typist import Screen


class Terminal(io.StringIO):
    """A terminal that shows what is written on a screen, and what notes are written as well."""

    def __init__(self) -> None:
        super().__init__()
        self.screen = Screen()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.screen.write(text.replace("\n", "\r\n"))
        return super().write(text)


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shared = Terminal()
    monkeypatch.setattr(
        "covel_host.cli.play_terminal.note", lambda text: shared.write(f"{safe_text(text)}\n")
    )
    return shared


@pytest.fixture
def terminal(output: Terminal) -> PlayTerminal:
    return PlayTerminal(
        output,
        stages={"tale/told": "narrative", "tale/late": None},
        is_verbose=False,
        is_interactive=True,
        is_edited=True,
    )


def told(terminal: Any, kind: str, **payload: Any) -> None:
    event = SessionEvent(type=kind, session_id="s", turn_id="t", payload=payload)
    asyncio.run(terminal.on_event(event))


def prose(terminal: PlayTerminal, text: str, *, reset: bool = False) -> None:
    asyncio.run(terminal.on_text(text, reset=reset))


def asks(terminal: PlayTerminal, runtime_id: str) -> None:
    data = {"runtimeId": runtime_id}
    terminal.on_trace(TraceEvent("llm.calling", SystemClock().now(), "t", 0, data=data))


def test_what_runs_is_shown_until_there_is_prose(output: Terminal, terminal: PlayTerminal) -> None:
    told(terminal, "runtime.started", runtimeId="tale/told")
    assert output.screen.text == "… narrative: tale/told"
    asks(terminal, "tale/told")
    assert output.screen.text == "… narrative: tale/told asks the model"
    prose(terminal, "It rai")
    told(terminal, "runtime.started", runtimeId="tale/late")
    prose(terminal, "ns.\n")
    assert output.screen.text == "It rains.\n"
    told(terminal, "runtime.started", runtimeId="tale/late")
    assert output.screen.text == "It rains.\n… tale/late"
    terminal.end_turn()
    assert output.screen.text == "It rains.\n"


def test_a_draft_that_is_taken_back_is_marked(output: Terminal, terminal: PlayTerminal) -> None:
    prose(terminal, "It sno")
    prose(terminal, "", reset=True)
    prose(terminal, "It rains.")
    told(terminal, "narrative.completed", content="It rains.")
    terminal.end_turn()
    assert output.screen.text == "It sno […]\nIt rains.\n"


def test_a_story_that_did_not_stream_is_shown_when_it_is_complete(
    output: Terminal, terminal: PlayTerminal
) -> None:
    told(terminal, "narrative.completed", content="\nIt rains.\n")
    assert output.screen.text == "It rains.\n"


def test_prose_waits_while_a_line_is_typed(output: Terminal, terminal: PlayTerminal) -> None:
    prose(terminal, "It rai")
    terminal.typed("No", 2)
    prose(terminal, "ns.")
    prose(terminal, "", reset=True)
    prose(terminal, "It pours.")
    assert output.screen.text == "It rai\n+ No"
    terminal.typed("", 0)
    told(terminal, "narrative.completed", content="It pours.")
    assert output.screen.text == "It rai\nns. […]\nIt pours."
    terminal.typed("Y", 1)
    told(terminal, "job-status.updated", runtimeId="tale/late", message="half\n\x1bdone")
    assert output.screen.text.endswith("\n[tale/late: half \N{REPLACEMENT CHARACTER}done]\n+ Y")
    terminal.entered("Yes")
    prose(terminal, "So it is.")
    assert output.screen.text.endswith("\n+ Yes\nSo it")
    terminal.end_line()
    assert output.screen.text.endswith("\n+ Yes\nSo it is.\n")


def test_prose_is_broken_between_words(output: Terminal, terminal: PlayTerminal) -> None:
    for piece in ("It rains on the q", "uay of Salthaven, ", "and the ferry is late", " as ever."):
        prose(terminal, piece)
    terminal.end_line()
    assert output.screen.text == (
        "It rains on the quay of Salthaven, and the ferry is late as ever.\n"
    )
    prose(terminal, "雨" * 45 + "。")
    terminal.end_turn()
    assert output.screen.text.endswith("\n" + "雨" * 40 + "\n" + "雨" * 5 + "。\n")


def test_what_is_typed_stays_below_what_comes(output: Terminal, terminal: PlayTerminal) -> None:
    terminal.prompt()
    terminal.typed("I lo", 4)
    told(BesideTurns(terminal), "job-status.updated", runtimeId="tale/late", message="done")
    assert output.screen.text == "\n[tale/late: done]\n> I lo"
    terminal.entered("I look.")
    assert output.screen.text == "\n[tale/late: done]\n> I look.\n"


@pytest.mark.parametrize(
    ("part", "line"),
    [
        (
            {"type": "Alert", "content": {"level": "error", "title": "钟", "message": "a\nb"}},
            "!! 钟: a b\n",
        ),
        (
            {"type": "Alert", "content": {"level": "info", "title": "A", "message": "\x1b[2Jb"}},
            "- A: \N{REPLACEMENT CHARACTER}[2Jb\n",
        ),
        ({"type": "Card", "content": {}}, "- [Card]\n"),
    ],
)
def test_notices_are_lines(
    output: Terminal, terminal: PlayTerminal, part: dict[str, Any], line: str
) -> None:
    told(terminal, "ui.rendered", render={"parts": [part]})
    assert output.screen.text == line


def test_a_failure_is_said_unless_it_was_wanted(output: Terminal, terminal: PlayTerminal) -> None:
    for code in ("internal", "aborted-by-player"):
        error = {"code": code, "message": f"It is {code}."}
        told(terminal, "runtime.failed", runtimeId="tale/late", error=error)
    assert output.screen.text == "(tale/late failed: It is internal.)\n"


def test_without_a_terminal_nothing_is_steered_and_nobody_is_asked() -> None:
    output = io.StringIO()
    terminal = PlayTerminal(
        output, stages={}, is_verbose=False, is_interactive=False, is_edited=False
    )
    told(terminal, "runtime.started", runtimeId="tale/told")
    prose(terminal, "It rains\x1b[2J.")
    terminal.prompt()
    terminal.answered()
    terminal.typed("a", 1)
    assert output.getvalue() == "It rains\N{REPLACEMENT CHARACTER}[2J.\n"
