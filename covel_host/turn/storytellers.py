"""Which runtimes of a session tell the story of a turn, and what to say where several do."""

from collections.abc import Iterable
from dataclasses import dataclass

from covel_host.turn.declared_runtimes import DeclaredRuntime


@dataclass(frozen=True, slots=True)
class Storytellers:
    """The runtimes that tell a story in turns, `(plugin_id, runtime_id)`, in the given order.

    `default` is the package among them that steps aside for another provider of its contract, with
    that contract; None without one.
    """

    told_by: tuple[tuple[str, str], ...]
    default: tuple[str, str] | None = None

    @property
    def runtime_ids(self) -> tuple[str, ...]:
        """Their IDs."""
        return tuple(runtime_id for _, runtime_id in self.told_by)

    @property
    def warning(self) -> str | None:
        """What to tell a player, as full sentences; None where one package at most tells a story.

        Several runtimes of one package are its author's own arrangement.
        """
        packages = tuple(dict.fromkeys(plugin_id for plugin_id, _ in self.told_by))
        if len(packages) < 2:
            return None
        what = f"{len(packages)} packages tell a story in the same turn: "
        what += ", ".join(repr(runtime_id) for runtime_id in self.runtime_ids) + "."
        if self.default is None:
            return f"{what} To play with one of them, take the others out of the session."
        plugin_id, contract = self.default
        return (
            f"{what} A package takes the place of {plugin_id!r} when it declares "
            f"`provides: [{contract}]`, and `io.output.contract: {contract}` at the runtime that "
            "tells the story. Otherwise take one of them out of the session."
        )


def storytellers(runtimes: Iterable[DeclaredRuntime]) -> Storytellers:
    """Those of `runtimes` whose output is part of the story and that a turn starts by itself.

    Setup, and what is started by an event or by hand, does not tell a turn's story.
    """
    telling = [
        one
        for one in runtimes
        if one.manifest.io.visibility == "story" and one.declaration.stage not in (None, "setup")
    ]
    return Storytellers(
        tuple((one.package.plugin_id, one.reading.runtime_id) for one in telling),
        next((found for one in telling if (found := _default_of(one)) is not None), None),
    )


def _default_of(one: DeclaredRuntime) -> tuple[str, str] | None:
    output = one.manifest.io.output
    if output.contract is None or one.package.manifest is None:
        return None
    for provided in one.package.manifest.provided_contracts:
        if provided.contract == output.contract and provided.default:
            return one.package.plugin_id, provided.contract
    return None
