"""The first request of an agent run, from what the run knows."""

from collections.abc import Mapping

from covel_host.proposals.world_view import WorldView
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.prompt import build_prompt
from covel_host.runtime.prompt_inputs import (
    EventTopic,
    PromptInputs,
    PromptParts,
    PromptRuntime,
)
from covel_host.runtime.prompt_preamble import preamble
from covel_host.runtime.prompt_sources import PromptSources
from covel_host.runtime.prompt_world import (
    LazyVariables,
    character_variables,
    input_variables,
    player_character,
    world_variables,
)
from covel_host.runtime.run import RuntimeRun
from covel_host.schemas.compiled import CompiledSchema
from plugin_sdk.values import JsonValue


def agent_prompt(
    run: RuntimeRun, settings: CompletionSettings, sources: PromptSources
) -> PromptParts:
    """The prompt before the budget and before any hook."""
    agent = run.manifest.agent_settings
    history, stored = agent.history, sources.stored
    return build_prompt(
        PromptInputs(
            runtime=prompt_runtime(run),
            completion=settings,
            content_locale=run.locale,
            body=agent_body(run),
            activation=run.activation,
            output_schema=_output_schema(run),
            variables=_variables(run, sources),
            segments=sources.segments,
            lore=stored.lore,
            own_data=stored.own_data,
            events=_events(run) if agent.advertise_events and not _is_subagent(run) else (),
            bindings=run.inputs,
            exports=run.exports,
            history=sources.history.rows,
            history_max_turns=None if history is None else history.max_turns,
            includes_summaries=history is not None and history.include_summaries,
            summaries=sources.history.summaries,
            player_message=_said(run),
            stories=run.stories,
        )
    )


def _is_subagent(run: RuntimeRun) -> bool:
    return run.nested is not None and run.nested.task is not None


def _said(run: RuntimeRun) -> str | None:
    """What the run has to answer: a player, or whoever asked for the sub-agent."""
    if run.nested is not None and run.nested.task is not None:
        return run.nested.task.brief
    return run.player_message


def agent_opening(run: RuntimeRun, settings: CompletionSettings) -> str:
    """The framework's own opening, which every system prompt of the run begins with."""
    return preamble(
        prompt_runtime(run),
        settings,
        content_locale=run.locale,
        output_schema=_output_schema(run),
    )


def prompt_runtime(run: RuntimeRun) -> PromptRuntime:
    """Who the prompt is for."""
    return PromptRuntime(
        plugin_id=run.plugin_id,
        runtime_id=run.runtime_id,
        contract=run.manifest.io.output.contract,
    )


def agent_body(run: RuntimeRun) -> str:
    """The body of the manifest in the instruction language, its variables not filled in."""
    chinese = run.reading.body_zh
    return chinese if run.instruction_locale == "zh" and chinese is not None else run.reading.body


def _events(run: RuntimeRun) -> tuple[EventTopic, ...]:
    """The session's event directory (seed: emit-event)."""
    return tuple(
        EventTopic(event.topic, event.description, _object_schema(event.payload))
        for event in run.events.advertised.values()
    )


def _object_schema(compiled: CompiledSchema) -> dict[str, JsonValue]:
    return {} if isinstance(compiled.schema, bool) else dict(compiled.schema)


def _output_schema(run: RuntimeRun) -> dict[str, JsonValue] | None:
    if run.output_schema is None or isinstance(run.output_schema.schema, bool):
        return None
    return dict(run.output_schema.schema)


def _variables(run: RuntimeRun, sources: PromptSources) -> Mapping[str, JsonValue]:
    """The roots of template variables that this host serves (spec/manifest.md 12.7)."""
    view = run.staging.world or WorldView()
    return LazyVariables(
        {
            "player": lambda: {
                "message": run.player_message or "",
                "character": player_character(view),
                "lastFormValues": _last_form_values(run),
            },
            "session": lambda: {
                "id": run.session_id,
                "turnNumber": run.turn_number,
                "status": run.session.view().status,
            },
            "userSettings": lambda: dict(run.user_settings),
            "world": lambda: {
                **world_variables(view, sources.stored.lorebook, run.locale),
                **sources.world,
            },
            "characters": lambda: character_variables(view),
            "inputs": lambda: input_variables(run.inputs),
        }
    )


def _last_form_values(run: RuntimeRun) -> JsonValue:
    """What the player last answered, by field; empty before the first answer."""
    last = run.last_player_input
    return {} if last is None else dict(last.values)
