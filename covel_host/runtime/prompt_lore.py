"""Which lorebook entries enter a prompt (spec/world.md 4)."""

from collections.abc import Iterable

from covel_host.runtime.prompt_inputs import LoreEntry


def active_lore(entries: Iterable[LoreEntry], player_message: str | None) -> tuple[LoreEntry, ...]:
    """The enabled entries that are constant or switched on, by insertion order and ID.

    A selective entry is switched on by the current player message alone, when it holds one of the
    entry's non-empty keys, upper and lower case alike.
    """
    message = (player_message or "").casefold()
    active = [entry for entry in entries if entry.is_enabled and _is_on(entry, message)]
    return tuple(sorted(active, key=lambda entry: (entry.insertion_order, entry.entry_id)))


def _is_on(entry: LoreEntry, message: str) -> bool:
    if entry.is_constant:
        return True
    return any(key.strip() and key.strip().casefold() in message for key in entry.keys)
