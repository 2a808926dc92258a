"""What comes of one hook call, and of a whole event."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from covel_host.hooks.failures import HookFailure
from covel_host.hooks.hook import Hook
from covel_host.hooks.replacements import Rewritten

Payload = TypeVar("Payload")


@dataclass(slots=True)
class HookOutcome(Generic[Payload]):
    """What comes of a sequential event.

    `payload` is the payload as the hooks left it, `effects` the members of answers that are no part
    of it (`correction`, `terminate`). `aborted` is the reason not to go on, only ever set on a
    guard event; `aborted_by` is the package whose hook gave it, or failed.
    """

    payload: Payload
    effects: Mapping[str, object] = field(default_factory=dict)
    aborted: str | None = None
    aborted_by: str | None = None


@dataclass(frozen=True, slots=True)
class Aborted:
    """A hook answered with an abort."""

    reason: str


CallEnd: TypeAlias = Rewritten[Payload] | Aborted | HookFailure | None
"""None: `match` said no, so nothing was called."""


@dataclass(slots=True)
class EndedCall(Generic[Payload]):
    """One call that has ended."""

    hook: Hook
    duration_ms: int
    end: CallEnd[Payload]
