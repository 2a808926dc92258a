"""Protocols of what contexts hold: stores, services, models, media and the like.

Everything is withdrawn when the call or run ends; a read begun before that is not delivered later.
What the host does not serve answers `ToolError("unavailable")`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from plugin_sdk.outcomes import JobStatus
    from plugin_sdk.records import (
        DataItem,
        HttpResponse,
        MessagePage,
        PlayerInput,
        ServiceOffer,
        SessionView,
        TurnMessage,
        UrlCheck,
    )
    from plugin_sdk.values import JsonObject, JsonValue
    from plugin_sdk.wire import MediaRef


class Signal(Protocol):
    """The caller's cancellation; pass it on to whatever takes long."""

    @property
    def cancelled(self) -> bool:
        """Whether the call or run was cancelled."""

    async def wait(self) -> None:
        """Returns once the call or run is cancelled."""


class Clock(Protocol):
    """The host's clock; with it a run can be replayed."""

    def now(self) -> datetime:
        """The time now, aware and in UTC."""

    def monotonic(self) -> float:
        """Seconds that only go up, for measuring durations."""


class Logger(Protocol):
    """Lines in the package's own log; `data` must be JSON."""

    def debug(self, message: str, **data: JsonValue) -> None: ...

    def info(self, message: str, **data: JsonValue) -> None: ...

    def warning(self, message: str, **data: JsonValue) -> None: ...

    def error(self, message: str, **data: JsonValue) -> None: ...


class StoreView(Protocol):
    """Reads of the current session and the package's own data (seed: 执行时读数据).

    Data holds what earlier parts of the same execution staged; messages are those of committed
    turns. Every value is a copy of its own.
    """

    async def get_plugin_data(self, namespace: str, key: str) -> JsonValue:
        """The record's value, None where there is no record."""

    async def list_plugin_data(
        self, namespace: str, *, after: str = "", limit: int | None = None
    ) -> list[DataItem]:
        """The namespace's records, sorted by key: those after the key `after`, at most `limit`."""

    async def get_session(self) -> SessionView:
        """The current session."""

    async def list_player_inputs(self) -> list[PlayerInput]:
        """The session's accepted answers, oldest first."""

    async def list_turn_messages(self, limit: int | None = None) -> list[TurnMessage]:
        """The newest `limit` messages, or all, oldest first."""

    async def read_turn_messages(
        self, *, after: str | None = None, limit: int = 100
    ) -> MessagePage:
        """One page of at most 500 messages, oldest first, after the cursor `after`."""


class ActionStore(StoreView, Protocol):
    """The store of an RPC action: each write is committed at once and stays, whatever follows."""

    async def set_plugin_data(self, namespace: str, key: str, value: JsonValue) -> None:
        """Writes one record by the rules of its data set; a refusal leaves it unchanged."""

    async def save_player_input(self, *, turn_id: str, form_id: str, values: JsonObject) -> None:
        """Stores an answer of the player."""


class PluginDataReader(Protocol):
    """Reads of the package's own data."""

    async def get(self, namespace: str, key: str) -> JsonValue:
        """The record's value, None where there is no record."""

    async def list(self, namespace: str) -> list[DataItem]:
        """The namespace's records, sorted by key."""


class PluginDataWriter(PluginDataReader, Protocol):
    """Reads and staged writes; writes are checked at once and committed with the run, or not.

    A refused write raises `ToolError`: `invalid-input` for what is badly written or too large,
    `conflict` for operations that do not fit the record, `refused` for reserved namespaces. It
    stages nothing, and may be caught.
    """

    async def set(self, namespace: str, key: str, value: JsonValue) -> None:
        """Stages the record's new value; None deletes it."""

    async def delete(self, namespace: str, key: str) -> None:
        """Stages the record's removal."""

    async def update(
        self, namespace: str, key: str, ops: Sequence[Mapping[str, JsonValue]]
    ) -> JsonValue:
        """Stages operations (spec/decisions.md 2) and gives the record after them.

        Raises:
            ToolError: an operation is wrong or does not fit the record; nothing is staged.
        """


class World(Protocol):
    """The world model of the session, frozen; pending writes show except for dimensions.

    Records are JSON objects as they are stored, camelCase.
    """

    @property
    def world_record(self) -> Mapping[str, JsonValue] | None:
        """The world the session plays in, None without one."""

    @property
    def character_schema(self) -> Mapping[str, JsonValue] | None:
        """`{types, attributes, version}`, None before it is set."""

    @property
    def characters(self) -> Sequence[Mapping[str, JsonValue]]:
        """The session's characters."""

    @property
    def dimensions(self) -> Mapping[str, Mapping[str, JsonValue]]:
        """The public dimension snapshot by ID: `{name, schema, value, version}`."""


class Services(Protocol):
    """Services of other packages; both sides are checked again at every call."""

    async def discover(self, contract: str) -> list[ServiceOffer]:
        """The active providers of a contract; none is chosen for the caller."""

    async def call(
        self, offer: ServiceOffer, input: JsonValue, *, timeout_ms: int | None = None
    ) -> JsonValue:
        """The provider's answer.

        Raises:
            ToolError: the provider is unavailable, refuses the input, or fails.
            TimeoutError: no answer within `timeout_ms`.
        """


class Tools(Protocol):
    """Tools the function runtime lists in its manifest; calls run one after another."""

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """The tool's whole content. Any failed call fails the run, even when caught.

        Raises:
            ToolError: the call failed.
        """


class Agents(Protocol):
    """Sub-agents: another agent runtime gets a brief and hands back its output."""

    async def run(
        self,
        *,
        contract: str | None = None,
        runtime_id: str | None = None,
        brief: str,
        data: JsonObject | None = None,
        character: str | None = None,
        instruction: str | None = None,
        max_steps: int | None = None,
    ) -> JsonValue:
        """The output of the runtime named by `contract` or, in the same package, `runtime_id`.

        Raises:
            ToolError: the request is wrong, or the sub-agent was not found or failed.
        """


class Media(Protocol):
    """Storing media; the session owns what is stored here (spec/media.md 3)."""

    async def put(
        self, data: bytes, *, mime: str, meta: Mapping[str, JsonValue] | None = None
    ) -> MediaRef:
        """The reference of the stored bytes; equal bytes give the same one."""

    async def ingest_url(
        self, url: str, *, meta: Mapping[str, JsonValue] | None = None
    ) -> MediaRef:
        """The reference of what an allowed HTTPS address holds, at most 10 MiB.

        Raises:
            ToolError: as `Http.fetch_with_retry`; `unavailable` for a status other than 200,
                `invalid-input` for what is no media of the type that the server states.
        """


class Http(Protocol):
    """Outbound HTTP; community packages reach the origins of `permissions.http` only.

    Bundled packages reach every public HTTPS origin. Addresses of private networks are refused,
    those of this machine too unless the origin is declared as such. Nothing of a request but host
    and method is traced.
    """

    def validate_base_url(self, url: str) -> UrlCheck:
        """Whether requests below `url` are allowed."""

    async def fetch_with_retry(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_ms: int | None = None,
    ) -> HttpResponse:
        """The answer, after retries where they cannot repeat an effect; its status may be any.

        Redirects are followed, at most 5, each checked like the URL itself; headers other than
        `Accept`, `Accept-Language` and `User-Agent` stay behind when the origin changes. A body and
        an answer have at most 10 MiB, unpacked too; `timeout_ms` is at most 120,000 (30,000).

        Raises:
            ToolError: `invalid-input` for a request that cannot be sent, `refused` for an origin or
                method that is not declared and for private addresses, `timeout`, `unavailable`.
        """


class Images(Protocol):
    """Image generation from code; never a tool (spec/media.md 4)."""

    async def is_available(self, preset_id: str = "image") -> bool:
        """Whether the name leads to an image model; nothing is requested."""

    async def generate(
        self,
        *,
        prompt: str,
        preset_id: str = "image",
        negative_prompt: str | None = None,
        size: str | None = None,
        quality: str | None = None,
        count: int = 1,
        background: str | None = None,
        metadata: Mapping[str, JsonValue] | None = None,
    ) -> list[MediaRef]:
        """References of the generated and stored images."""


class Speech(Protocol):
    """Speech from text and text from speech."""

    async def generate(
        self,
        *,
        text: str,
        preset_id: str = "speech",
        voice: str | None = None,
        format: str | None = None,
        metadata: Mapping[str, JsonValue] | None = None,
    ) -> MediaRef:
        """The stored audio."""

    async def transcribe(self, ref: MediaRef, *, preset_id: str = "transcription") -> str:
        """The text that was spoken."""


class Music(Protocol):
    """Music from a prompt."""

    async def generate(
        self,
        *,
        prompt: str,
        preset_id: str = "music",
        lyrics: str | None = None,
        instrumental: bool = False,
        duration_seconds: float | None = None,
        metadata: Mapping[str, JsonValue] | None = None,
    ) -> MediaRef:
        """The stored audio."""


class Progress(Protocol):
    """Live reports of a background job; never rolled back."""

    async def report(self, status: JobStatus) -> None:
        """Shows `status` to the players."""


class Inputs(Protocol):
    """The latest submission of the players, as it was when the execution began."""

    @property
    def last_player_input(self) -> PlayerInput | None:
        """By creation time, ties by ID; None before the first one."""


class RecursiveCall(Protocol):
    """Runs another runtime of the same package inside this execution (spec/execution.md 8)."""

    async def __call__(self, runtime_id: str, *, payload: JsonValue = None) -> JsonValue:
        """The runtime's output.

        Raises:
            ToolError: the runtime is not of this package, too deep, or failed.
        """


Dispose: TypeAlias = Callable[[], object]
"""A clean-up function; it may be asynchronous."""
