"""One change of files during development, and what came of it."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from covel_host.catalog.changes import Change, package_changes
from covel_host.catalog.holder import ReloadOutcome
from covel_host.catalog.watching_state import PackageChange
from covel_host.diagnostics.diagnostic import Diagnostic

_ALWAYS_TOLD: Final = frozenset({"code-not-trusted"})

Result: TypeAlias = Literal["swapped", "kept", "failed", "removed"]
"""`kept`: the last good generation goes on. `failed`: there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloaded:
    """A change of files and what came of it; `since_edit_ms` counts from the first notice."""

    change: PackageChange
    outcome: ReloadOutcome
    since_edit_ms: int

    @property
    def result(self) -> Result:
        """What serves now."""
        outcome = self.outcome
        if outcome.after is None:
            return "removed"
        if outcome.is_swapped:
            return "swapped"
        if outcome.before is not None and outcome.before.generation is not None:
            return "kept"
        return "failed"

    @property
    def generation(self) -> int | None:
        """The number of the generation that serves now."""
        outcome = self.outcome
        serving = outcome.before if self.result == "kept" else outcome.after
        if serving is None or serving.generation is None:
            return None
        return serving.generation.number

    @property
    def changes(self) -> tuple[Change, ...]:
        """What is served differently now; nothing is when nothing was swapped."""
        if self.result in ("kept", "failed"):
            return ()
        return package_changes(self.outcome.before, self.outcome.after)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The problems to tell: after a failure all that matter, else those that are new."""
        found = self.outcome.diagnostics
        if self.result in ("kept", "failed"):
            return tuple(
                each for each in found if each.severity != "info" or each.name in _ALWAYS_TOLD
            )
        before = () if self.outcome.before is None else self.outcome.before.diagnostics
        known = {(each.code, each.file, each.path, each.message) for each in before}
        return tuple(
            each for each in found if (each.code, each.file, each.path, each.message) not in known
        )
