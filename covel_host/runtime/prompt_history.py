"""What a runtime sees of the session's history (spec/execution.md 5.2, history pipeline).

Windows, summaries, and other packages' data rows, which are left out.
"""

from collections.abc import Iterable, Sequence

from covel_host.models.messages import AssistantMessage, SystemMessage, ToolMessage
from covel_host.runtime.prompt_inputs import HistoryRow, PromptMessage
from covel_host.runtime.prompt_texts import escape_text, sentence, tagged
from plugin_sdk.rules.instruction_locale import InstructionLocale


def history_window(
    rows: Sequence[HistoryRow], *, plugin_id: str, max_turns: int | None
) -> tuple[PromptMessage, ...]:
    """The stored messages in order, without data rows of other packages and rows without text.

    Args:
        max_turns: only that many of the most recent turns, 0 for none; `None` for all. Turns count
            before rows are left out, and the current turn is not among them.
    """
    turn_ids = list(dict.fromkeys(row.turn_id for row in rows))
    kept = set(turn_ids if max_turns is None else turn_ids[max(len(turn_ids) - max_turns, 0) :])
    return tuple(
        PromptMessage(row.message, "history")
        for row in rows
        if row.turn_id in kept and _is_shown(row, plugin_id)
    )


def summary_messages(
    summaries: Iterable[str], *, locale: InstructionLocale
) -> tuple[PromptMessage, ...]:
    """The envelope and one message per stored summary, oldest first; nothing without summaries."""
    messages = tuple(
        PromptMessage(SystemMessage(tagged("history-summary", escape_text(text))), "summary")
        for text in summaries
        if text.strip()
    )
    if not messages:
        return ()
    envelope = SystemMessage(sentence("summaries", locale))
    return (PromptMessage(envelope, "summary-envelope"), *messages)


def _is_shown(row: HistoryRow, plugin_id: str) -> bool:
    if row.is_structured and row.plugin_id != plugin_id:
        return False
    message = row.message
    if isinstance(message, AssistantMessage) and message.calls:
        return True
    return isinstance(message, ToolMessage) or bool(message.text.strip())
