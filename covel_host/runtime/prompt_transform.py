"""`prompt.history-transform@1`: packages change what agents read of the history, on a copy.

The journal itself is never rewritten (spec/execution.md 5.2).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from covel_host.runtime.extensions import RunExtensions
from covel_host.runtime.run import RuntimeRun
from covel_host.services.extension_calls import ExtensionFailed
from covel_host.services.extension_directory import OfferedExtension
from covel_host.services.extension_points import HISTORY_TRANSFORM
from covel_host.store.records import MessageRecord

if TYPE_CHECKING:
    from plugin_sdk import extension_points as given


async def transformed(
    run: RuntimeRun, extensions: RunExtensions, records: Sequence[MessageRecord]
) -> Sequence[MessageRecord]:
    """`records` after all transforms, each with what the one before it left.

    A transform that fails leaves them as they were.
    """
    offered = extensions.of(HISTORY_TRANSFORM)
    if not offered or not records:
        return records
    from plugin_sdk.extension_points import HistoryMessage, HistoryQuery

    for one in offered:
        messages = [
            HistoryMessage(
                id=record.message_id,
                turn_id=record.turn_id,
                role=record.role,
                content=record.content,
                kind=record.kind,
                plugin_id=record.plugin_id,
            )
            for record in records
        ]
        pipe = _Pipe(records)
        query = HistoryQuery(turn_id=run.turn_id, messages=messages)
        ended = await extensions.ask(one, query, pipe.settled)
        if ended.value is not None:
            records = ended.value
    return records


class _Pipe:
    """What a transform was given, for the check of what it gives back."""

    def __init__(self, records: Sequence[MessageRecord]) -> None:
        self._records = records

    def settled(
        self, offered: OfferedExtension, answer: "given.HistoryTransform"
    ) -> list[MessageRecord]:
        """The records with the contents of the answer; who said what when stays as it was."""
        places = {record.message_id: place for place, record in enumerate(self._records)}
        kept: list[MessageRecord] = []
        last = -1
        for message in answer.messages:
            place = places.get(message.id)
            if place is None:
                raise ExtensionFailed(
                    "internal", f"It gave the message {message.id!r:.80}, which it did not get."
                )
            if place <= last:
                raise ExtensionFailed(
                    "internal", f"The message {message.id!r:.80} stands twice or out of its order."
                )
            last = place
            kept.append(replace(self._records[place], content=message.content))
        return kept
