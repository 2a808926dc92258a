"""What several contexts have in common."""

import random as _random
from collections.abc import Mapping
from typing import Protocol

from plugin_sdk.capabilities import Clock, Logger, Signal, StoreView, World
from plugin_sdk.values import JsonValue


class Translations(Protocol):
    """The session's content language and the package's own texts in it; `translate` takes this."""

    @property
    def locale(self) -> str:
        """The session's content language, such as `en` or `zh`."""

    @property
    def messages(self) -> Mapping[str, str]:
        """The package's translations in that language, by English text."""


class CallContext(Translations, Protocol):
    """What every call of package code in a session has."""

    @property
    def translations(self) -> Mapping[str, Mapping[str, str]]:
        """`messages` of every language the package carries, by locale; `label_text` takes this."""

    @property
    def plugin_id(self) -> str:
        """The package the code belongs to."""

    @property
    def session_id(self) -> str:
        """The session."""

    @property
    def signal(self) -> Signal:
        """The caller's cancellation."""

    @property
    def random(self) -> _random.Random:
        """A stream of its own, derived from execution, runtime and call, so runs replay alike."""

    @property
    def clock(self) -> Clock:
        """The host's clock."""

    @property
    def logger(self) -> Logger:
        """The package's log."""


class TurnContext(CallContext, Protocol):
    """What code that runs inside an execution has."""

    @property
    def turn_id(self) -> str:
        """The turn the execution belongs to."""

    @property
    def runtime_id(self) -> str:
        """The runtime that is running."""

    @property
    def logical_turn(self) -> int | None:
        """Committed player turns + 1, fixed for the execution; None where the host counts none."""

    @property
    def turn_number(self) -> int:
        """Recorded player messages."""

    @property
    def store(self) -> StoreView:
        """Reads of session and own data."""

    @property
    def world(self) -> World:
        """The world model, with pending writes."""

    @property
    def inputs(self) -> Mapping[str, JsonValue]:
        """The runtime's bound inputs by slot; one without a value is missing.

        `{"cardinality": "one", "value", "source"}`, the source being a runtime's ID, or
        `{"cardinality": "all", "items": [{"value", "source"}]}`.
        """

    @property
    def user_settings(self) -> Mapping[str, JsonValue]:
        """The package's settings, resolved."""
