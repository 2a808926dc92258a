"""Which lorebook entries enter a prompt (spec/world.md 4)."""

from collections.abc import Iterable

from covel_host.runtime.prompt_inputs import LoreEntry


class Lorebook:
    """The enabled entries of a session by insertion order and ID, their keys made ready once."""

    def __init__(self, entries: Iterable[LoreEntry]) -> None:
        enabled = [entry for entry in entries if entry.is_enabled]
        enabled.sort(key=lambda entry: (entry.insertion_order, entry.entry_id))
        self.entries = tuple(enabled)
        self._selective = {
            id(entry): _folded(entry.keys) for entry in enabled if not entry.is_constant
        }

    def active(self, player_message: str | None) -> tuple[LoreEntry, ...]:
        """The entries that are constant or switched on, in order.

        A selective entry is switched on by the current player message alone, when it holds one of
        the entry's non-empty keys, upper and lower case alike.
        """
        message, selective = (player_message or "").casefold(), self._selective
        found = []
        for entry in self.entries:
            keys = selective.get(id(entry))
            if keys is None:
                found.append(entry)
                continue
            for key in keys:
                if key in message:
                    found.append(entry)
                    break
        return tuple(found)


def active_lore(entries: Iterable[LoreEntry], player_message: str | None) -> tuple[LoreEntry, ...]:
    """`Lorebook.active` of entries that are looked at once."""
    return Lorebook(entries).active(player_message)


def _folded(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(key.strip().casefold() for key in keys if key.strip())
