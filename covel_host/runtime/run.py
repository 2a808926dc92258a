"""The facts of one runtime run and the ports through which it reaches the rest of the host."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.random_streams import RandomSource
from covel_host.base.tasks import TaskTracker
from covel_host.manifest.reading import RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.models.gateway import ModelGateway
from covel_host.proposals.staging import Staging
from covel_host.runtime.prompt_inputs import Activation, HistoryRow
from covel_host.runtime.session_reads import SessionReads
from covel_host.schemas.compiled import CompiledSchema
from covel_host.tools.executor import ToolExecutor
from covel_host.tools.registry import ToolRegistry
from covel_host.trace.log import RunTrace
from plugin_sdk.rules.instruction_locale import InstructionLocale
from plugin_sdk.values import JsonValue

TextSink = Callable[[str, bool], Awaitable[None]]
"""Gets each piece of a model's text as it comes; with `True` and no text: drop what was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeRun:
    """What one run knows; every value is frozen for its time (spec/execution.md 2.4).

    `locale` is the language of content, `instruction_locale` that of prompts and notices.
    `contributed_tools` are the package's `contributes.tools`, `slot` the model slot the caller
    wants in place of the manifest's own. `turn_number` counts the recorded player messages.
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
    user_settings: Mapping[str, JsonValue] = field(default_factory=dict)
    history: tuple[HistoryRow, ...] = ()
    player_message: str | None = None
    slot: str | None = None

    @property
    def runtime_id(self) -> str:
        """The ID of the runtime that runs."""
        return self.reading.runtime_id


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPorts:
    """What a run works with; `randoms` is the execution's own source, `trace` the run's writer."""

    gateway: ModelGateway
    executor: ToolExecutor
    registry: ToolRegistry
    clock: Clock
    randoms: RandomSource
    tasks: TaskTracker
    trace: RunTrace
    on_text: TextSink
