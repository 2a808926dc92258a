"""The first request of an agent run, from what the run knows."""

from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.prompt import build_prompt
from covel_host.runtime.prompt_inputs import PromptInputs, PromptParts, PromptRuntime
from covel_host.runtime.run import RuntimeRun
from plugin_sdk.values import JsonValue


def agent_prompt(run: RuntimeRun, settings: CompletionSettings) -> PromptParts:
    """The prompt before the budget."""
    agent = run.manifest.agent_settings
    history = agent.history
    return build_prompt(
        PromptInputs(
            runtime=PromptRuntime(
                plugin_id=run.plugin_id,
                runtime_id=run.runtime_id,
                contract=run.manifest.io.output.contract,
            ),
            completion=settings,
            content_locale=run.locale,
            body=_body(run),
            activation=run.activation,
            output_schema=_output_schema(run),
            variables=_variables(run),
            history=run.history,
            history_max_turns=None if history is None else history.max_turns,
            includes_summaries=history is not None and history.include_summaries,
            player_message=run.player_message,
        )
    )


def _body(run: RuntimeRun) -> str:
    chinese = run.reading.body_zh
    return chinese if run.instruction_locale == "zh" and chinese is not None else run.reading.body


def _output_schema(run: RuntimeRun) -> dict[str, JsonValue] | None:
    if run.output_schema is None or isinstance(run.output_schema.schema, bool):
        return None
    return dict(run.output_schema.schema)


def _variables(run: RuntimeRun) -> dict[str, JsonValue]:
    """The roots of template variables that this host serves (spec/manifest.md 12.7)."""
    return {
        "player": {"message": run.player_message or ""},
        "session": {
            "id": run.session_id,
            "turnNumber": run.turn_number,
            "status": run.session.view().status,
        },
        "userSettings": dict(run.user_settings),
    }
