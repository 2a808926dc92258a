"""The members of contexts, as a test gives them and looks at them afterwards."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from plugin_sdk.errors import ToolError
from plugin_sdk.outcomes import JobStatus
from plugin_sdk.records import DataItem, PlayerInput, SessionView, TextReply, TurnMessage
from plugin_sdk.rules.data_ops import apply_data_ops
from plugin_sdk.testing.given import NotGiven
from plugin_sdk.values import JsonObject, JsonValue

Records = Mapping[str, Mapping[str, JsonValue]]
"""Records by namespace and key."""


class GivenStore:
    """`ctx.store`: the records, messages and answers that the test gave.

    A namespace that was not given fails; in one that was, a key without a record is `None`.
    """

    def __init__(
        self,
        data: Records,
        *,
        session: SessionView | None = None,
        player_inputs: Sequence[PlayerInput] = (),
        messages: Sequence[TurnMessage] = (),
    ) -> None:
        self.data: dict[str, dict[str, JsonValue]] = {
            namespace: dict(records) for namespace, records in data.items()
        }
        self._session = session
        self._player_inputs = list(player_inputs)
        self._messages = list(messages)

    async def get_plugin_data(self, namespace: str, key: str) -> JsonValue:
        return _copy(self._records(namespace).get(key))

    async def list_plugin_data(
        self, namespace: str, *, after: str = "", limit: int | None = None
    ) -> list[DataItem]:
        records = self._records(namespace)
        keys = [key for key in sorted(records) if key > after][:limit]
        return [DataItem(key, _copy(records[key])) for key in keys]

    async def get_session(self) -> SessionView:
        if self._session is None:
            raise NotGiven("ctx.store.get_session() was called: give session=SessionView(…).")
        return self._session

    async def list_player_inputs(self) -> list[PlayerInput]:
        return list(self._player_inputs)

    async def list_turn_messages(self, limit: int | None = None) -> list[TurnMessage]:
        return self._messages if limit is None else self._messages[-limit:]

    async def set_plugin_data(self, namespace: str, key: str, value: JsonValue) -> None:
        """Write at once, as actions do."""
        _put(self.data.setdefault(namespace, {}), key, value)

    def _records(self, namespace: str) -> dict[str, JsonValue]:
        if namespace not in self.data:
            raise NotGiven(
                f"Records of {namespace!r} were read, and the test gives none: "
                f"data={{{namespace!r}: {{…}}}}, empty where there are none."
            )
        return self.data[namespace]


class GivenData:
    """`ctx.plugin_data` over the same records; what was written can be read, as in a run."""

    def __init__(self, store: GivenStore) -> None:
        self._store = store

    async def get(self, namespace: str, key: str) -> JsonValue:
        return await self._store.get_plugin_data(namespace, key)

    async def list(self, namespace: str) -> list[DataItem]:
        return await self._store.list_plugin_data(namespace)

    async def set(self, namespace: str, key: str, value: JsonValue) -> None:
        _put(self._store.data.setdefault(namespace, {}), key, value)

    async def delete(self, namespace: str, key: str) -> None:
        self._store.data.setdefault(namespace, {}).pop(key, None)

    async def update(
        self, namespace: str, key: str, ops: Sequence[Mapping[str, JsonValue]]
    ) -> JsonValue:
        """The record after its operations, by the rules of the host."""
        before = await self.get(namespace, key)
        done = apply_data_ops(before, ops)
        after = None if done.deleted else done.record
        await self.set(namespace, key, after)
        return _copy(after)


def _copy(value: JsonValue) -> JsonValue:
    copied: JsonValue = copy.deepcopy(value)
    return copied


def _put(records: dict[str, JsonValue], key: str, value: JsonValue) -> None:
    if value is None:
        records.pop(key, None)
    else:
        records[key] = _copy(value)


class GivenWorld:
    """`ctx.world` with the characters, schema, dimensions and record that the test gave."""

    def __init__(
        self,
        *,
        characters: Sequence[JsonObject] = (),
        character_schema: JsonObject | None = None,
        dimensions: Mapping[str, JsonObject] | None = None,
        world_record: JsonObject | None = None,
    ) -> None:
        self.characters = tuple(characters)
        self.character_schema = character_schema
        self.dimensions = dict(dimensions or {})
        self.world_record = world_record


class CalledTools:
    """`ctx.tools`: answers by name, a value, an error, or a function of the arguments.

    `calls` holds the calls in their order, as pairs of name and arguments.
    """

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = dict(answers)
        self.calls: list[tuple[str, JsonObject]] = []

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        self.calls.append((name, dict(arguments)))
        if name not in self._answers:
            raise NotGiven(f"The tool {name!r} was called: give tools={{{name!r}: …}}.")
        return _answer(self._answers[name], arguments)


class GivenServices:
    """`ctx.services`: answers by contract, like those of tools; `calls` holds the calls."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = dict(answers)
        self.calls: list[tuple[str, JsonValue]] = []

    async def discover(self, contract: str) -> list[Any]:
        return [contract] if contract in self._answers else []

    async def call(self, contract: str, value: JsonValue = None, **_: Any) -> JsonValue:
        self.calls.append((contract, value))
        if contract not in self._answers:
            raise ToolError("unavailable", f"No provider offers {contract}.")
        return _answer(self._answers[contract], value)


def _answer(answer: Any, given: Any) -> JsonValue:
    if isinstance(answer, Exception):
        raise answer
    told: JsonValue = answer(given) if callable(answer) else _copy(answer)
    return told


class WrittenReplies:
    """`ctx.gateway`: texts in their order; `prompts` holds what was asked."""

    def __init__(self, replies: Sequence[str | Exception]) -> None:
        self._replies = list(replies)
        self.prompts: list[Any] = []

    async def generate_text(self, messages: Any, **_: Any) -> TextReply:
        self.prompts.append(messages)
        if not self._replies:
            raise NotGiven("A model was asked once more than the test has replies: replies=[…].")
        told = self._replies.pop(0)
        if isinstance(told, Exception):
            raise told
        return TextReply(text=told, model="test", finish_reason="stop")


class CollectedLog:
    """`ctx.logger`: `entries` holds level and message of everything that was logged."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str]] = []

    def debug(self, message: str, **_: JsonValue) -> None:
        self.entries.append(("debug", message))

    def info(self, message: str, **_: JsonValue) -> None:
        self.entries.append(("info", message))

    def warning(self, message: str, **_: JsonValue) -> None:
        self.entries.append(("warning", message))

    def error(self, message: str, **_: JsonValue) -> None:
        self.entries.append(("error", message))


class ReportedProgress:
    """`ctx.progress`: `reports` holds what was reported."""

    def __init__(self) -> None:
        self.reports: list[JobStatus] = []

    async def report(self, status: JobStatus) -> None:
        self.reports.append(status)


class OpenSignal:
    """`ctx.signal` of a run that nobody cancels."""

    cancelled = False

    async def wait(self) -> None:
        raise NotGiven("ctx.signal.wait() would wait for ever: give signal=….")
