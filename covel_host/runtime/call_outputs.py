"""What the calls of a run leave for its end: events, questions and interface blocks.

They become proposals once, when the run has succeeded (seed: 事件走哪条通道, 交互协议).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.staging import Staging
from covel_host.tools.calls import ToolCallResult
from plugin_sdk.outcomes import Event
from plugin_sdk.proposals import EventEmit, InteractionRequest, Proposal


@dataclass(frozen=True, slots=True)
class CallOutputs:
    """What calls show and emit, in their order."""

    shows: tuple[Proposal, ...] = ()
    events: tuple[Event, ...] = ()

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that were emitted, each once, in order."""
        return tuple(dict.fromkeys(event.topic for event in self.events))

    def plus(self, results: Iterable[ToolCallResult]) -> "CallOutputs":
        """The same with those of `results` behind them."""
        kept = tuple(results)
        return CallOutputs(
            (*self.shows, *(shown for result in kept for shown in result.shows)),
            (*self.events, *(event for result in kept for event in result.events)),
        )


NO_OUTPUTS = CallOutputs()


async def stage_outputs(staging: Staging, outputs: CallOutputs) -> tuple[StagedProposal, ...]:
    """Stage what calls show and emit, in the order of the calls.

    Of several questions with one interaction ID the last one is asked.

    Raises:
        ProposalRefused: one of them does not pass; nothing was staged.
    """
    events = (EventEmit(topic=event.topic, data=event.data) for event in outputs.events)
    wanted = [*_last_of_each(outputs.shows), *events]
    return await staging.stage(wanted) if wanted else ()


def _last_of_each(shows: Sequence[Proposal]) -> Iterator[Proposal]:
    questions = {
        place: shown.interaction.interaction_id
        for place, shown in enumerate(shows)
        if isinstance(shown, InteractionRequest)
    }
    last = {interaction_id: place for place, interaction_id in questions.items()}
    for place, shown in enumerate(shows):
        if place not in questions or last[questions[place]] == place:
            yield shown
