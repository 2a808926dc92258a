"""What a client is told of a call: the envelope a model reads, and the value for code."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from covel_host.base.errors import HostError
from covel_host.base.json_text import dump_json, parse_json
from covel_host.runtime.result import RunFailure
from covel_host.tools.calls import ToolCallResult
from covel_host.tools.envelope import success_envelope
from covel_host.tools.envelope_texts import STAGED
from covel_host.turn.execution_report import ExecutionReport
from plugin_sdk.rules.instruction_locale import InstructionLocale
from plugin_sdk.values import JsonObject, JsonValue

COMMITTED: Final[Mapping[InstructionLocale, str]] = MappingProxyType(
    {"en": "Committed: it has taken effect.", "zh": "已提交，已生效。"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one call.

    `text` is the JSON object that a model reads, `structured` an object for code where there is
    one; of a failure it is the same object, `{"error": {code, message, hint?}}`. `place` says in
    which session and turn it happened, and as which revision it was committed.
    """

    text: str
    structured: JsonObject | None = None
    is_error: bool = False
    place: JsonObject = field(default_factory=dict)


def answer_of(report: ExecutionReport) -> Answer:
    """What came of an execution that was one call.

    Its failure is the call's own, or says why what the call wanted was not committed.
    """
    call = report.result.tool_calls[0] if report.result.tool_calls else None
    place: JsonObject = {"sessionId": report.session_id, "turnId": report.turn_id}
    if report.failure is None and call is not None:
        place["revision"] = report.revision
        text = _committed(call.envelope)
        return Answer(text=text, structured=_structured(call), place=place)
    if call is not None and call.error is not None:
        shown = parse_json(call.envelope)
        assert isinstance(shown, dict)
        return Answer(text=call.envelope, structured=shown, is_error=True, place=place)
    failure = report.failure or RunFailure("internal", "The call was not made.")
    return error_answer(failure.code, failure.message, hint=failure.hint, place=place)


def refusal_answer(error: HostError) -> Answer:
    """The answer to a call that could not begin."""
    return error_answer(error.code, error.message, hint=error.hint)


def error_answer(
    code: str,
    message: str,
    *,
    hint: str | None = None,
    place: JsonObject | None = None,
) -> Answer:
    """An answer in the form of a failed call's envelope.

    `code` is one of `TOOL_ERROR_CODES`, or that of the host's refusal.
    """
    error: JsonObject = {"code": code, "message": message}
    if hint:
        error["hint"] = hint
    shown: JsonObject = {"error": error}
    return Answer(text=dump_json(shown), structured=shown, is_error=True, place=place or {})


def _committed(envelope: str) -> str:
    """`envelope`, saying what became of staged writes: the call's own turn is over."""
    shown = parse_json(envelope)
    staged = shown.get("staged") if isinstance(shown, dict) else None
    if not isinstance(staged, dict):
        return envelope
    for language, notice in STAGED.items():
        if staged.get("notice") == notice:
            staged["notice"] = COMMITTED[language]
    return dump_json(shown)


def _structured(call: ToolCallResult) -> JsonObject | None:
    """The whole value where it is an object; of a value with a view of its own, what that shows.

    A view is the tool's word on what models may read (seed: 统一返回格式与错误码), and clients
    hand structured content to models.
    """
    shown = _data(call.envelope)
    of_content = _data(success_envelope(call.content, language="en"))
    value = call.content if shown == of_content else shown
    return value if isinstance(value, dict) else None


def _data(envelope: str) -> JsonValue:
    shown = parse_json(envelope)
    return shown.get("data") if isinstance(shown, dict) else None
