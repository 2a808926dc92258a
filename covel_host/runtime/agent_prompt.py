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
from covel_host.runtime.prompt_stored import StoredParts
from covel_host.runtime.prompt_world import (
    LazyVariables,
    character_variables,
    player_character,
    world_variables,
)
from covel_host.runtime.run import RuntimeRun
from covel_host.schemas.compiled import CompiledSchema
from plugin_sdk.values import JsonValue


def agent_prompt(run: RuntimeRun, settings: CompletionSettings, stored: StoredParts) -> PromptParts:
    """The prompt before the budget and before any hook."""
    agent = run.manifest.agent_settings
    history = agent.history
    return build_prompt(
        PromptInputs(
            runtime=prompt_runtime(run),
            completion=settings,
            content_locale=run.locale,
            body=agent_body(run),
            activation=run.activation,
            output_schema=_output_schema(run),
            variables=_variables(run),
            lore=stored.lore,
            own_data=stored.own_data,
            events=_events(run) if agent.advertise_events else (),
            bindings=run.inputs,
            exports=run.exports,
            history=run.history,
            history_max_turns=None if history is None else history.max_turns,
            includes_summaries=history is not None and history.include_summaries,
            player_message=run.player_message,
        )
    )


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


def _variables(run: RuntimeRun) -> Mapping[str, JsonValue]:
    """The roots of template variables that this host serves (spec/manifest.md 12.7)."""
    view = run.staging.world or WorldView()
    return LazyVariables(
        {
            "player": lambda: {
                "message": run.player_message or "",
                "character": player_character(view),
            },
            "session": lambda: {
                "id": run.session_id,
                "turnNumber": run.turn_number,
                "status": run.session.view().status,
            },
            "userSettings": lambda: dict(run.user_settings),
            "world": lambda: world_variables(view, run.locale),
            "characters": lambda: character_variables(view),
        }
    )
