"""The context of an RPC action; it dies with the call (spec/manifest.md 10.1)."""

import difflib
import random
from collections.abc import Mapping

from covel_host.base.answer_sizes import size_problem
from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.base.own_texts import own_messages, own_translations
from covel_host.base.package_logger import PackageLogger
from covel_host.catalog.generation import Generation
from covel_host.runtime.call_life import CallLife
from covel_host.turn.action_store import ActionStoreView
from covel_host.turn.action_writes import ActionWrites
from plugin_sdk.errors import ToolError
from plugin_sdk.outcomes import Event
from plugin_sdk.records import CommandInvocation
from plugin_sdk.values import JsonObject, JsonValue

_MAX_PROBLEMS = 5


class ActionCallContext:
    """The `ActionContext` of one call.

    After the end of the call everything that reads or writes answers `ToolError("unavailable")`.
    """

    def __init__(
        self,
        *,
        generation: Generation,
        session_id: str,
        locale: str,
        action: str,
        runtime_id: str | None,
        life: CallLife,
        store: ActionStoreView,
        writes: ActionWrites,
        signal: CancelSignal,
        randomness: random.Random,
        clock: Clock,
        command: CommandInvocation | None = None,
        environment: JsonObject | None = None,
    ) -> None:
        self._generation = generation
        self._session_id = session_id
        self._locale = locale
        self._action = action
        self._runtime_id = runtime_id
        self._life = life
        self._store = store
        self._writes = writes
        self._signal = signal
        self._random = randomness
        self._clock = clock
        self._command = command
        self._environment = environment or {}
        self._logger = PackageLogger(generation.plugin_id)

    @property
    def locale(self) -> str:
        return self._locale

    @property
    def messages(self) -> Mapping[str, str]:
        return own_messages(self._generation.translations, self._locale)

    @property
    def translations(self) -> Mapping[str, Mapping[str, str]]:
        return own_translations(self._generation.translations)

    @property
    def plugin_id(self) -> str:
        return self._generation.plugin_id

    @property
    def session_id(self) -> str:
        return self._session_id

    @property
    def signal(self) -> CancelSignal:
        return self._signal

    @property
    def random(self) -> random.Random:
        return self._random

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def logger(self) -> PackageLogger:
        return self._logger

    @property
    def action(self) -> str:
        return self._action

    @property
    def runtime_id(self) -> str | None:
        return self._runtime_id

    @property
    def store(self) -> ActionStoreView:
        return self._store

    @property
    def command(self) -> CommandInvocation | None:
        return self._command

    @property
    def environment(self) -> Mapping[str, JsonValue]:
        return {name: json_copy(value) for name, value in self._environment.items()}

    async def emit(self, event: Event) -> None:
        """Commits the event at once.

        Raises:
            ToolError: `invalid-input`: the package does not declare the topic, or the data do not
                fit the declared schema.
        """
        self._check_event(event)
        payload = {"topic": event.topic, "data": event.data}
        await self._life.use(lambda: self._writes.write("event.emit", payload))

    def _check_event(self, event: Event) -> None:
        declared = self._generation.events
        found = declared.get(event.topic)
        if found is None:
            near = difflib.get_close_matches(str(event.topic), declared, n=1)
            raise ToolError(
                "invalid-input",
                f"The package declares no event {event.topic!r}.",
                hint=f"Did you mean {near[0]!r}?"
                if near
                else "List it under `contributes.events` in PLUGIN.md.",
            )
        try:
            data = json_copy(event.data)
            problems = found.payload.problems(data, limit=_MAX_PROBLEMS)
        except JsonValueError as error:
            raise ToolError(
                "invalid-input", f"The data of {event.topic!r} are not JSON: {error}."
            ) from error
        if problems:
            listed = "; ".join(str(problem) for problem in problems)
            raise ToolError(
                "invalid-input", f"The data of {event.topic!r} do not fit its schema: {listed}"
            )
        problem = size_problem(data)
        if problem is not None:
            raise ToolError(
                "invalid-input", f"The data of {event.topic!r} are too large: {problem}."
            )
