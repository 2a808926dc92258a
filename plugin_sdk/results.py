"""Tool results with a view for the model, proposals and events, in any order and nesting.

The content is never changed and may be any value, scalars and frozen objects included. Setting a
channel again replaces it (seed: 结果与写入).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from plugin_sdk.outcomes import Event
from plugin_sdk.proposals import Proposal, parse_proposal
from plugin_sdk.values import JsonValue

TOOL_RESULT_KIND: Final = "covel.tool-result"


@dataclass(frozen=True, slots=True)
class ModelView:
    """What the model reads instead of the content; a view that names nothing shows nothing.

    `has_data` tells data that is None from no data.
    """

    summary: str | None = None
    data: JsonValue = None
    has_data: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's content with its channels; read it through the `get_…` functions.

    `model` is None where no view was set. `kind` grants nothing: source, permission and schema of
    every proposal are checked all the same.
    """

    kind: ClassVar[str] = TOOL_RESULT_KIND
    content: object
    model: ModelView | None = None
    pending_proposals: tuple[Proposal, ...] = ()
    emitted_events: tuple[Event, ...] = ()


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "…"


_MISSING: Final = _Missing()


def with_model_view(
    content: object, *, summary: str | None = None, data: object = _MISSING
) -> ToolResult:
    """`content` with the view the model reads.

    Only the members named here are sent; with only a summary the content stays hidden from the
    model. Code still reads the whole content.
    """
    given = data is not _MISSING
    # Authors may hand in models and dates; the host makes JSON of them.
    view = ModelView(summary=summary, data=data if given else None, has_data=given)  # type: ignore[arg-type]
    return replace(_result_of(content), model=view)


def with_pending_proposals(
    content: object, proposals: Iterable[Proposal | Mapping[str, object]]
) -> ToolResult:
    """`content` with proposals for the commit; `{"type", "payload"}` objects are parsed.

    Raises:
        ProposalInvalid: an object is no proposal.
    """
    listed = tuple(
        item if isinstance(item, Proposal) else parse_proposal(item) for item in proposals
    )
    return replace(_result_of(content), pending_proposals=listed)


def with_emitted_events(content: object, events: Iterable[Event]) -> ToolResult:
    """`content` with domain events, which run their followers in the same turn."""
    return replace(_result_of(content), emitted_events=tuple(events))


def get_tool_content(result: object) -> object:
    """The content of a result; a value that is no `ToolResult` is the content itself."""
    return result.content if isinstance(result, ToolResult) else result


def get_model_view(result: object) -> ModelView | None:
    """The view for the model, None where none was set."""
    return result.model if isinstance(result, ToolResult) else None


def get_pending_proposals(result: object) -> tuple[Proposal, ...]:
    """The staged writes, in order."""
    return result.pending_proposals if isinstance(result, ToolResult) else ()


def get_emitted_events(result: object) -> tuple[Event, ...]:
    """The emitted events, in order."""
    return result.emitted_events if isinstance(result, ToolResult) else ()


def _result_of(content: object) -> ToolResult:
    return content if isinstance(content, ToolResult) else ToolResult(content)
