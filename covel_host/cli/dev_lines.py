"""What a person types, or a script writes, while `covel dev` runs."""

from dataclasses import dataclass
from typing import Final, TypeAlias

HELP: Final = """\
r                 run the last runtime again, with what it was given
r ID [MESSAGE]    run PLUGIN or PLUGIN/RUNTIME; a message that begins with { is a JSON payload
?                 show this
q                 end
"""


@dataclass(frozen=True, slots=True)
class RunAgain:
    """`r`: the last runtime once more."""


@dataclass(frozen=True, slots=True)
class RunThis:
    """`r ID …`: `payload` is the text of a JSON value, `message` what the player says."""

    target: str
    message: str | None = None
    payload: str | None = None


@dataclass(frozen=True, slots=True)
class ShowHelp:
    """`?`."""


@dataclass(frozen=True, slots=True)
class Quit:
    """`q`."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """An empty line."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line that is none of the others."""

    text: str


Line: TypeAlias = RunAgain | RunThis | ShowHelp | Quit | Nothing | Unknown


def parse_line(text: str) -> Line:
    """What the line asks for."""
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    if not word:
        return Nothing()
    if word == "r":
        return _run(rest)
    if word in ("?", "h", "help") and not rest:
        return ShowHelp()
    if word in ("q", "quit", "exit") and not rest:
        return Quit()
    return Unknown(text.strip())


def _run(rest: str) -> Line:
    target, _, said = rest.partition(" ")
    said = said.strip()
    if not target:
        return RunAgain()
    if said.startswith("{"):
        return RunThis(target, payload=said)
    return RunThis(target, message=said or None)
