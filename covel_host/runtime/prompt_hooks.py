"""The hooks that may change what an agent's model is asked (spec/manifest.md 10.5).

A message that hooks leave as it is keeps its origin, so that it is trimmed as before; what they
wrote themselves is never trimmed.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace

from covel_host.base.json_text import dump_json, json_copy
from covel_host.hooks.hook import HookFacts
from covel_host.hooks.message_forms import (
    message_from_json,
    message_json,
    tool_json,
    tools_from_json,
)
from covel_host.models.messages import SystemMessage
from covel_host.runtime.agent_prompt import agent_body, agent_opening, prompt_runtime
from covel_host.runtime.agent_request import PlannedCall
from covel_host.runtime.bound_values import bound_json
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.prompt_added import with_segments
from covel_host.runtime.prompt_inputs import (
    PromptMessage,
    PromptParts,
    PromptSegment,
)
from covel_host.runtime.prompt_preamble import with_preamble
from covel_host.runtime.run import RunPorts, RuntimeRun
from plugin_sdk.hook_events import AssembledPrompt, ModelRequest
from plugin_sdk.values import JsonObject


async def assembled(
    run: RuntimeRun, ports: RunPorts, settings: CompletionSettings, parts: PromptParts
) -> PromptParts:
    """`parts` after the `post_context_assembly` hooks, the framework's opening in front."""
    if not ports.hooks.listens("post_context_assembly"):
        return parts
    prompt = AssembledPrompt(
        system_prompt=parts.system,
        messages=_forms(parts.messages),
        output_kind=settings.convention,
        prompt_template=agent_body(run),
        input_slots={slot: bound_json(binding) for slot, binding in run.inputs.items()},
        characters=_characters(run),
    )
    outcome = await ports.hooks.dispatch("post_context_assembly", prompt, agent_facts(run, ports))
    after = outcome.payload
    return replace(
        parts,
        system=with_preamble(after.system_prompt, agent_opening(run, settings)),
        messages=_with_origins(parts.messages, after.messages),
    )


class CallPlanning:
    """Asks the `pre_llm_call` hooks of one run; the segments they set last for the run."""

    def __init__(self, run: RuntimeRun, ports: RunPorts, settings: CompletionSettings) -> None:
        self._run = run
        self._ports = ports
        self._settings = settings
        scene = None if run.resumed is None else run.resumed.scene.agent
        self._segments: tuple[JsonObject, ...] = () if scene is None else scene.segments

    @property
    def segments(self) -> tuple[JsonObject, ...]:
        """The segments that hooks have set for the rest of the run."""
        return self._segments

    async def planned(self, call: PlannedCall) -> PlannedCall:
        """`call` as the hooks left it, with the segments that were set so far.

        Raises:
            ModelError: the slot that answers gives no text.
        """
        hooks = self._ports.hooks
        if not hooks.listens("pre_llm_call"):
            return call
        asked = self._request(call)
        outcome = await hooks.dispatch("pre_llm_call", asked, agent_facts(self._run, self._ports))
        wanted = outcome.payload
        self._segments = wanted.prompt_segments
        is_chosen = wanted.model != asked.model
        return PlannedCall(
            parts=self._parts(call, asked, wanted),
            offered=call.offered
            if wanted.tools == asked.tools
            else tools_from_json(wanted.tools, member="tools"),
            slot=wanted.model if is_chosen else call.slot,
            is_chosen=is_chosen,
            stream=wanted.stream,
        )

    def _request(self, call: PlannedCall) -> ModelRequest:
        answering = self._ports.gateway.slot_for(call.slot)
        return ModelRequest(
            messages=(
                message_json(SystemMessage(call.parts.system)),
                *_forms(call.parts.messages),
            ),
            model=(call.slot or "") if answering is None else answering.name,
            tools=tuple(tool_json(tool) for tool in call.offered),
            stream=call.stream,
            prompt_segments=self._segments,
        )

    def _parts(self, call: PlannedCall, asked: ModelRequest, wanted: ModelRequest) -> PromptParts:
        parts = call.parts
        if wanted.messages != asked.messages:
            system, rest = _system_of(wanted.messages)
            parts = replace(
                parts,
                system=with_preamble(system, agent_opening(self._run, self._settings)),
                messages=_with_origins(parts.messages, rest),
            )
        return with_segments(
            parts,
            [_segment(form, self._run) for form in self._segments],
            prompt_runtime(self._run),
            visibility=self._settings.visibility,
        )


def agent_facts(run: RuntimeRun, ports: RunPorts) -> HookFacts:
    """What surrounds an event inside an agent's run."""
    return HookFacts(
        signal=run.signal,
        trace=ports.trace,
        plugin_id=run.plugin_id,
        runtime_id=run.runtime_id,
        target_id=ports.trace.run_id,
    )


def _forms(messages: Sequence[PromptMessage]) -> tuple[JsonObject, ...]:
    return tuple(message_json(entry.message) for entry in messages)


def _with_origins(
    before: Sequence[PromptMessage], after: Sequence[JsonObject]
) -> tuple[PromptMessage, ...]:
    known: defaultdict[str, deque[PromptMessage]] = defaultdict(deque)
    for entry in before:
        known[dump_json(message_json(entry.message))].append(entry)
    return tuple(_with_origin(form, known[dump_json(form)]) for form in after)


def _with_origin(form: JsonObject, same: deque[PromptMessage]) -> PromptMessage:
    if same:
        return same.popleft()
    return PromptMessage(message_from_json(form, member="messages"), "segment")


def _system_of(messages: Sequence[JsonObject]) -> tuple[str, Sequence[JsonObject]]:
    first = messages[0]
    if first["role"] != "system":
        return "", messages
    return str(first["content"]), messages[1:]


def _characters(run: RuntimeRun) -> tuple[JsonObject, ...]:
    if run.staging.world is None:
        return ()
    # Straight from the records: what a hook is shown is no read of the run.
    records = (json_copy(record) for record in run.staging.world.current().records)
    return tuple(record for record in records if isinstance(record, dict))


def _segment(form: JsonObject, run: RuntimeRun) -> PromptSegment:
    # Few executions need the models, which are built on first use.
    from covel_host.runtime.prompt_extensions import given_segment
    from plugin_sdk.extension_points import PromptSegment as GivenSegment

    # A hook writes for the runtime whose call it is asked about.
    return given_segment(GivenSegment.model_validate(form), plugin_id=run.plugin_id)
