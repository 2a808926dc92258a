"""`emit-event`: an agent emits one declared domain event (seed: emit-event)."""

from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from covel_host.catalog.events import LoadedEvent
from covel_host.tools.event_directory import EventDirectory
from covel_host.tools.event_offer import offered_parameters
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import FieldProblem, ToolError, ToolValidationError
from plugin_sdk.outcomes import Event
from plugin_sdk.results import ToolResult, with_emitted_events, with_model_view
from plugin_sdk.shapes import Shape
from plugin_sdk.tools import ToolAnnotations


class _Arguments(BaseModel):
    """What a call holds; whether the topic is known is the directory's to say."""

    model_config = ConfigDict(hide_input_in_errors=True)

    topic: str
    data: Annotated[dict[str, JsonValue], Field(default_factory=dict)]


_SHAPE = Shape(_Arguments, subject='Tool "emit-event"')
_MAX_PROBLEMS = 5


class EmitEvent:
    """The tool of one session: its definition lists the topics of `events`.

    An event leaves a call in the emitted-events channel alone, never as a proposal as well.
    """

    name = "emit-event"
    description = (
        "Emit one domain event that a package of this session declares. One topic per call; call "
        "again for another topic. An event is recorded once per run: do not repeat it."
    )
    annotations = ToolAnnotations()
    timeout_ms: int | None = None
    is_async = True

    def __init__(self, events: EventDirectory) -> None:
        self._events = events

    def __repr__(self) -> str:
        return f"<EmitEvent of {len(self._events.advertised)} topics>"

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The schema a model sees; any text is taken for a topic, and then refused."""
        return offered_parameters(self._events.advertised)

    def parse(self, text: str) -> dict[str, object]:
        """The topic and the payload that one JSON text holds.

        Raises:
            ToolValidationError: not JSON, or a shape that does not fit.
        """
        arguments: _Arguments = _SHAPE.parse(text)
        return {"topic": arguments.topic, "data": arguments.data}

    async def invoke(self, context: ToolContext, arguments: dict[str, object]) -> object:
        """The receipt of the event, with the event beside it when it is a new one.

        Raises:
            ToolError: `refused` for a topic that no active package advertises: not a failure of
                the run. `invalid-input` for a payload that does not fit: one.
        """
        event = _Arguments.model_validate(arguments)
        if event.topic in context.emitted_event_topics:
            return _receipt(
                event.topic,
                f'event "{event.topic}" was already emitted this turn and is recorded. Do not emit '
                "it again; continue with the task.",
                is_new=False,
            )
        declared = self._events.advertised.get(event.topic)
        if declared is None:
            raise ToolError("refused", self._unknown(event.topic))
        _check_payload(declared, event.data)
        receipt = _receipt(
            event.topic,
            f'event "{event.topic}" emitted and recorded for this turn. Do not emit it again.',
            is_new=True,
        )
        return with_emitted_events(receipt, [Event(event.topic, event.data)])

    def _unknown(self, topic: str) -> str:
        known = ", ".join(self._events.advertised) or "(none — no consumer plugin active)"
        return (
            f'unknown topic "{topic}"; no active plugin consumes it, so it cannot be emitted. Do '
            f"not retry it. Available topics: {known}"
        )


def _check_payload(declared: LoadedEvent, data: dict[str, JsonValue]) -> None:
    problems = declared.payload.problems(data, limit=_MAX_PROBLEMS)
    if problems:
        raise ToolValidationError(
            f"event payload rejected: {'; '.join(map(str, problems))}",
            details=[
                FieldProblem(".".join(filter(None, ("data", problem.path))), problem.message)
                for problem in problems
            ],
        )


def _receipt(topic: str, text: str, *, is_new: bool) -> ToolResult:
    return with_model_view({"topic": topic, "emitted": is_new}, summary=text)
