"""From the text a model wrote to the keyword arguments (seed: 模型写错的参数 JSON)."""

from typing import TypeAlias

from covel_host.tools.arguments import (
    ArgumentsError,
    ParsedArguments,
    arguments_of,
    history_text,
    parse_arguments,
)
from covel_host.tools.arguments_fields import repair_text_fields
from covel_host.tools.calls import CallError
from covel_host.tools.registry import ToolDefinition
from plugin_sdk.errors import FIX_FIELDS_HINT, FieldProblem, ToolValidationError, problems_message
from plugin_sdk.values import JsonObject

ReadArguments: TypeAlias = tuple[dict[str, object], str]
"""Arguments that fit: the keywords for the function, and the text that the history keeps."""


class UnreadArguments(Exception):
    """Arguments that do not fit: `text` is for the history, `failure` for the model."""

    def __init__(self, failure: CallError, text: str) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.text = text


def read_arguments(tool: ToolDefinition, text: str) -> ReadArguments:
    """The arguments of one call, repaired where a mistake has one reading.

    Text that fits costs one parse. What was repaired still has to fit the tool's own parameters.

    Raises:
        UnreadArguments: not JSON, or values that do not fit; always `invalid-input`.
    """
    try:
        return tool.parse(text), text
    except ToolValidationError as error:
        problem = error
    try:
        parsed = parse_arguments(text)
    except ArgumentsError as error:
        failure = CallError("invalid-input", error.message)
        raise UnreadArguments(failure, history_text(text, None)) from None
    if parsed.repaired:
        try:
            return tool.parse(parsed.text), parsed.text
        except ToolValidationError as error:
            problem = error
    return _with_fields_read(tool, parsed, problem)


def unread_text(text: str) -> str:
    """What the history keeps of arguments that no function got: repaired, or as a JSON string."""
    try:
        return parse_arguments(text).text
    except ArgumentsError:
        return history_text(text, None)


def arguments_object(text: str) -> JsonObject | None:
    """The object that the argument text means, mistakes with one reading repaired; or None."""
    try:
        value = parse_arguments(text).value
    except ArgumentsError:
        return None
    return value if isinstance(value, dict) else None


def _with_fields_read(
    tool: ToolDefinition, parsed: ParsedArguments, problem: ToolValidationError
) -> ReadArguments:
    fields = repair_text_fields(parsed.value, tool.input_schema)
    if fields.repaired_paths:
        parsed = arguments_of(fields.value)
        try:
            return tool.parse(parsed.text), parsed.text
        except ToolValidationError as error:
            problem = error
    details = _told_better(problem.details, fields.problems)
    failure = CallError(
        "invalid-input",
        problems_message(details) if details else problem.message,
        hint=problem.hint or FIX_FIELDS_HINT,
        details=details,
    )
    raise UnreadArguments(failure, parsed.text)


def _told_better(
    details: tuple[FieldProblem, ...], text_problems: tuple[FieldProblem, ...]
) -> tuple[FieldProblem, ...]:
    """`details`, a text that could not be read explained by the reason why."""
    better = {problem.path: problem for problem in text_problems}
    return tuple(better.get(problem.path, problem) for problem in details)
