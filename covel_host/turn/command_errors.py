"""Refusals of command lines, written for the player who typed them."""

from covel_host.turn.errors import RequestRefused


class CommandRefused(RequestRefused):
    """A command that cannot run; nothing was started.

    `code`: `command-malformed` (the line), `command-not-active` (no such command in the session),
    `command-ambiguous`, `command-argument` (an argument is missing, too many, or does not fit).
    `place` is the part of `line` that is meant, in characters from 0, `argument` the name of the
    argument, where there is one.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str | None = None,
        line: str = "",
        place: tuple[int, int] | None = None,
        argument: str | None = None,
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.line = line
        self.place = place
        self.argument = argument
