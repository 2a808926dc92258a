"""The facts of one runtime run and the ports through which it reaches the rest of the host."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.random_streams import RandomSource
from covel_host.base.tasks import TaskTracker
from covel_host.catalog.datasets import LoadedDataset
from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.manifest.reading import RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.models.gateway_port import Gateway
from covel_host.net.client import Http
from covel_host.net.policy import HttpPolicy
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.staging import Staging
from covel_host.runtime.call_outputs import NO_OUTPUTS, CallOutputs
from covel_host.runtime.interjections import InterjectionQueue
from covel_host.runtime.nested import NestedFacts, NestedRuns
from covel_host.runtime.prompt_inputs import (
    Activation,
    EventActivation,
    HistoryRow,
    InputBinding,
)
from covel_host.runtime.session_history import SessionHistory
from covel_host.runtime.session_media import SessionMedia
from covel_host.runtime.session_reads import SessionReads
from covel_host.runtime.suspension import ResumedRun
from covel_host.schemas.compiled import CompiledSchema
from covel_host.services.directory import NO_SERVICES, ServiceDirectory
from covel_host.services.extension_directory import NO_EXTENSIONS, ExtensionDirectory
from covel_host.tools.event_directory import NO_EVENTS, EventDirectory
from covel_host.tools.executor import ToolExecutor
from covel_host.tools.registry import ToolRegistry
from covel_host.trace.log import RunTrace
from plugin_sdk.records import PlayerInput, TriggerEvent
from plugin_sdk.rules.instruction_locale import InstructionLocale
from plugin_sdk.values import JsonValue

if TYPE_CHECKING:
    from covel_host.runtime.compaction import SessionCompaction
    from covel_host.runtime.progress import ProgressSink
    from covel_host.runtime.tool_standings import StandingsSink

PackageFunction = Callable[[Any], object]
"""`handle` or `guard` of a runtime's module: gets its context; plain or asynchronous."""

TextSink = Callable[[str, bool], Awaitable[None]]
"""Gets each piece of a model's text as it comes; with `True` and no text: drop what was shown."""


async def _nobody_told() -> None:
    return None


@dataclass(frozen=True, slots=True)
class SingleCall:
    """The tool that a run calls, and the arguments as text, valid JSON or not."""

    tool: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeRun:
    """What one run knows; every value is frozen for its time (spec/execution.md 2.4).

    `locale` is the language of content, `instruction_locale` that of prompts and notices.
    `contributed_tools` are the package's `contributes.tools`, `slot` the model slot the caller
    wants in place of the manifest's own. `turn_number` counts the recorded player messages.

    `handler` is what a function runtime runs, `guard` what is asked before the run. `inputs` holds
    the bound inputs of the turn and `exports` the committed ones, by slot; a slot without a value
    is missing. `output_schema` is the runtime's own, `contract_schema` the published one of its
    output contract. `translations` are the package's own texts by locale. `upstream` are the
    proposals of earlier runs of the execution, `data_namespaces` what the package declares in
    `contributes.data` and `contributes.datasets`, `datasets` the latter as they were loaded.
    `stories` are the texts that earlier stages of the execution wrote, for the prompt.
    `services`, `extensions` and `events` are those of the session's packages. `history` is a
    history of the run's own, None where it is shown the session's. With `call` the run is that one
    tool call and nothing of a runtime. `nested` is set for a run inside another one.
    `http_policies` say by package where code may send requests. `hidden_texts` are texts of
    concealed runtimes among its inputs, for no trace to show. `resumed` is what the run goes on
    from, when it was suspended before. In a job, `is_background`, nobody waits for it;
    `limit_ms` can only shorten its time.
    """

    plugin_id: str
    reading: RuntimeReading
    manifest: RuntimeManifest
    session_id: str
    turn_id: str
    locale: str
    instruction_locale: InstructionLocale
    logical_turn: int
    turn_number: int
    activation: Activation
    signal: CancelSignal
    staging: Staging
    session: SessionReads
    contributed_tools: tuple[str, ...] = ()
    output_schema: CompiledSchema | None = None
    contract_schema: CompiledSchema | None = None
    user_settings: Mapping[str, JsonValue] = field(default_factory=dict)
    history: tuple[HistoryRow, ...] | None = None
    player_message: str | None = None
    slot: str | None = None
    handler: PackageFunction | None = None
    guard: PackageFunction | None = None
    inputs: Mapping[str, InputBinding] = field(default_factory=dict)
    exports: Mapping[str, InputBinding] = field(default_factory=dict)
    last_player_input: PlayerInput | None = None
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    upstream: tuple[StagedProposal, ...] = ()
    stories: tuple[str, ...] = ()
    data_namespaces: frozenset[str] = frozenset()
    datasets: Mapping[str, LoadedDataset] = field(default_factory=dict)
    services: ServiceDirectory = NO_SERVICES
    extensions: ExtensionDirectory = NO_EXTENSIONS
    events: EventDirectory = NO_EVENTS
    call: SingleCall | None = None
    nested: NestedFacts | None = None
    http_policies: Mapping[str, HttpPolicy] = field(default_factory=dict)
    hidden_texts: tuple[str, ...] = ()
    resumed: ResumedRun | None = None
    is_background: bool = False
    limit_ms: int | None = None

    @property
    def runtime_id(self) -> str:
        """The ID of the runtime that runs."""
        return self.reading.runtime_id

    @property
    def may_write_through_services(self) -> bool:
        """Whether services may change data for this run (seed: 不在的工具).

        Not for an agent that can suspend: its writes have no unit to be committed with. Resumed and
        background executions have none either. A nested run may what its caller may.
        """
        if self.nested is not None:
            return self.nested.may_write
        if self.resumed is not None or self.is_background:
            return False
        return "suspend" not in self.manifest.agent_settings.tools.builtin

    @property
    def earlier_outputs(self) -> CallOutputs:
        """What the tool calls before a suspension show and emit."""
        return NO_OUTPUTS if self.resumed is None else self.resumed.scene.outputs

    @property
    def trigger_event(self) -> TriggerEvent | None:
        """The event that started the run, as package code sees it."""
        started = self.activation
        if not isinstance(started, EventActivation):
            return None
        data = started.data if isinstance(started.data, dict) else {}
        return TriggerEvent(topic=started.topic, data=data)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPorts:
    """What a run works with; `randoms` is the execution's own source, `trace` the run's writer.

    `hooks` calls the life-cycle hooks of the session's packages. Without `media` nothing can be
    stored, without `http` no request is sent, without `nested` no run starts another one. `history`
    is the session's, shared by the runs of the execution, and `compaction` makes it shorter.
    `window_cap_tokens` can only lower a model's window. Without `interjections` the player can add
    nothing to the run.
    `on_start` is told that the runtime itself starts: its guard and the hooks have let it
    (spec/execution.md 3.5), `on_progress` what it reports of its work, `on_tools` why it has the
    tools that it has.
    """

    gateway: Gateway
    executor: ToolExecutor
    registry: ToolRegistry
    clock: Clock
    randoms: RandomSource
    tasks: TaskTracker
    trace: RunTrace
    on_text: TextSink
    hooks: HookDispatcher
    media: SessionMedia | None = None
    http: Http | None = None
    nested: NestedRuns | None = None
    interjections: InterjectionQueue | None = None
    history: SessionHistory | None = None
    compaction: "SessionCompaction | None" = None
    window_cap_tokens: int | None = None
    code_clock: Clock | None = None
    on_start: Callable[[], Awaitable[None]] = _nobody_told
    on_progress: "ProgressSink | None" = None
    on_tools: "StandingsSink | None" = None

    @property
    def clock_for_code(self) -> Clock:
        """The clock that package code sees: `code_clock`, else that of the host."""
        return self.code_clock or self.clock
