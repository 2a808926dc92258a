"""Making the runs of one execution, of whatever runtime of its session."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.random_streams import RandomSource
from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.manifest.root_manifest import RootManifest
from covel_host.memory.system import SessionMemory
from covel_host.net.policy import HttpPolicy
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.staging import Staging
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.compaction import SessionCompaction
from covel_host.runtime.interjections import InterjectionQueue
from covel_host.runtime.nested import NestedRuns
from covel_host.runtime.prompt_inputs import Activation, InputBinding
from covel_host.runtime.run import RunPorts, RuntimeRun, SingleCall
from covel_host.runtime.session_history import SessionHistory
from covel_host.runtime.session_reads import SessionReads
from covel_host.runtime.shown_text import unseen
from covel_host.runtime.suspension import ResumedRun, RunScene
from covel_host.services.directory import ServiceDirectory
from covel_host.services.extension_directory import ExtensionDirectory
from covel_host.tools.builtin.installed import builtin_tools
from covel_host.tools.event_directory import NO_EVENTS, EventDirectory
from covel_host.tools.registry import ToolRegistry
from covel_host.trace.log import TraceLog
from covel_host.turn.announcer import Announcer
from covel_host.turn.bindings import accepted
from covel_host.turn.concealed_inputs import concealed_runtimes, hidden_texts
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.memory import session_memory
from covel_host.turn.ports import TurnPorts
from covel_host.turn.progress import ExecutionProgress
from covel_host.turn.services import service_directory, session_generations
from covel_host.turn.session_events import SessionEvents
from covel_host.turn.session_extensions import extension_directory
from covel_host.turn.session_runtimes import SessionRuntime
from covel_host.turn.session_settings import settings_of
from plugin_sdk.rules.instruction_locale import InstructionLocale, instruction_locale_for


@dataclass(frozen=True, slots=True, kw_only=True)
class RunActivation:
    """One run to make: of which runtime, why, and what it sees of the runs before it.

    `upstream` are the proposals of those that succeeded, in execution order, `stories` the texts
    that earlier stages wrote, `inputs` the bound inputs of the turn by slot. With a `call` the run
    is that one tool call. `frozen` are the values that it runs with in place of those of now, and
    with `resumed` it goes on from a suspension.
    """

    runtime: SessionRuntime
    run_id: str
    activation: Activation
    inputs: Mapping[str, InputBinding] = field(default_factory=dict)
    upstream: tuple[StagedProposal, ...] = ()
    stories: tuple[str, ...] = ()
    call: SingleCall | None = None
    frozen: RunScene | None = None
    resumed: ResumedRun | None = None


class RunMaker:
    """Makes the runs of one execution; `seed` is that of its random numbers."""

    def __init__(
        self,
        facts: ExecutionFacts,
        ports: TurnPorts,
        *,
        trace: TraceLog,
        announcer: Announcer,
        hooks: HookDispatcher,
        progress: ExecutionProgress,
        seed: int,
    ) -> None:
        self._facts = facts
        self._ports = ports
        self._trace = trace
        self._announcer = announcer
        self._hooks = hooks
        self._progress = progress
        self._randoms = RandomSource(seed)
        self._made: Counter[str] = Counter()
        self._session = SessionReads(ports.store, facts.session, lore=ports.lore)
        self._history = SessionHistory(ports.store, facts.session)
        self._compaction = SessionCompaction(
            ports.store,
            new_id=partial(ports.ids.new, "summary"),
            tell=announcer.tell,
            window_cap_tokens=ports.window_cap_tokens,
        )
        self._instruction_locale: InstructionLocale = instruction_locale_for(
            facts.session.locale, ports.instruction_environ
        )
        self.nested: NestedRuns | None = None
        self.interjections: InterjectionQueue | None = None

    def make(self, activation: RunActivation) -> tuple[RuntimeRun, RunPorts]:
        """The run, and the ports that it works with.

        Runs of one runtime draw from streams of their own, numbered in the order in which they are
        made.
        """
        if activation.runtime.manifest.io.concealed:
            self._trace.conceal(activation.run_id)
        ports = self._ports.of_run(activation.runtime.runtime_id)
        run = self._run(activation, ports)
        if activation.frozen is not None:
            run = self._as_it_was(run, activation.frozen, activation.resumed)
        return run, self._run_ports(activation, run, ports)

    def _as_it_was(
        self, run: RuntimeRun, scene: RunScene, resumed: ResumedRun | None
    ) -> RuntimeRun:
        """The run with what its scene keeps of the time when it was suspended, or deferred."""
        return replace(
            run,
            resumed=resumed,
            locale=scene.locale,
            instruction_locale=instruction_locale_for(
                scene.locale, self._ports.instruction_environ
            ),
            turn_number=scene.turn_number,
            inputs=scene.inputs,
            exports=scene.exports,
            player_message=scene.player_message,
            slot=scene.slot,
            stories=scene.stories,
            hidden_texts=hidden_texts((scene.inputs, scene.exports), self._concealed),
        )

    def _run(self, wanted: RunActivation, ports: TurnPorts) -> RuntimeRun:
        facts, runtime = self._facts, wanted.runtime
        generation, runtime_id = runtime.generation, runtime.runtime_id
        manifest = generation.reading.manifest
        assert manifest is not None
        return RuntimeRun(
            plugin_id=generation.plugin_id,
            reading=runtime.reading,
            manifest=runtime.manifest,
            session_id=facts.session.session_id,
            turn_id=facts.turn_id,
            locale=facts.session.locale,
            instruction_locale=self._instruction_locale,
            logical_turn=facts.logical_turn,
            turn_number=facts.frozen.journal.player_messages,
            activation=wanted.activation,
            signal=CancelSignal(),
            staging=self._staging(wanted, ports),
            session=self._session,
            contributed_tools=manifest.contributes.tools,
            output_schema=runtime.schemas.output,
            contract_schema=runtime.schemas.contract,
            user_settings=settings_of(facts.frozen.settings, generation),
            player_message=facts.input.message,
            slot=facts.slot or facts.frozen.model_slots.get(runtime_id),
            handler=generation.handlers.get(runtime_id),
            guard=generation.guards.get(runtime_id),
            inputs=wanted.inputs,
            exports=accepted(facts.frozen.exports.get(runtime_id, {}), runtime.schemas.inputs),
            last_player_input=facts.frozen.last_input,
            data_namespaces=_namespaces(manifest),
            translations=generation.translations,
            datasets=generation.datasets,
            services=self._services,
            extensions=self._extensions,
            events=self._events,
            call=wanted.call,
            is_background=facts.origin == "background",
            limit_ms=self._limit_ms(wanted),
            upstream=wanted.upstream,
            stories=wanted.stories,
            http_policies={**self._http_policies, generation.plugin_id: generation.http},
            hidden_texts=hidden_texts(
                (wanted.inputs, facts.frozen.exports.get(runtime_id, {})), self._concealed
            ),
        )

    def _limit_ms(self, wanted: RunActivation) -> int | None:
        """The time that a job gives the run, when it is the job's own."""
        job = self._facts.job
        if job is None or wanted.frozen is None:
            return None
        limit_ms = job.lease.record.facts.get("maxExecutionMs")
        return limit_ms if isinstance(limit_ms, int) else None

    def _staging(self, wanted: RunActivation, ports: TurnPorts) -> Staging:
        facts, plugin_id = self._facts, wanted.runtime.plugin_id
        stored = partial(StoredPluginData, ports.store, session_id=facts.session.session_id)
        return Staging(
            stored(plugin_id=plugin_id),
            source_of=lambda plugin_id: stored(plugin_id=plugin_id),
            plugin_id=plugin_id,
            runtime_id=wanted.runtime.runtime_id,
            run_id=wanted.run_id,
            new_id=partial(ports.ids.new, "proposal"),
            upstream=wanted.upstream,
            world=WorldView(facts.frozen.world, upstream=wanted.upstream),
            policies=facts.policies,
        )

    def _run_ports(self, wanted: RunActivation, run: RuntimeRun, ports: TurnPorts) -> RunPorts:
        return RunPorts(
            gateway=ports.gateway,
            executor=ports.executor,
            registry=ToolRegistry(
                self._facts.catalog,
                builtins=builtin_tools(
                    events=self._events, world=run.staging.world, memory=self._memory
                ),
            ),
            clock=ports.clock,
            randoms=self._randoms_of(run.runtime_id),
            tasks=ports.tasks,
            trace=self._trace.of_run(
                wanted.run_id, runtime_id=run.runtime_id, plugin_id=run.plugin_id
            ),
            on_text=self._announcer.text_sink(run.runtime_id, run.plugin_id)
            if self._is_shown(wanted.runtime)
            else unseen,
            hooks=self._hooks,
            media=ports.media,
            http=ports.http,
            nested=self.nested,
            interjections=self.interjections if wanted.runtime.declaration.is_story else None,
            history=self._history,
            compaction=self._compaction,
            window_cap_tokens=ports.window_cap_tokens,
            code_clock=ports.code_clock,
            on_start=self._start_of(wanted),
            on_progress=self._progress.report,
            on_tools=ports.on_tools,
        )

    def _is_shown(self, runtime: SessionRuntime) -> bool:
        """Whether players read the runtime's text: stories, and what they started by hand."""
        if runtime.manifest.io.concealed:
            return False
        target = self._facts.target
        is_target = (
            target is not None
            and target.scene is None
            and target.runtime.runtime_id == runtime.runtime_id
        )
        return is_target or runtime.declaration.is_story

    def _start_of(self, wanted: RunActivation) -> Callable[[], Awaitable[None]]:
        return partial(
            self._announcer.tell,
            "runtime.started",
            runtimeId=wanted.runtime.runtime_id,
            pluginId=wanted.runtime.plugin_id,
            turnId=self._facts.turn_id,
            runId=wanted.run_id,
        )

    def _randoms_of(self, runtime_id: str) -> RandomSource:
        number = self._made[runtime_id]
        self._made[runtime_id] += 1
        if number == 0:
            return self._randoms
        return RandomSource(self._randoms.stream("again", runtime_id, number).getrandbits(64))

    @cached_property
    def _services(self) -> ServiceDirectory:
        facts = self._facts
        return service_directory(
            facts.catalog, self._ports.catalogs, facts.session, paused=facts.paused
        )

    @cached_property
    def _extensions(self) -> ExtensionDirectory:
        return extension_directory(
            session_generations(self._facts.catalog, self._facts.session),
            self._services,
            locale=self._instruction_locale,
        )

    @cached_property
    def _http_policies(self) -> Mapping[str, HttpPolicy]:
        generations = session_generations(self._facts.catalog, self._facts.session)
        return {generation.plugin_id: generation.http for generation in generations}

    @cached_property
    def _concealed(self) -> frozenset[str]:
        """The concealed runtimes of the session's packages."""
        return concealed_runtimes(session_generations(self._facts.catalog, self._facts.session))

    @cached_property
    def _events(self) -> EventDirectory:
        if not self._ports.offers_events:
            return NO_EVENTS
        return SessionEvents(session_generations(self._facts.catalog, self._facts.session))

    @cached_property
    def _memory(self) -> SessionMemory:
        return session_memory(self._ports.memory, self._facts.catalog, self._facts.session)


def _namespaces(manifest: RootManifest) -> frozenset[str]:
    contributes = manifest.contributes
    return frozenset((*contributes.data, *contributes.datasets))
