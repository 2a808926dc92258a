"""What the calls of a run leave for its end: events, questions and interface blocks.

They become proposals once, when the run has succeeded (seed: 事件走哪条通道, 交互协议).
"""

from collections.abc import Iterable, Iterator, Sequence

from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.staging import Staging
from covel_host.tools.calls import ToolCallResult
from plugin_sdk.proposals import EventEmit, InteractionRequest, Proposal


def emitted_topics(results: Iterable[ToolCallResult]) -> tuple[str, ...]:
    """The topics that calls have emitted, each once, in order."""
    return tuple(dict.fromkeys(event.topic for result in results for event in result.events))


async def stage_outputs(
    staging: Staging, results: Sequence[ToolCallResult]
) -> tuple[StagedProposal, ...]:
    """Stage what the calls show and emit, in the order of the calls.

    Of several questions with one interaction ID the last one is asked.

    Raises:
        ProposalRefused: one of them does not pass; nothing was staged.
    """
    shows = [shown for result in results for shown in result.shows]
    events = [event for result in results for event in result.events]
    wanted = [*_last_of_each(shows), *(EventEmit(topic=e.topic, data=e.data) for e in events)]
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
