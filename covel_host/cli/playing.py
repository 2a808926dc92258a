"""A game from its session to its end: which one, what it begins with, and the host that plays."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from covel_host.base.errors import HostError
from covel_host.cli.approval import is_terminal
from covel_host.cli.in_session import play, read_packages, read_store, stored_session
from covel_host.cli.log_notes import noted
from covel_host.cli.output import note
from covel_host.cli.play_session import PlayOptions, PlaySession
from covel_host.cli.play_terminal import PlayTerminal
from covel_host.cli.session_notes import SessionNotes, warn_of_missing
from covel_host.cli.session_start import begin_empty, begin_in_world
from covel_host.cli.turn_playing import stages_of
from covel_host.cli.typed_input import can_edit, typed_lines
from covel_host.host import Host
from covel_host.models.selector import ModelSelector
from covel_host.settings import Settings
from covel_host.store.messages import list_messages
from covel_host.store.sessions import list_sessions
from covel_host.store.transaction import Reading

_RECALLED = 4


def new_session(settings: Settings, world: Path | None, packages: Sequence[str]) -> str:
    """A new session, in that world or in none; its ID.

    Raises:
        HostError: it was not made.
    """
    read_packages(settings, packages)
    if world is None:
        return begin_empty(settings, packages).session_id
    begun = begin_in_world(settings, world, packages)
    for line in begun.notes:
        note(f"note: {line}")
    return begun.session.session_id


def newest_session(settings: Settings) -> str:
    """The session that was changed last.

    Raises:
        HostError: there is none.
    """
    found = read_store(settings, lambda reading: list_sessions(reading, limit=1))
    if not found:
        raise HostError(
            "There is no session to go on with.",
            code="session-not-found",
            hint="Begin one: covel play",
        )
    return found[0].session_id


def play_game(
    session_id: str,
    settings: Settings,
    options: PlayOptions,
    *,
    selector: ModelSelector | None,
    input_stream: TextIO,
    output: TextIO,
) -> int:
    """Play until the player has enough; the exit code.

    Raises:
        HostError: the session cannot be played.
    """
    session = stored_session(settings, session_id)
    catalog = read_packages(settings, (), session.active_packages)
    warn_of_missing(session, catalog)
    options = replace(options, is_interactive=is_terminal())
    terminal = PlayTerminal(
        output,
        stages=stages_of(catalog),
        is_verbose=options.is_verbose,
        is_interactive=options.is_interactive,
        is_edited=options.is_interactive and can_edit(input_stream, output),
    )
    earlier = read_store(settings, lambda reading: _earlier(reading, session_id))
    begins = session.phase == "setup" or not (earlier or session.completed_player_turns)

    async def body(host: Host) -> int:
        notes = SessionNotes(host, session_id, terminal.say)
        await notes.tell()
        game = PlaySession(host, session, terminal, notes, options)
        if earlier:
            terminal.show("\n\n".join(earlier))
        loop = asyncio.get_running_loop()
        with (
            noted(lambda line: loop.call_soon_threadsafe(terminal.say, line)),
            typed_lines(input_stream, terminal, game.take_line) as editor,
        ):
            return await game.work(begins=begins, editor=editor)

    code = play(settings, catalog, body, may_ask=True, selector=selector)
    note(f"To go on: covel play {session_id}")
    return code


def _earlier(reading: Reading, session_id: str) -> list[str]:
    """The last messages of the session, as a player reads them again."""
    found = list_messages(reading, session_id, limit=_RECALLED)
    return [
        f"> {message.content}" if message.source == "player" else message.content
        for message in found
        if message.content.strip() and message.role != "system"
    ]
