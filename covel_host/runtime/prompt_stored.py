"""What an agent's prompt takes from the store besides the history: lore and own data."""

from dataclasses import dataclass

from covel_host.manifest.runtime_io import SelfData
from covel_host.proposals.data_entries import DataEntry
from covel_host.proposals.overlay import DEFAULT_LIST_LIMIT, PluginDataView
from covel_host.runtime.prompt_inputs import Depth, LoreEntry, LorePlace, OwnData, OwnRow
from covel_host.runtime.prompt_lore import active_lore
from covel_host.runtime.run import RuntimeRun
from covel_host.store.records import LorebookRecord

_IN_THIS_EXECUTION = 2**62
"""Later than any time or revision: what earlier runs of the execution have staged."""


@dataclass(frozen=True, slots=True)
class StoredParts:
    """The lorebook entries that are active in this prompt, and the rows of `io.selfData`."""

    lore: tuple[LoreEntry, ...] = ()
    own_data: tuple[OwnData, ...] = ()


async def stored_parts(run: RuntimeRun) -> StoredParts:
    """Both parts as this run sees them; what a prompt shows is no read of the run's read set."""
    entries = await run.session.lorebook()
    own = [await _own_data(run.staging.plugin_data, one) for one in run.manifest.io.self_data]
    return StoredParts(
        lore=active_lore(map(lore_entry, entries), run.player_message), own_data=tuple(own)
    )


def lore_entry(record: LorebookRecord) -> LoreEntry:
    """A stored entry as prompts take it (spec/world.md 4)."""
    entry = record.entry
    keys, order = entry.get("keys"), entry.get("insertionOrder")
    return LoreEntry(
        entry_id=record.entry_id,
        content=str(entry["content"]),
        keys=tuple(map(str, keys)) if isinstance(keys, list) else (),
        is_constant=entry.get("strategy") != "selective",
        position=_position(entry.get("position")),
        insertion_order=order if isinstance(order, (int, float)) else 0,
        is_enabled=entry.get("enabled") is not False,
    )


def _position(position: object) -> LorePlace | Depth:
    """A number is a depth; a place that this host does not know is the usual one."""
    if isinstance(position, int):
        return Depth(max(0, position))
    return "before_plugin" if position == "before_plugin" else "after_plugin"


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
