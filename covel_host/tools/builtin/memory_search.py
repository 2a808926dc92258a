"""`memory-search`: find what was said or is known (seed: memory-search)."""

from collections.abc import Sequence
from typing import Annotated, cast

from pydantic import Field

from covel_host.memory.hits import DEFAULT_HITS, MAX_HITS, MemoryHit, Scope
from covel_host.tools.builtin.tool_input import ToolInput
from covel_host.tools.memory_search import MemorySearch
from plugin_sdk.context import ToolContext
from plugin_sdk.results import with_model_view
from plugin_sdk.shapes import Shape
from plugin_sdk.tools import ToolAnnotations
from plugin_sdk.values import JsonObject

_NOTHING = (
    "Nothing was found. Only literal words match: name the people, places and things, and try "
    "other wordings."
)


class SearchInput(ToolInput):
    """The request as a model writes it."""

    query: Annotated[
        str,
        Field(description="Names and keywords to look for; several wordings may stand together."),
    ]
    scope: Annotated[
        Scope,
        Field(
            description="recall: what was said. archival: lorebook, characters and what plugins "
            "recorded. all: both."
        ),
    ] = "all"
    limit: Annotated[int, Field(ge=1, le=MAX_HITS, description="Passages at most.")] = DEFAULT_HITS


_SHAPE = Shape(SearchInput, subject='Tool "memory-search"')


class MemorySearchTool:
    """The tool of one session, over its `memory`.

    Every run makes one, so all that is the same in every session is made once.
    """

    name = "memory-search"
    description = (
        "Search the session's memory: earlier messages, and the long-term knowledge of "
        "lorebook, characters and plugin records. Words match literally, without synonyms: "
        "name the people, places and things you look for."
    )
    input_schema = _SHAPE.json_schema
    annotations = ToolAnnotations(
        read_only=True, stages_writes=False, idempotent=True, concurrency_safe=True
    )
    timeout_ms: int | None = None
    is_async = True

    def __init__(self, memory: MemorySearch) -> None:
        self._memory = memory

    def __repr__(self) -> str:
        return "<MemorySearchTool>"

    def parse(self, text: str) -> dict[str, object]:
        """The request that one JSON text holds.

        Raises:
            ToolValidationError: not JSON, or values that do not fit.
        """
        return {"asked": _SHAPE.parse(text)}

    async def invoke(self, context: ToolContext, arguments: dict[str, object]) -> object:
        """The passages in order; the model reads them as a numbered list."""
        asked = cast("SearchInput", arguments["asked"])
        hits = await self._memory.search(asked.query, scope=asked.scope, limit=asked.limit)
        return with_model_view({"results": [_result(hit) for hit in hits]}, summary=_summary(hits))


def _result(hit: MemoryHit) -> JsonObject:
    """A hit as code reads it; the ID of its message is nobody's to see."""
    result: JsonObject = {"source": hit.source, "kind": hit.kind}
    if hit.key is not None:
        result["key"] = hit.key
    if hit.role is not None:
        result["role"] = hit.role
    return {**result, "text": hit.text, "score": hit.score}


def _summary(hits: Sequence[MemoryHit]) -> str:
    """The hits for the model, without scores: they do not compare across sources."""
    if not hits:
        return _NOTHING
    return "\n".join(f"{number}. {_line(hit)}" for number, hit in enumerate(hits, 1))


def _line(hit: MemoryHit) -> str:
    name = "" if hit.key is None else f" {hit.key}:"
    return f"[{hit.source}]{name} {hit.text}"
