"""Messages placed by their depth: so many messages before the end (spec/execution.md 5.2)."""

from collections.abc import Sequence

from covel_host.models.messages import ToolMessage
from covel_host.runtime.prompt_inputs import Depth, PromptMessage

_COUNTED = frozenset({"history", "input", "story"})


def insert_at_depth(
    messages: Sequence[PromptMessage], inserted: PromptMessage, depth: Depth
) -> list[PromptMessage]:
    """`messages` with `inserted` before the last `depth` messages of the conversation.

    Stored messages, the current input and story texts count; the turn context, the note behind a
    story and other inserted messages do not. Depth 0 is the end, a depth beyond the start the start
    of the conversation. A call and its results are never parted, the place moves in front of the
    call; a story text keeps its note.
    """
    index = len(messages)
    left = depth.messages
    while left > 0:
        earlier = _previous_counted(messages, index)
        if earlier is None:
            break
        index, left = earlier, left - 1
    while 0 < index < len(messages) and isinstance(messages[index].message, ToolMessage):
        index -= 1
    return [*messages[:index], inserted, *messages[index:]]


def _previous_counted(messages: Sequence[PromptMessage], index: int) -> int | None:
    return next(
        (place for place in range(index - 1, -1, -1) if messages[place].origin in _COUNTED), None
    )
