"""What an agent's prompt takes from the store besides the history: lore and own data."""

from dataclasses import dataclass, field

from covel_host.manifest.runtime_io import SelfData
from covel_host.proposals.data_entries import DataEntry
from covel_host.proposals.overlay import DEFAULT_LIST_LIMIT, PluginDataView
from covel_host.runtime.prompt_inputs import LoreEntry, OwnData, OwnRow
from covel_host.runtime.prompt_lore import Lorebook
from covel_host.runtime.run import RuntimeRun

_IN_THIS_EXECUTION = 2**62
"""Later than any time or revision: what earlier runs of the execution have staged."""


@dataclass(frozen=True, slots=True)
class StoredParts:
    """The session's lorebook, its entries that are active in this prompt, and own data.

    `own_data` are the rows of `io.selfData`.
    """

    lorebook: Lorebook = field(default_factory=lambda: Lorebook(()))
    lore: tuple[LoreEntry, ...] = ()
    own_data: tuple[OwnData, ...] = ()


async def stored_parts(run: RuntimeRun) -> StoredParts:
    """Both parts as this run sees them; what a prompt shows is no read of the run's read set."""
    lorebook = await run.session.lorebook()
    own = [await _own_data(run.staging.plugin_data, one) for one in run.manifest.io.self_data]
    return StoredParts(
        lorebook=lorebook, lore=lorebook.active(run.player_message), own_data=tuple(own)
    )


async def _own_data(view: PluginDataView, wanted: SelfData) -> OwnData:
    entries: list[DataEntry] = []
    after, is_full = "", True
    while is_full:
        page = await view.list(wanted.namespace, after=after, is_read=False)
        entries += page
        after, is_full = page[-1].key if page else after, len(page) == DEFAULT_LIST_LIMIT
    return OwnData(
        namespace=wanted.namespace,
        tag=wanted.tag,
        rows=tuple(map(_own_row, entries)),
        format=wanted.format,
        max_entries=wanted.max_entries,
    )


def _own_row(entry: DataEntry) -> OwnRow:
    created = entry.created_at
    return OwnRow(
        key=entry.key,
        value=entry.value,
        created=_IN_THIS_EXECUTION if created is None else created.timestamp(),
        updated=_IN_THIS_EXECUTION if entry.is_staged else entry.version or 0,
    )
