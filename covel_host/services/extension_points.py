"""The extension points that the host serves, and how it asks (spec/manifest.md 10.6)."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, TypeAlias

ExtensionMode: TypeAlias = Literal["collect", "pipeline", "single"]
"""`collect`: all are asked at once; `pipeline`: one after the other, each with what the former
left; `single`: the first one only, of which a session has one."""

EXTENSION_LIMIT_MS: Final = 500
COMPACTION_LIMIT_MS: Final = 60_000

PROMPT_SEGMENT: Final = "prompt.segment@1"
HISTORY_TRANSFORM: Final = "prompt.history-transform@1"
HISTORY_COMPACT: Final = "history.compact@2"
WORLD_CONTEXT: Final = "session.world-context@1"


@dataclass(frozen=True, slots=True)
class ExtensionPoint:
    """One point; `query` and `answer` name the models of `plugin_sdk.extension_points`."""

    name: str
    mode: ExtensionMode
    query: str
    answer: str
    asked: str
    limit_ms: int = EXTENSION_LIMIT_MS
    is_list: bool = False


SERVED_POINTS: Final[dict[str, ExtensionPoint]] = {
    point.name: point
    for point in (
        ExtensionPoint(
            PROMPT_SEGMENT,
            "collect",
            "PromptQuery",
            "PromptSegment",
            asked="before each agent's prompt is put together",
            is_list=True,
        ),
        ExtensionPoint(
            HISTORY_TRANSFORM,
            "pipeline",
            "HistoryQuery",
            "HistoryTransform",
            asked="when an execution reads its history for its first agent, and again for a longer "
            "part of it",
        ),
        ExtensionPoint(
            HISTORY_COMPACT,
            "single",
            "CompactionQuery",
            "Compaction",
            asked="at most once in an execution, when its history has grown too long",
            limit_ms=COMPACTION_LIMIT_MS,
        ),
        ExtensionPoint(
            WORLD_CONTEXT,
            "single",
            "WorldContextQuery",
            "WorldContext",
            asked="before the prompt of an agent whose body names `world.` variables",
        ),
    )
}
"""By name; the others of `kernel_contracts.EXTENSION_POINTS` are loaded and never asked."""


@cache
def answer_adapter(point: ExtensionPoint) -> Any:
    """Checks what an implementation of the point answers; a pydantic `TypeAdapter`."""
    # Most executions ask no extension, and pydantic builds models on first use.
    from pydantic import TypeAdapter

    from plugin_sdk import extension_points

    model: Any = getattr(extension_points, point.answer)
    return TypeAdapter(list[model] if point.is_list else model)
