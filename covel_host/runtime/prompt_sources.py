"""Everything that an agent's prompt takes from outside its run: store, history, extensions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from covel_host.manifest.agent import History
from covel_host.runtime.extensions import RunExtensions
from covel_host.runtime.prompt_extensions import prompt_segments
from covel_host.runtime.prompt_inputs import PromptSegment
from covel_host.runtime.prompt_stored import StoredParts, stored_parts
from covel_host.runtime.prompt_transform import transformed
from covel_host.runtime.prompt_world_context import world_context
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.session_history import ShownHistory, WholeHistory
from covel_host.store.records import MessageRecord
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSources:
    """What a prompt is made of besides the facts of its run.

    `whole` is the shared history where the agent reads all of it, for whoever may compact it.
    `world` are the members of `world` variables that a package gives in place of the host's own.
    """

    stored: StoredParts
    history: ShownHistory = field(default_factory=ShownHistory)
    segments: tuple[PromptSegment, ...] = ()
    world: Mapping[str, JsonValue] = field(default_factory=dict)
    whole: WholeHistory | None = None


async def prompt_sources(
    run: RuntimeRun, ports: RunPorts, extensions: RunExtensions, *, body: str
) -> PromptSources:
    """All of it; `body` is the manifest's, which says what is needed of the world.

    Raises:
        StoreError: something cannot be read.
        asyncio.CancelledError: the run was cancelled, and with it the extensions it asked.
    """
    whole, shown = await shown_history(run, ports, extensions)
    return PromptSources(
        stored=await stored_parts(run),
        history=shown,
        segments=await prompt_segments(run, extensions),
        world=await world_context(extensions, body),
        whole=whole,
    )


async def shown_history(
    run: RuntimeRun, ports: RunPorts, extensions: RunExtensions
) -> tuple[WholeHistory | None, ShownHistory]:
    """The history that the run is shown, and the whole that it is of, if it is."""
    if run.history is not None or ports.history is None:
        return None, ShownHistory(run.history or ())

    async def project(records: Sequence[MessageRecord]) -> Sequence[MessageRecord]:
        return await transformed(run, extensions, records)

    window = _window(run)
    if window is None:
        whole = await ports.history.whole(project)
        return whole, whole.shown
    shown = await ports.history.window(
        window.max_turns, project, with_summaries=window.include_summaries
    )
    return None, shown


def _window(run: RuntimeRun) -> History | None:
    return run.manifest.agent_settings.history
