"""What is different between two states of a package, in one short line each; pure."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from covel_host.catalog.catalog import PackageState
from covel_host.catalog.changes_facts import KINDS, Aspects, Facts

ChangeEvent: TypeAlias = Literal["added", "changed", "removed"]

MAX_SHOWN: Final = 24
"""Longer texts are said to have changed, not shown."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a package brings that is not what it was.

    `kind` is what it is, such as `tool`, and `name` which one. `details` name what of it changed,
    such as `parameter count added`; they are empty unless `event` is `changed`.
    """

    kind: str
    name: str
    event: ChangeEvent
    details: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The change in words: `tool echo-value: parameter count added`."""
        said = ", ".join(self.details) if self.details else self.event
        return f"{self.kind} {self.name}: {said}"


def package_changes(before: PackageState | None, after: PackageState | None) -> tuple[Change, ...]:
    """What `after` brings that `before` did not, and the other way round.

    A state that is not loaded brings nothing. Sorted by kind (package, tools, hooks, runtimes,
    prompts, schemas and so on) and name. Code that registers the same things with other insides
    is no change here.
    """
    old = None if before is None else before.generation
    new = None if after is None else after.generation
    if old is new:
        return ()
    changes: list[Change] = []
    for kind, facts_of in KINDS:
        old_facts = {} if old is None else facts_of(old)
        new_facts = {} if new is None else facts_of(new)
        changes += _compared(kind, old_facts, new_facts)
    return tuple(changes)


def _compared(kind: str, old: Facts, new: Facts) -> list[Change]:
    changes = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            changes.append(Change(kind, name, "added"))
        elif name not in new:
            changes.append(Change(kind, name, "removed"))
        elif details := _details(old[name], new[name]):
            changes.append(Change(kind, name, "changed", details))
    return changes


def _details(old: Aspects, new: Aspects) -> tuple[str, ...]:
    details = []
    for aspect in dict.fromkeys([*old, *new]):
        if aspect not in old:
            details.append(f"{aspect} added")
        elif aspect not in new:
            details.append(f"{aspect} removed")
        elif old[aspect] != new[aspect]:
            details.append(f"{aspect} {_difference(old[aspect], new[aspect])}")
    return tuple(details)


def _difference(old: object, new: object) -> str:
    """Both values where they are short, such as `from 500 to 1000`."""
    if _is_short(old) and _is_short(new):
        return f"from {_shown(old)} to {_shown(new)}"
    return "changed"


def _is_short(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= MAX_SHOWN and value.isprintable()
    return value is None or isinstance(value, int | float)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)
