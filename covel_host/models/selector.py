"""What answers every call: a slot, the offline model, a script (`--model`), or a given source."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from covel_host.models.errors import config_error
from covel_host.models.port import ModelSource


@dataclass(frozen=True, slots=True)
class UseSlot:
    """One slot answers every call."""

    name: str


@dataclass(frozen=True, slots=True)
class UseOffline:
    """The offline model answers every call."""


@dataclass(frozen=True, slots=True)
class UseScript:
    """The replies of a file answer the calls, in their order."""

    path: Path


@dataclass(frozen=True, slots=True)
class UseSource:
    """What a program hands in answers the calls, such as the scripted replies of a test."""

    source: ModelSource


ModelSelector: TypeAlias = UseSlot | UseOffline | UseScript | UseSource


def parse_model_selector(text: str) -> ModelSelector:
    """What `--model TEXT` asks for.

    Raises:
        ModelError: `config-error` for an empty text or a `scripted:` without a file.
    """
    if text == "offline":
        return UseOffline()
    kind, colon, rest = text.partition(":")
    if kind == "scripted" and rest:
        return UseScript(Path(rest))
    if not text.strip() or (kind == "scripted" and (colon or not rest)):
        raise config_error(
            f"The model {text!r} names nothing.",
            hint="Use a slot's name, 'offline', or 'scripted:FILE' with a file of replies.",
        )
    return UseSlot(text)
