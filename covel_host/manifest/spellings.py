"""Names that earlier formats or the inside of the host use, and how they are written today
(spec/manifest.md 3.1 and 5.2, spec/decisions.md 2)."""

from collections.abc import Sequence
from typing import Final

# Names that mean the same wherever they stand.
_ANYWHERE: Final = {
    "completeAfterTools": "agent.completion.afterTools",
    "dataSchemas": "contributes.data",
    "loopDetectionThreshold": "agent.loop.loopDetection",
    "outputContract": "io.output.contract",
    "outputKind": "io.visibility",
    "requireExplicitCompletion": "agent.completion with 'require: explicit'",
    "requireToolUse": "agent.completion with 'require: tool-use'",
    "turnCompletion": "schedule.detached",
    "userSettings": "contributes.settings",
}
# Names that are old in one object only: (object, field).
_IN_OBJECT: Final = {
    ("loop", "completion"): "agent.completion",
    ("schedule", "completion"): "schedule.detached",
    ("schedule", "execution"): "schedule.background",
    ("schedule", "manual"): "schedule.background, true for a run in the background",
    ("tools", "local"): "agent.tools.plugin",
}
# Values that are old: (field, value).
_VALUES: Final = {("kind", "core-plugin"): "core"}


def current_spelling(path: Sequence[str | int]) -> str | None:
    """How the unknown field at `path` is written today, `None` for a name that never was one."""
    field = path[-1]
    holder = path[-2] if len(path) > 1 else ""
    if not isinstance(field, str) or not isinstance(holder, str):
        return None
    if holder == "tools" and field == "local" and "function" in path:
        return "function.tools.plugin"
    return _ANYWHERE.get(field) or _IN_OBJECT.get((holder, field))


def current_value(field: str, value: object) -> str | None:
    """How the old `value` of `field` is written today."""
    return _VALUES.get((field, value)) if isinstance(value, str) else None


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The one of `known` that `name` is most probably a slip of, `None` when none is close."""
    folded = {item.replace("-", "").replace("_", "").lower(): item for item in reversed(known)}
    exact = folded.get(name.replace("-", "").replace("_", "").lower())
    if exact is not None:
        return exact
    # Imported here: only texts with mistakes need it.
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.7)
    return close[0] if close else None
