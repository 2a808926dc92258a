"""`search-tools`: the tools a runtime deferred, found by keywords (seed: search-tools).

The loop answers its calls itself; it is in no registry and the executor never runs it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Final
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field

from covel_host.base.error_texts import cut_text
from covel_host.models.messages import ToolSpec
from covel_host.tools.registry import CallableTool, ToolDefinition
from plugin_sdk.results import ToolResult, with_model_view
from plugin_sdk.rules.ranking import Document, rank_documents
from plugin_sdk.rules.terms import document_terms
from plugin_sdk.shapes import Shape
from plugin_sdk.tools import ToolAnnotations

DEFAULT_LIMIT: Final = 8
MAX_LIMIT: Final = 20

_JOINT: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_MAX_SCHEMA_DEPTH: Final = 32
_SHOWN_QUERY: Final = 200


class _Arguments(BaseModel):
    """What a call holds."""

    model_config = ConfigDict(hide_input_in_errors=True)

    query: Annotated[
        str,
        Field(min_length=1, description="Keywords of the ability you need, in any language."),
    ]
    limit: Annotated[
        int, Field(ge=1, le=MAX_LIMIT, description="How many tools to load at most.")
    ] = DEFAULT_LIMIT


_SHAPE = Shape(_Arguments, subject='Tool "search-tools"')


class SearchTools:
    """The deferred tools of one run: `loaded` are those the model has found so far.

    Only tools that the runtime may call are in it, so that nothing else can be found. A tool stays
    loaded for the rest of the run.
    """

    name = "search-tools"
    annotations = ToolAnnotations(read_only=True, stages_writes=False)

    def __init__(self, tools: Iterable[CallableTool], *, plugin_id: str) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._loaded: dict[str, ToolSpec] = {}
        self.description = (
            f"Find and load more tools: {len(self._tools)} tools of the plugin {plugin_id!r} are "
            "not in your list yet. What you find can be called from your next reply on. Search "
            "before you conclude that something cannot be done."
        )
        self.input_schema: dict[str, Any] = _SHAPE.json_schema

    @property
    def loaded(self) -> tuple[ToolSpec, ...]:
        """The definitions that were found, in the order in which they were."""
        return tuple(self._loaded.values())

    def load(self, names: Iterable[str]) -> None:
        """Put deferred tools into the model's list; other names change nothing."""
        for name in names:
            tool = self._tools.get(name)
            if tool is not None:
                self._loaded.setdefault(name, spec_of(tool))

    def parse(self, text: str) -> dict[str, object]:
        """The arguments that one JSON text holds.

        Raises:
            ToolValidationError: not JSON, or values that do not fit.
        """
        arguments: _Arguments = _SHAPE.parse(text)
        return {"query": arguments.query, "limit": arguments.limit}

    def found(self, arguments: dict[str, object]) -> ToolResult:
        """What fits best, loaded; the model reads names and descriptions."""
        wanted = _Arguments.model_validate(arguments)
        found = self._ranked(wanted.query, wanted.limit)
        self.load(tool.name for tool in found)
        return with_model_view(
            {"tools": [tool.name for tool in found]}, summary=_summary(wanted.query, found)
        )

    def _ranked(self, query: str, limit: int) -> list[CallableTool]:
        tools = list(self._tools.values())
        ranked = rank_documents(_spoken(query), [_document(tool) for tool in tools], limit=limit)
        return [tools[hit.index] for hit in ranked]


def spec_of(tool: ToolDefinition) -> ToolSpec:
    """A tool as a model sees it."""
    return ToolSpec(tool.name, tool.description, tool.input_schema)


def search_text(tool: CallableTool) -> str:
    """What is searched of a tool: name, description, its parameters' names and descriptions."""
    words = (tool.name, tool.description, *_parameter_texts(tool.input_schema, 0))
    return _spoken("\n".join(words))


_DOCUMENTS: Final[WeakKeyDictionary[CallableTool, Document]] = WeakKeyDictionary()
# A package's tools outlive a run, and reading them takes far longer than searching them does.


def _document(tool: CallableTool) -> Document:
    read = _DOCUMENTS.get(tool)
    if read is None:
        read = _DOCUMENTS[tool] = document_terms(search_text(tool))
    return read


def _parameter_texts(schema: object, depth: int) -> Iterator[str]:
    if depth > _MAX_SCHEMA_DEPTH:
        return
    if isinstance(schema, list):
        for item in schema:
            yield from _parameter_texts(item, depth + 1)
        return
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key == "description" and isinstance(value, str):
            yield value
        elif key == "properties" and isinstance(value, dict):
            yield from value
            for field in value.values():
                yield from _parameter_texts(field, depth + 1)
        elif key not in ("default", "enum", "const", "examples", "required"):
            yield from _parameter_texts(value, depth + 1)


def _spoken(text: str) -> str:
    """`text` followed by the single words of names such as `sceneId` and `scene_id`."""
    parted = (_JOINT.sub(" ", word) for word in text.split() if _JOINT.search(word))
    return " ".join((text, *parted))


def _summary(query: str, found: Sequence[CallableTool]) -> str:
    if not found:
        shown = cut_text(query, _SHOWN_QUERY)
        return f'No tool fits "{shown}". Search again with other words for the ability you need.'
    lines = [f"- {tool.name}: {_first_paragraph(tool.description)}" for tool in found]
    return "\n".join(("Loaded, and callable from your next reply on:", *lines))


def _first_paragraph(description: str) -> str:
    return " ".join(description.partition("\n\n")[0].split())
