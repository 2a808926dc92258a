"""The default of `history.compact@2`: the model that is fast and cheap writes the summaries."""

import asyncio

from plugin_sdk import (
    ChatMessage,
    Compaction,
    CompactionQuery,
    ExtensionContext,
    SummarySegment,
    ToolError,
    extension,
    hookimpl,
)

from .plan import plan
from .texts import instructions, merging, sections_of, told

SLOT = "fast"


@extension("history.compact@2", id="summaries")
async def summaries(ctx: ExtensionContext, query: CompactionQuery) -> Compaction | None:
    """A summary of the oldest messages, and one of the oldest summaries where room is short.

    Nothing without a model: a placeholder would take the place of the story.
    """
    if (await ctx.gateway.resolve_slot(SLOT)).provider == "offline":
        return None
    wanted = plan(query)
    if not wanted.messages:
        return None
    asked = [_summary(ctx, query, told(wanted.messages), wanted.message_budget)]
    if wanted.merged:
        text = merging(wanted.merged, query.locale)
        asked.append(_summary(ctx, query, text, wanted.merge_budget))
    (new, is_cut), *merged = await asyncio.gather(*asked)
    segments = [
        SummarySegment(
            message_ids=[message.id for message in wanted.messages],
            replaces_summary_ids=[],
            content=new,
            focus_sections=sections_of(new),
            truncated=is_cut,
        )
    ]
    for content, was_cut in merged:
        segments.insert(
            0,
            SummarySegment(
                message_ids=[],
                replaces_summary_ids=[summary.id for summary in wanted.merged],
                content=content,
                focus_sections=sections_of(content),
                truncated=was_cut,
            ),
        )
    return Compaction(summaries=segments)


async def _summary(
    ctx: ExtensionContext, query: CompactionQuery, text: str, budget: int
) -> tuple[str, bool]:
    """The summary, and whether the model was cut off."""
    configured = (await ctx.gateway.resolve_slot(SLOT)).slot
    reply = await ctx.gateway.generate_text(
        [
            ChatMessage(role="system", content=instructions(query.locale, budget=budget * 2 // 3)),
            ChatMessage(role="user", content=text),
        ],
        slot=configured,
        # Estimates lean to the high side: what a model counts as one token may count as more.
        max_output_tokens=budget * 2 // 3,
        temperature=0.2,
    )
    content = reply.text.strip()
    if not content:
        raise ToolError("unavailable", "The model gave no summary.")
    return content, reply.finish_reason == "length"


@hookimpl
def register_extensions():
    return [summaries]
