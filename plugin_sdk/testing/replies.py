"""Replies of a model as a test writes them, in the form of scripts and runtime cases."""

from typing import Any

from plugin_sdk.values import JsonValue


def call(name: str, arguments: JsonValue = None, /, **named: JsonValue) -> dict[str, Any]:
    """One tool call of a reply; `arguments` may be text, so that a model's slips can be played."""
    return {"name": name, "arguments": named if arguments is None else arguments}


def reply(text: str | None = None, *calls: dict[str, Any], **more: JsonValue) -> dict[str, Any]:
    """A reply with a text, calls, or both; `more` are `usage` and `delayMs` of a script."""
    written: dict[str, Any] = {"calls": list(calls), **more}
    return written if text is None else {"text": text, **written}


def error_reply(status: int) -> dict[str, Any]:
    """An HTTP error of the provider in place of a reply; 429 and 5xx are tried again."""
    return {"error": {"status": status}}
