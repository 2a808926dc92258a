"""The hook that reads a model's reply before the loop does (spec/manifest.md 10.5)."""

from dataclasses import dataclass

from covel_host.hooks.message_forms import message_json, reply_from_json, reply_json
from covel_host.models.messages import ModelReply, ModelRequest
from covel_host.runtime.prompt_hooks import agent_facts
from covel_host.runtime.run import RunPorts, RuntimeRun
from plugin_sdk.hook_events import ModelResponse


@dataclass(frozen=True, slots=True)
class ReviewedReply:
    """A reply as hooks left it; with a `correction` it is a draft that was rejected."""

    reply: ModelReply
    correction: str | None = None


async def reviewed_reply(
    run: RuntimeRun, ports: RunPorts, reply: ModelReply, sent: ModelRequest
) -> ReviewedReply:
    """`reply` to `sent` after the `post_llm_response` hooks.

    Where they wrote another text, the one that was streamed is taken back and theirs is shown.

    Raises:
        asyncio.CancelledError: the run was cancelled.
    """
    if not ports.hooks.listens("post_llm_response"):
        return ReviewedReply(reply)
    response = ModelResponse(
        response=reply_json(reply),
        messages=tuple(message_json(message) for message in sent.messages),
    )
    facts = agent_facts(run, ports)
    outcome = await ports.hooks.dispatch("post_llm_response", response, facts)
    correction = outcome.effects.get("correction")
    after = outcome.payload.response
    if after != response.response:
        replaced = reply_from_json(reply, after)
        if replaced.text != reply.text and correction is None:
            await ports.on_text("", True)
            await ports.on_text(replaced.text, False)
        reply = replaced
    return ReviewedReply(reply, None if correction is None else str(correction))
