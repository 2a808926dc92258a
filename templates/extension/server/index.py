from plugin_sdk import (
    ExtensionContext,
    HistoryQuery,
    HistoryTransform,
    PromptQuery,
    PromptSegment,
    extension,
    hookimpl,
)


@extension("prompt.segment@1", id="reminders")
async def reminders(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
    segments = [
        # Lasting texts stand in the system prompt, which stays the same from turn to turn.
        PromptSegment(
            id="tone",
            content="Let consequences follow from what was done before.",
            position="system",
            audience="story",
            volatility="stable",
        )
    ]
    if query.player_message.endswith("?"):
        # What changes stands behind the history, for this turn only.
        segments.append(
            PromptSegment(id="question", content="Answer the question.", position="post-history")
        )
    return segments


@extension("prompt.history-transform@1", id="out-of-character")
async def out_of_character(ctx: ExtensionContext, query: HistoryQuery) -> HistoryTransform:
    # A message in double brackets is for the people at the table; it stays stored.
    told = [message for message in query.messages if not message.content.startswith("((")]
    return HistoryTransform(messages=told)


@hookimpl
def register_extensions():
    return [reminders, out_of_character]
