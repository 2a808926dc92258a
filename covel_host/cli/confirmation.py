"""A question before something that is not done by the way; scripts answer it with `--yes`."""

import click

from covel_host.base.errors import HostError
from covel_host.cli.approval import is_terminal
from covel_host.cli.output import safe_text


class NotConfirmed(HostError):
    """Nobody said yes, so nothing was done."""


def confirm(question: str, *, is_confirmed: bool) -> None:
    """Go on when a person says yes, or `--yes` was given.

    Raises:
        NotConfirmed: the answer is no, or nobody can be asked.
    """
    if is_confirmed:
        return
    if not is_terminal():
        raise NotConfirmed(
            "Nothing was done: there is no terminal to ask at.",
            code="not-confirmed",
            hint="Give --yes to do it without a question.",
        )
    if not click.confirm(safe_text(question), default=False, err=True):
        raise NotConfirmed("Nothing was done.", code="not-confirmed")
