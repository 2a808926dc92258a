"""`memory-search`: find what was said or is known (seed: memory-search)."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from covel_host.memory.hits import DEFAULT_HITS, MAX_HITS, MemoryHit, Scope
from covel_host.tools.builtin.tool_input import ToolInput
from covel_host.tools.memory_search import MemorySearch
from plugin_sdk.results import with_model_view
from plugin_sdk.tools import Tool, tool
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


def memory_search_tool(memory: MemorySearch) -> Tool[..., Any]:
    """The tool of one session, over its `memory`."""

    @tool(
        name="memory-search",
        description=(
            "Search the session's memory: earlier messages, and the long-term knowledge of "
            "lorebook, characters and plugin records. Words match literally, without synonyms: "
            "name the people, places and things you look for."
        ),
        parameters=SearchInput,
        read_only=True,
        idempotent=True,
        concurrency_safe=True,
    )
    async def memory_search(asked: SearchInput) -> object:
        """The passages in order; the model reads them as a numbered list."""
        hits = await memory.search(asked.query, scope=asked.scope, limit=asked.limit)
        return with_model_view({"results": [_result(hit) for hit in hits]}, summary=_summary(hits))

    return memory_search


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
