"""Names that earlier formats or the inside of the host use, and how they are written today
(spec/manifest.md 3.1 and 5.2, spec/decisions.md 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Spelling:
    """How an old field is written today.

    `field` is its full path from the top of a runtime or root manifest where the value stays as it
    is, and `None` where the value changes too, so that only its author can rewrite it.
    """

    says: str
    field: tuple[str, ...] | None = None


def _same_value(path: str) -> Spelling:
    return Spelling(path, tuple(path.split(".")))


# Names that mean the same wherever they stand.
_ANYWHERE: Final = {
    "completeAfterTools": _same_value("agent.completion.afterTools"),
    "dataSchemas": Spelling("contributes.data"),
    "execution": Spelling("schedule.background"),
    "loopDetectionThreshold": _same_value("agent.loop.loopDetection"),
    "outputContract": _same_value("io.output.contract"),
    "outputKind": _same_value("io.visibility"),
    "requireExplicitCompletion": Spelling("agent.completion.require: explicit"),
    "requireToolUse": Spelling("agent.completion.require: tool-use"),
    "turnCompletion": Spelling("schedule.detached"),
    "userSettings": _same_value("contributes.settings"),
}
# Names that are old in one object only: (object, field).
_IN_OBJECT: Final = {
    ("loop", "completion"): _same_value("agent.completion"),
    ("schedule", "completion"): Spelling("schedule.detached"),
    ("schedule", "manual"): Spelling("schedule.background, true for a run in the background"),
    ("tools", "local"): _same_value("agent.tools.plugin"),
}
# Values that are old: (field, value).
_VALUES: Final = {("kind", "core-plugin"): "core"}


def current_spelling(path: Sequence[str | int]) -> Spelling | None:
    """How the unknown field at `path` is written today, `None` for a name that never was one."""
    field = path[-1]
    holder = path[-2] if len(path) > 1 else ""
    if not isinstance(field, str) or not isinstance(holder, str):
        return None
    if holder == "tools" and field == "local" and "function" in path:
        return _same_value("function.tools.plugin")
    return _ANYWHERE.get(field) or _IN_OBJECT.get((holder, field))


def current_value(field: str, value: object) -> str | None:
    """How the old `value` of `field` is written today."""
    return _VALUES.get((field, value)) if isinstance(value, str) else None
