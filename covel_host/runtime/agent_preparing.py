"""The prompt of an agent run from all its sources, compacted and seen by hooks."""

from dataclasses import replace

from covel_host.models.request_size import (
    MESSAGE_OVERHEAD_TOKENS,
    message_tokens,
    overhead_tokens,
)
from covel_host.runtime.agent_prompt import agent_body, agent_prompt
from covel_host.runtime.agent_tools import AgentTools
from covel_host.runtime.compaction_attempt import Asking
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.deadline import RunDeadline
from covel_host.runtime.extensions import RunExtensions
from covel_host.runtime.prompt_hooks import assembled
from covel_host.runtime.prompt_inputs import PromptParts
from covel_host.runtime.prompt_sources import PromptSources, prompt_sources, shown_history
from covel_host.runtime.run import RunPorts, RuntimeRun
from plugin_sdk.rules.tokens import estimate_tokens


async def prepared_prompt(
    run: RuntimeRun,
    ports: RunPorts,
    settings: CompletionSettings,
    extensions: RunExtensions,
    tools: AgentTools,
    deadline: RunDeadline,
) -> PromptParts:
    """The request before the budget.

    Raises:
        StoreError: a part of it cannot be read.
        asyncio.CancelledError: the run was cancelled, and with it the extensions it asked.
    """
    sources = await prompt_sources(run, ports, extensions, body=agent_body(run))
    parts = agent_prompt(run, settings, sources)
    if await _is_compacted(sources, parts, Asking(run, ports, extensions), tools, deadline):
        whole, shown = await shown_history(run, ports, extensions)
        parts = agent_prompt(run, settings, replace(sources, whole=whole, history=shown))
    return await assembled(run, ports, settings, parts)


async def _is_compacted(
    sources: PromptSources,
    parts: PromptParts,
    asking: Asking,
    tools: AgentTools,
    deadline: RunDeadline,
) -> bool:
    """Whether the history that the parts were made of was compacted since."""
    compaction = asking.ports.compaction
    if sources.whole is None or compaction is None:
        return False
    # The time that a compaction takes is that of the session, not of the agent that comes first.
    deadline.waiting(True)
    try:
        return await compaction.settled(
            asking, sources.whole, prompt_tokens=lambda: _tokens(parts, tools)
        )
    finally:
        deadline.waiting(False)


def _tokens(parts: PromptParts, tools: AgentTools) -> int:
    tokens = MESSAGE_OVERHEAD_TOKENS + estimate_tokens(parts.system)
    tokens += sum(message_tokens(entry.message) for entry in parts.messages)
    return tokens + overhead_tokens(tools.offered)
