"""What a recording holds of each run: everything that it took from outside, in its order."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from covel_host.base.json_text import JsonTextError, dump_json, parse_json
from covel_host.trace.redaction import redact
from plugin_sdk.values import JsonObject, JsonValue


@dataclass(slots=True)
class RunTape:
    """One run, the `number`th of its runtime in the execution, from 0; or the execution itself.

    `calls` are those to models, `embeddings` and `requests` what they say, `ids` the IDs that were
    made for it by kind, `times` and `ticks` what package code read from the clock.
    """

    runtime_id: str
    number: int
    calls: list[JsonObject] = field(default_factory=list)
    embeddings: list[JsonObject] = field(default_factory=list)
    requests: list[JsonObject] = field(default_factory=list)
    ids: dict[str, list[JsonValue]] = field(default_factory=dict)
    times: list[JsonValue] = field(default_factory=list)
    ticks: list[JsonValue] = field(default_factory=list)

    def to_json(self, shared: "SharedParts", secrets: Collection[str]) -> JsonObject:
        """The tape as it is stored: without credentials, and with long parts in `shared`."""
        calls: list[JsonValue] = [
            _with_request(one, shared.put_request, secrets) for one in self.calls
        ]
        return {
            "runtimeId": self.runtime_id,
            "number": self.number,
            "calls": calls,
            "embeddings": [redact(one, secrets=secrets) for one in self.embeddings],
            "requests": [redacted_request(one, secrets) for one in self.requests],
            "ids": dict(self.ids),
            "times": self.times,
            "ticks": self.ticks,
        }

    @classmethod
    def from_json(cls, told: Any, shared: "SharedParts") -> "RunTape":
        """The tape again."""
        return cls(
            runtime_id=told["runtimeId"],
            number=told["number"],
            calls=[{**one, "request": shared.get_request(one["request"])} for one in told["calls"]],
            embeddings=told["embeddings"],
            requests=told["requests"],
            ids=told["ids"],
            times=told["times"],
            ticks=told["ticks"],
        )


class SharedParts:
    """Messages and tools of all requests, each kept once: every step of a run repeats those before.

    `values` are the parts by number.
    """

    def __init__(self, values: list[JsonValue] | None = None) -> None:
        self.values: list[JsonValue] = [] if values is None else values
        self._numbers: dict[str, int] = {}

    def put_request(self, request: Any) -> JsonValue:
        """The request with numbers in place of its messages and tools."""
        return {
            **request,
            "messages": [self._put(one) for one in request["messages"]],
            "tools": [self._put(one) for one in request["tools"]],
        }

    def get_request(self, told: Any) -> JsonObject:
        """The request again."""
        return {
            **told,
            "messages": [self.values[one] for one in told["messages"]],
            "tools": [self.values[one] for one in told["tools"]],
        }

    def _put(self, part: JsonValue) -> int:
        text = dump_json(part)
        number = self._numbers.setdefault(text, len(self.values))
        if number == len(self.values):
            self.values.append(part)
        return number


def redacted_request(request: Any, secrets: Collection[str]) -> JsonObject:
    """A request of package code and its answer without credentials, those in JSON bodies too."""
    shown: Any = redact(request, secrets=secrets)
    for told, kept in (
        (request.get("request"), shown.get("request")),
        (request.get("response"), shown.get("response")),
    ):
        if kept is not None and "text" in kept["body"]:
            kept["body"]["text"] = _redacted_body(told["body"]["text"], secrets)
    return dict(shown)


def _redacted_body(text: str, secrets: Collection[str]) -> JsonValue:
    try:
        value = parse_json(text)
    except JsonTextError:
        return redact(text, secrets=secrets)
    shown = redact(value, secrets=secrets)
    return text if shown == value else dump_json(shown)


def _with_request(call: Any, put: Any, secrets: Collection[str]) -> JsonObject:
    shown: Any = redact(call, secrets=secrets)
    return {**shown, "request": put(shown["request"])}
