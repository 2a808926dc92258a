"""The `covel` fixture: a package in a host of its own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from plugin_sdk.testing.clocks import ManualClock
from plugin_sdk.testing.results import (
    JobResult,
    Question,
    RunResult,
    TakenEvent,
    ToolAnswer,
    TurnResult,
)
from plugin_sdk.values import JsonObject, JsonValue

Replies = Sequence[str | Mapping[str, Any]] | None
"""What a model answers, in order; a text stands for `reply(text)`, None for the offline model."""


class Covel(Protocol):
    """The package under test in a private host: its database, clock and chance are its own.

    One session is made on first use and kept for the whole test. The package and its companions are
    trusted and loaded; no other package of the person's folders is looked at. What is run has to
    go well: `RunFailed` and `Refused` (see `plugin_sdk.testing`) are raised otherwise. Every method
    that may ask a model takes its `replies`: too few or too many of them raise `WrongReplies`.
    """

    @property
    def plugin_id(self) -> str:
        """The package's ID."""

    @property
    def path(self) -> Path:
        """The package's folder."""

    @property
    def session_id(self) -> str:
        """The ID of the session."""

    @property
    def clock(self) -> ManualClock:
        """The host's clock; `covel.clock.advance(60)` lets a minute pass."""

    @property
    def events(self) -> Sequence[TakenEvent]:
        """What the session's clients were told so far, in order."""

    def run(
        self,
        runtime: str | None = None,
        *,
        payload: JsonValue = None,
        message: str | None = None,
        replies: Replies = (),
    ) -> RunResult:
        """Run one runtime by hand and commit its turn, as `covel run` does.

        `runtime` may be left out where the package has one, and its package's ID before the `/`.

        Raises:
            RunFailed: nothing was committed; its `result` holds the run.
            Refused: it could not begin, such as for a payload that its schema refuses.
        """

    def turn(
        self,
        message: str | None = None,
        *,
        answers: Mapping[str, JsonObject] | None = None,
        replies: Replies = (),
    ) -> TurnResult:
        """Play a turn of the session; with neither message nor answers the session's start.

        `answers` are fields by interaction ID, stored before the turn.

        Raises:
            RunFailed: the turn was not committed.
            Refused: it could not begin; an answer was not accepted.
        """

    def tool(self, name: str, arguments: JsonObject | None = None, /, **named: Any) -> ToolAnswer:
        """Call a tool as a model would, and commit what it staged.

        The arguments are given as an object or by name.

        Raises:
            RunFailed: the call failed; its `result` is the `ToolAnswer`.
            Refused: the package has no such tool.
        """

    def rpc(self, action: str, payload: JsonValue = None) -> JsonValue:
        """What an RPC action answers; its writes are committed.

        Raises:
            RunFailed: the action failed.
            Refused: there is no such action, or the payload does not fit.
        """

    def command(self, line: str) -> JsonValue:
        """What a player's command such as `/roll 2d6` answers; a text for `/help`.

        Raises:
            RunFailed: its action failed.
            Refused: no such command, or wrong arguments.
        """

    def questions(self) -> list[Question]:
        """The questions of the session that nobody has answered yet, oldest first."""

    def answer(self, interaction_id: str, fields: JsonObject) -> str:
        """Answer an open question; the sentence that the answer becomes in the story.

        Raises:
            Refused: it was not accepted; `details` are the fields that are wrong.
        """

    def resume(self, data: JsonValue = None, *, replies: Replies = ()) -> RunResult:
        """Go on with the one suspended run of the session, with the player's answer.

        Raises:
            RunFailed: the rest of the run failed.
            Refused: no run or more than one waits, or the answer does not fit.
        """

    def run_jobs(self, *, replies: Replies = ()) -> list[JobResult]:
        """Run the queued background and detached work until none is left.

        Jobs that failed are told, not raised.
        """

    def data(self, namespace: str, *, plugin_id: str | None = None) -> dict[str, JsonValue]:
        """The committed records of a namespace by key; of the package, or of another one."""

    def put_data(self, namespace: str, records: Mapping[str, JsonValue]) -> None:
        """Commit records of the package, as earlier turns would have left them.

        Raises:
            Refused: they do not fit, such as the schema of a data set.
        """

    def set(self, key: str, value: JsonValue) -> None:
        """Set a setting of the package for the session, as `covel plugins set` does.

        Raises:
            Refused: there is no such setting, or the value does not fit.
        """

    def messages(self) -> list[tuple[str, str]]:
        """The session's conversation, oldest first: pairs of role and text."""

    def module(self, path: str) -> ModuleType:
        """A module of the loaded package, such as `server/index.py`, to call its functions.

        Raises:
            Refused: the package has no such module.
        """

    def call_tool(self, name: str, arguments: JsonObject | None = None, /, **context: Any) -> Any:
        """What a tool's function gives, called directly with `make_tool_context(**context)`.

        The arguments are checked as a model's are; nothing is staged or committed.

        Raises:
            ToolValidationError: the arguments do not fit.
            Refused: the package registers no such tool.
        """

    def call_action(self, name: str, payload: JsonValue = None, /, **context: Any) -> Any:
        """What an action's function gives, with `make_action_context(**context)`.

        Raises:
            ToolValidationError: the payload does not fit.
            Refused: the package registers no such action.
        """

    def call_service(self, name: str, value: JsonValue = None, /, **context: Any) -> Any:
        """What a service's function gives, with `make_service_context(**context)`.

        `name` is its name, or its contract where the package has one service for it.

        Raises:
            ToolValidationError: the input does not fit.
            Refused: the package registers no such service.
        """

    def call_validator(
        self, name: str, fields: Mapping[str, object], data: object = None, /
    ) -> list[tuple[str | None, str]]:
        """What a form validator finds wrong: pairs of field and message; empty when accepted.

        Raises:
            Refused: the package registers no such validator.
        """

    def call_handler(self, runtime: str | None = None, /, **context: Any) -> Any:
        """What the handler of a function runtime gives, with `make_function_context(**context)`.

        Raises:
            Refused: the package has no such runtime, or it has no handler.
        """

    def call_guard(self, runtime: str | None = None, /, **context: Any) -> Any:
        """What a runtime's guard gives, with `make_guard_context(**context)`.

        Raises:
            Refused: the package has no such runtime, or it has no guard.
        """
