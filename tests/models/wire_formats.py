"""The four request formats as a server speaks them: whole bodies and streams, byte for byte.

A stream is a list of frames; the last ones, as many as `end_frames` says, hold its end mark.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.models.http_double import DONE, USAGE_CHUNK, call_fragment, chat_message, chunk

Call = tuple[str, str, str]
"""ID, name and the text of the arguments."""


@dataclass(frozen=True)
class Format:
    """One format.

    Attributes:
        whole: a whole reply; arguments are text, calls, reasoning and the word it ends with.
        frames: the same as a stream; texts and arguments come in as many pieces as are given.
        words: the provider's word for each way a reply ends.
        error: the body of an error answer.
        error_frame: an error inside a stream.
        key_header: the header that carries the key.
        path: where a request goes, below the address.
    """

    protocol: str
    whole: Callable[..., dict[str, Any]]
    frames: Callable[..., list[str]]
    end_frames: int
    words: dict[str, str]
    error: Callable[[str], dict[str, Any]]
    error_frame: Callable[[str], str]
    key_header: str
    path: Callable[[bool], str]

    def __str__(self) -> str:
        return self.protocol


def _data(value: Any, *, event: str | None = None) -> str:
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(value, ensure_ascii=False)}\n\n"


# --- OpenAI Chat -----------------------------------------------------------------------------


def _chat_whole(
    text: str | None, calls: Sequence[Call] = (), *, reasoning: str = "", finish: str = "stop"
) -> dict[str, Any]:
    extra = {"reasoning_content": reasoning} if reasoning else {}
    return chat_message(text, calls, finish=finish, **extra)


def _chat_frames(
    texts: Sequence[str],
    calls: Sequence[tuple[str, str, Sequence[str]]] = (),
    *,
    reasoning: Sequence[str] = (),
    finish: str = "stop",
) -> list[str]:
    frames = [chunk({"reasoning_content": piece}) for piece in reasoning]
    frames += [chunk({"content": piece}) for piece in texts]
    for index, (call, name, pieces) in enumerate(calls):
        frames.append(call_fragment(index, "", call=call, name=name))
        frames += [call_fragment(index, piece) for piece in pieces]
    return [*frames, chunk(finish=finish), USAGE_CHUNK, DONE]


CHAT = Format(
    protocol="openai-chat-v1",
    whole=_chat_whole,
    frames=_chat_frames,
    end_frames=3,
    words={"stop": "stop", "length": "length", "tool_calls": "tool_calls"},
    error=lambda message: {"error": {"message": message, "type": "t", "code": "c"}},
    error_frame=lambda message: _data({"error": {"message": message}}),
    key_header="authorization",
    path=lambda stream: "/v1/chat/completions",
)


# --- OpenAI Responses ------------------------------------------------------------------------


def _responses_item(number: int, **item: Any) -> dict[str, Any]:
    return {"id": f"item-{number}", "status": "completed", **item}


def _responses_output(
    text: str | None, calls: Sequence[Call], reasoning: str
) -> list[dict[str, Any]]:
    items = []
    if reasoning:
        summary = [{"type": "summary_text", "text": reasoning}]
        sealed = {"encrypted_content": "sealed"}
        items.append(_responses_item(0, type="reasoning", summary=summary, **sealed))
    if text:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        items.append(_responses_item(1, type="message", role="assistant", content=content))
    items += [
        _responses_item(number, type="function_call", call_id=call, name=name, arguments=arguments)
        for number, (call, name, arguments) in enumerate(calls, start=2)
    ]
    return items


def _response(output: list[dict[str, Any]], finish: str) -> dict[str, Any]:
    is_complete = finish == "completed"
    return {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "served-model",
        "status": "completed" if is_complete else "incomplete",
        "incomplete_details": None if is_complete else {"reason": finish},
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 11,
            "output_tokens": 7,
            "total_tokens": 18,
            "input_tokens_details": {"cached_tokens": 4},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def _responses_whole(
    text: str | None, calls: Sequence[Call] = (), *, reasoning: str = "", finish: str = "completed"
) -> dict[str, Any]:
    return _response(_responses_output(text, calls, reasoning), finish)


def _responses_frames(
    texts: Sequence[str],
    calls: Sequence[tuple[str, str, Sequence[str]]] = (),
    *,
    reasoning: Sequence[str] = (),
    finish: str = "completed",
) -> list[str]:
    whole = [(call, name, "".join(pieces)) for call, name, pieces in calls]
    output = _responses_output("".join(texts), whole, "".join(reasoning))
    frames: list[str] = []

    def add(kind: str, **facts: Any) -> None:
        frames.append(_data({"type": kind, "sequence_number": len(frames), **facts}, event=kind))

    add("response.created", response={**_response([], finish), "status": "in_progress"})
    for index, item in enumerate(output):
        place = {"output_index": index, "item_id": item["id"]}
        is_call = item["type"] == "function_call"
        start = {**item, "arguments": ""} if is_call else {**item, "content": []}
        add("response.output_item.added", output_index=index, item=start)
        if item["type"] == "message":
            for piece in texts:
                add(
                    "response.output_text.delta", content_index=0, delta=piece, logprobs=[], **place
                )
        elif item["type"] == "reasoning":
            for piece in reasoning:
                add("response.reasoning_summary_text.delta", summary_index=0, delta=piece, **place)
        else:
            pieces = next(pieces for call, _, pieces in calls if call == item["call_id"])
            for piece in pieces:
                add("response.function_call_arguments.delta", delta=piece, **place)
            add("response.function_call_arguments.done", arguments=item["arguments"], **place)
        add("response.output_item.done", output_index=index, item=item)
    kind = "response.completed" if finish == "completed" else "response.incomplete"
    add(kind, response=_response(output, finish))
    return frames


RESPONSES = Format(
    protocol="openai-responses-v1",
    whole=_responses_whole,
    frames=_responses_frames,
    end_frames=1,
    words={"stop": "completed", "length": "max_output_tokens", "tool_calls": "completed"},
    error=lambda message: {"error": {"message": message, "type": "t", "code": "c"}},
    error_frame=lambda message: _data(
        {"type": "error", "code": "server_error", "message": message, "sequence_number": 9},
        event="error",
    ),
    key_header="authorization",
    path=lambda stream: "/v1/responses",
)


# --- Anthropic Messages ----------------------------------------------------------------------

_ANTHROPIC_USAGE = {
    "input_tokens": 3,
    "output_tokens": 7,
    "cache_read_input_tokens": 4,
    "cache_creation_input_tokens": 4,
}


def _anthropic_message(content: list[dict[str, Any]], finish: str | None) -> dict[str, Any]:
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "served-model",
        "content": content,
        "stop_reason": finish,
        "stop_sequence": None,
        "usage": _ANTHROPIC_USAGE,
    }


def _anthropic_whole(
    text: str | None, calls: Sequence[Call] = (), *, reasoning: str = "", finish: str = "end_turn"
) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if reasoning:
        content.append({"type": "thinking", "thinking": reasoning, "signature": "signed"})
    if text:
        content.append({"type": "text", "text": text})
    content += [
        {"type": "tool_use", "id": call, "name": name, "input": json.loads(arguments)}
        for call, name, arguments in calls
    ]
    return _anthropic_message(content, finish)


def _anthropic_frames(
    texts: Sequence[str],
    calls: Sequence[tuple[str, str, Sequence[str]]] = (),
    *,
    reasoning: Sequence[str] = (),
    finish: str = "end_turn",
) -> list[str]:
    frames: list[str] = []

    def add(kind: str, **facts: Any) -> None:
        frames.append(_data({"type": kind, **facts}, event=kind))

    def block(index: int, start: dict[str, Any], deltas: Sequence[dict[str, Any]]) -> None:
        add("content_block_start", index=index, content_block=start)
        for delta in deltas:
            add("content_block_delta", index=index, delta=delta)
        add("content_block_stop", index=index)

    add("message_start", message={**_anthropic_message([], None)})
    index = 0
    if reasoning:
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in reasoning]
        deltas.append({"type": "signature_delta", "signature": "signed"})
        block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
        index += 1
    if texts:
        deltas = [{"type": "text_delta", "text": piece} for piece in texts]
        block(index, {"type": "text", "text": ""}, deltas)
        index += 1
    for call, name, pieces in calls:
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        block(index, {"type": "tool_use", "id": call, "name": name, "input": {}}, deltas)
        index += 1
    ends = {"stop_reason": finish, "stop_sequence": None}
    add("message_delta", delta=ends, usage={"output_tokens": 7})
    add("message_stop")
    return frames


MESSAGES = Format(
    protocol="anthropic-messages-v1",
    whole=_anthropic_whole,
    frames=_anthropic_frames,
    end_frames=1,
    words={"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"},
    error=lambda message: {"type": "error", "error": {"type": "x_error", "message": message}},
    error_frame=lambda message: _data(
        {"type": "error", "error": {"type": "api_error", "message": message}}, event="error"
    ),
    key_header="x-api-key",
    path=lambda stream: "/v1/messages",
)


# --- Google Generative Language --------------------------------------------------------------


def _google_reply(parts: list[dict[str, Any]], finish: str | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    usage = {
        "promptTokenCount": 11,
        "candidatesTokenCount": 7,
        "totalTokenCount": 18,
        "cachedContentTokenCount": 4,
    }
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "served-model"}


def _google_calls(calls: Sequence[Call]) -> list[dict[str, Any]]:
    return [
        {"functionCall": {"id": call, "name": name, "args": json.loads(arguments)}}
        for call, name, arguments in calls
    ]


def _google_whole(
    text: str | None, calls: Sequence[Call] = (), *, reasoning: str = "", finish: str = "STOP"
) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": reasoning, "thought": True}] if reasoning else []
    parts += [{"text": text}] if text else []
    return _google_reply([*parts, *_google_calls(calls)], finish)


def _google_frames(
    texts: Sequence[str],
    calls: Sequence[tuple[str, str, Sequence[str]]] = (),
    *,
    reasoning: Sequence[str] = (),
    finish: str = "STOP",
) -> list[str]:
    parts: list[dict[str, Any]] = [{"text": piece, "thought": True} for piece in reasoning]
    parts += [{"text": piece} for piece in texts]
    parts += _google_calls([(call, name, "".join(pieces)) for call, name, pieces in calls])
    frames = [_data(_google_reply([part], None)) for part in parts]
    return [*frames, _data(_google_reply([], finish))]


GENERATE = Format(
    protocol="google-generative-ai-v1",
    whole=_google_whole,
    frames=_google_frames,
    end_frames=1,
    words={"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP"},
    error=lambda message: {"error": {"code": 1, "message": message, "status": "X"}},
    error_frame=lambda message: _data(
        {"error": {"code": 500, "message": message, "status": "INTERNAL"}}
    ),
    key_header="x-goog-api-key",
    path=lambda stream: (
        "/v1/models/lab/model-1:"
        + ("streamGenerateContent?alt=sse" if stream else "generateContent")
    ),
)

FORMATS = (CHAT, RESPONSES, MESSAGES, GENERATE)
