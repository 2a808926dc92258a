"""The course of `covel dev` without a process: what is asked, and the end of the input."""

import asyncio
import io
from typing import Any

from covel_host.cli.dev_lines import RunAgain, RunThis
from covel_host.cli.dev_runs import Ask
from covel_host.cli.dev_session import DevSession
from covel_host.cli.dev_terminal import DevTerminal


async def look_at(plugin_id: str) -> None:
    """Nothing changes here."""


class Asking:
    """Runs nothing; asks a question for each line."""

    def __init__(self) -> None:
        self.answers: list[bool] = []

    async def run(self, asked: RunAgain | RunThis, *, ask: Ask) -> None:
        self.answers.append(await ask("Sure?"))

    def plugin_id(self, asked: RunAgain | RunThis) -> str | None:
        return "moss"


def answers(*lines: str | None) -> list[bool]:
    async def work() -> list[bool]:
        runs: Any = Asking()
        holder: Any = None
        terminal = DevTerminal(io.StringIO(), as_json=True, is_interactive=False)
        session = DevSession(holder, runs, terminal, asyncio.Queue(), look_at=look_at)
        for line in lines:
            session.take_line(line)
        await asyncio.wait_for(session.work(), timeout=10)
        given: list[bool] = runs.answers
        return given

    return asyncio.run(work())


def test_the_next_line_answers_a_question() -> None:
    assert answers("r moss", "yes", "r moss", "n", "r moss", "q", None) == [True, False, False]


def test_the_end_of_the_input_answers_no_and_ends_the_session() -> None:
    assert answers("r moss", None) == [False]
