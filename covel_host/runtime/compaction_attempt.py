"""One question to the package that compacts a history, and the check of its answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from covel_host.runtime.compaction_rules import (
    MAX_SEGMENTS,
    CompactionBudget,
    CompactionRefused,
    NewSummary,
    accepted,
    compaction_budget,
    record_tokens,
    summary_tokens,
)
from covel_host.runtime.extensions import RunExtensions
from covel_host.runtime.prompt_budget import TokenBudget
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.session_history import WholeHistory
from covel_host.services.extension_calls import ExtensionFailed
from covel_host.services.extension_directory import OfferedExtension
from covel_host.store.records import MessageRecord

if TYPE_CHECKING:
    from plugin_sdk import extension_points as given


@dataclass(frozen=True, slots=True)
class Asking:
    """The agent that decides, and what it works with."""

    run: RuntimeRun
    ports: RunPorts
    extensions: RunExtensions


class CompactionAttempt:
    """One question to the package that compacts, and the check of its answer."""

    def __init__(
        self,
        asking: Asking,
        history: WholeHistory,
        messages: Sequence[MessageRecord],
        window: TokenBudget,
        tokens: int,
    ) -> None:
        self.asking = asking
        self.history = history
        self._messages = messages
        self._window = window
        self._tokens = tokens
        self._budget: CompactionBudget = compaction_budget(
            window_tokens=window.window_tokens, source_tokens=sum(map(record_tokens, messages))
        )

    def query(self) -> "given.CompactionQuery":
        from plugin_sdk import extension_points as given

        budget = self._budget
        return given.CompactionQuery(
            messages=[
                given.CompactionMessage(
                    id=record.message_id,
                    turn_id=record.turn_id,
                    role=record.role,
                    content=record.content,
                    tokens=record_tokens(record),
                )
                for record in self._messages
            ],
            existing_summaries=[
                given.ExistingSummary(
                    id=summary.summary_id,
                    content=summary.content,
                    tokens=summary_tokens(summary.content),
                    focus_sections=[*summary.focus_sections],
                )
                for summary in self.history.summaries
            ],
            locale=self.asking.run.locale,
            estimated_tokens=self._tokens,
            context_window=self._window.window_tokens,
            input_window=self._window.input_tokens,
            summary_budget=given.SummaryBudget(
                max_tokens=budget.max_tokens,
                max_segment_tokens=budget.max_segment_tokens,
                max_segments=MAX_SEGMENTS,
            ),
        )

    def settled(self, offered: OfferedExtension, answer: "given.Compaction") -> list[NewSummary]:
        try:
            found = accepted(
                answer.summaries,
                messages=self._messages,
                existing=self.history.summaries,
                budget=self._budget,
            )
        except CompactionRefused as refused:
            raise ExtensionFailed("internal", str(refused)) from refused
        if answer.summaries and not found:
            raise ExtensionFailed("internal", "Its first summary was cut off.")
        return found
