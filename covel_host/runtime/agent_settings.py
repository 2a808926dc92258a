"""From an agent's manifest to the settings of its loop."""

from dataclasses import replace

from covel_host.manifest.agent import Agent
from covel_host.manifest.agent import NamedTool as ManifestNamedTool
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.models.messages import NamedTool, ToolChoice
from covel_host.runtime.completion_settings import (
    CompletionSettings,
    Corrections,
    with_finish_with,
)
from covel_host.runtime.run import RuntimeRun
from plugin_sdk.rules.instruction_locale import InstructionLocale


def completion_settings(
    manifest: RuntimeManifest, *, locale: InstructionLocale
) -> CompletionSettings:
    """How a run of this runtime may end."""
    agent = manifest.agent_settings
    corrections = agent.loop.corrections
    settings = CompletionSettings(
        visibility=manifest.io.visibility,
        require=agent.completion.require,
        after_tools=agent.completion.after_tools,
        tool_choice=_tool_choice(agent),
        has_output_schema=manifest.io.output.schema_path is not None,
        corrections=Corrections(
            tool_use=corrections.tool_use,
            output_schema=corrections.output_schema,
            prose=corrections.prose,
            draft_review=corrections.draft_review,
        ),
        max_steps=agent.loop.max_steps,
        loop_detection=agent.loop.loop_detection,
        locale=locale,
    )
    return settings if agent.finish_with is None else with_finish_with(settings, agent.finish_with)


def run_settings(run: RuntimeRun) -> CompletionSettings:
    """How this run may end; whoever asked for a sub-agent may have lowered its steps."""
    settings = completion_settings(run.manifest, locale=run.instruction_locale)
    task = None if run.nested is None else run.nested.task
    if task is None or task.max_steps is None:
        return settings
    return replace(settings, max_steps=min(settings.max_steps, task.max_steps))


def _tool_choice(agent: Agent) -> ToolChoice:
    choice = agent.llm.tool_choice
    if isinstance(choice, ManifestNamedTool):
        return NamedTool(choice.name)
    return "auto" if choice is None else choice
