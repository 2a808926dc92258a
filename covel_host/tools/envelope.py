"""The JSON object that the model reads after a tool call (seed: 统一返回格式与错误码).

A success holds `summary`, `data` and `staged`, in that order, each where there is something to say;
a failure holds `error` alone. Every function gives the compact JSON text. Code never reads these
envelopes: it gets the full content and the full error.
"""

from __future__ import annotations

from collections.abc import Collection

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
from plugin_sdk.rules.model_facing import may_hold_bookkeeping, model_facing_json
from plugin_sdk.values import JsonValue


def success_envelope(
    content: JsonValue,
    *,
    view: ModelView | None = None,
    proposal_types: Collection[str] = (),
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
    envelope: dict[str, JsonValue] = {}
    if view is None:
        _add_content(envelope, content)
    else:
        _add_view(envelope, view)
    if proposal_types or event_count:
        envelope["staged"] = _staged(proposal_types, event_count, language)
    return dump_copied(envelope or {"summary": DONE[language]})


def content_envelope(content: JsonValue, text: str, *, language: InstructionLocale) -> str:
    """The same after a call that gave nothing but `content`; `text` is its compact JSON text."""
    if content is None or '"ui":' in text or may_hold_bookkeeping(text):
        return success_envelope(content, language=language)
    return f'{{"data":{text}}}'


def replaced_envelope(envelope: str, content: JsonValue, *, language: InstructionLocale) -> str:
    """The envelope of a success whose content a hook has replaced; what was staged stays in it.

    A view that the tool had made of its own content is no longer one of it.
    """
    before = parse_json(envelope)
    replaced: dict[str, JsonValue] = {}
    _add_content(replaced, content)
    if isinstance(before, dict) and "staged" in before:
        replaced["staged"] = before["staged"]
    return dump_copied(replaced or {"summary": DONE[language]})


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


def _add_content(envelope: dict[str, JsonValue], content: JsonValue) -> None:
    if content is None:
        return
    if type(content) is dict and type(content.get("ui")) is list:
        content = {key: value for key, value in content.items() if key != "ui"}
    envelope["data"] = model_facing_json(content)


def _add_view(envelope: dict[str, JsonValue], view: ModelView) -> None:
    if view.summary is not None:
        envelope["summary"] = view.summary
    if view.has_data:
        # An author may hand in models and dates.
        envelope["data"] = model_facing_json(json_copy(view.data))


def _staged(types: Collection[str], event_count: int, language: InstructionLocale) -> JsonValue:
    kinds: list[JsonValue] = [*dict.fromkeys(types), *(["event"] if event_count else [])]
    return {"count": len(types) + event_count, "kinds": kinds, "notice": STAGED[language]}
