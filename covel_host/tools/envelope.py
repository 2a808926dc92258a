"""The JSON object that the model reads after a tool call (seed: 统一返回格式与错误码).

A success holds `summary`, `data` and `staged`, in that order, each where there is something to say;
a failure holds `error` alone. Every function gives the compact JSON text. Code never reads these
envelopes: it gets the full content and the full error.
"""

from __future__ import annotations

from collections.abc import Iterable

from covel_host.base.json_text import dump_copied, dump_json, json_copy, parse_json
from covel_host.tools.envelope_texts import (
    DONE,
    STAGED,
    authored_text,
    unexpected_text,
)
from plugin_sdk.errors import ToolErrorCode
from plugin_sdk.results import ModelView
from plugin_sdk.rules.instruction_locale import InstructionLocale
from plugin_sdk.rules.model_facing import model_facing_json
from plugin_sdk.values import JsonValue


class _Nothing:
    """Stands for data that is not there; `None` is data."""


_NOTHING = _Nothing()


def success_envelope(
    content: JsonValue,
    *,
    view: ModelView | None = None,
    proposal_types: Iterable[str] = (),
    event_count: int = 0,
    language: InstructionLocale,
) -> str:
    """What the model reads after a call that succeeded.

    Args:
        content: what the tool returned; None is nothing. Without a `view` it is the data, in its
            model-facing form and without a top-level `ui` list.
        view: what the tool wants the model to read in place of the content; its summary is kept as
            it is. A view that names nothing shows nothing.
        proposal_types: the type of each staged write, in order.
        event_count: how many domain events the call emitted.
        language: the session's instruction language, for the fixed texts.

    Raises:
        JsonValueError: the view's data has no JSON form.
    """
    types = list(proposal_types)
    staged = _staged(types, event_count, language) if types or event_count else None
    if view is None:
        return _written(None, _data_of_content(content), staged, language)
    return _written(view.summary, _data_of_view(view), staged, language)


def replaced_envelope(envelope: str, content: JsonValue, *, language: InstructionLocale) -> str:
    """The envelope of a success whose content a hook has replaced; what was staged stays in it.

    A view that the tool had made of its own content is no longer one of it.
    """
    before = parse_json(envelope)
    staged = before.get("staged") if isinstance(before, dict) else None
    return _written(None, _data_of_content(content), staged, language)


def failure_envelope(
    tool_name: str,
    code: ToolErrorCode,
    message: str,
    *,
    hint: str | None = None,
    authored: bool = False,
) -> str:
    """What the model reads after a call that failed; always English.

    An `internal` message is taken for the text of an unexpected error and shown as
    `Tool "<name>" failed: …`: its first line, UUIDs masked, at most 300 characters. Every other
    message is kept, up to 2,000 characters; so is an `internal` one that was `authored`, that is,
    written for the model in a `ToolError`.
    """
    if code == "internal" and not authored:
        text = unexpected_text(tool_name, message)
    else:
        text = authored_text(message)
    error: dict[str, JsonValue] = {"code": code, "message": text}
    if hint:
        error["hint"] = authored_text(hint)
    return dump_json({"error": error})


def answer_envelope(summary: str, answer: JsonValue) -> str:
    """What replaces the placeholder of a `suspend` call once the player answered.

    The answer is the player's own and stays whole, identifiers and times included (seed: suspend).
    """
    return dump_json({"summary": summary, "data": answer})


def _written(
    summary: str | None, data: JsonValue | _Nothing, staged: JsonValue, language: InstructionLocale
) -> str:
    envelope: dict[str, JsonValue] = {}
    if summary is not None:
        envelope["summary"] = summary
    if not isinstance(data, _Nothing):
        envelope["data"] = model_facing_json(data)
    if staged is not None:
        envelope["staged"] = staged
    return dump_copied(envelope or {"summary": DONE[language]})


def _data_of_view(view: ModelView) -> JsonValue | _Nothing:
    # An author may hand in models and dates.
    return json_copy(view.data) if view.has_data else _NOTHING


def _data_of_content(content: JsonValue) -> JsonValue | _Nothing:
    if content is None:
        return _NOTHING
    if isinstance(content, dict) and isinstance(content.get("ui"), list):
        return {key: value for key, value in content.items() if key != "ui"}
    return content


def _staged(types: list[str], event_count: int, language: InstructionLocale) -> JsonValue:
    kinds: list[JsonValue] = [*dict.fromkeys(types), *(["event"] if event_count else [])]
    return {"count": len(types) + event_count, "kinds": kinds, "notice": STAGED[language]}
