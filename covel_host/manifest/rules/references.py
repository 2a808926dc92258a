"""Runtimes and contracts that runtimes refer to (spec/manifest.md 6.3, rules 1 to 3)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.rule import Path, Problem, field, rule
from covel_host.manifest.runtime_io import ContractSource, RuntimeSource
from covel_host.manifest.schedule import NeededContract


@dataclass(frozen=True, slots=True)
class RuntimeReference:
    """A runtime ID, the field it was written in, and whether it has to come first in the turn."""

    path: Path
    runtime_id: str
    waits: bool = True


@rule("6.3.1", "runtime-of-another-package", "Runtimes are referred to inside one package.")
def runtime_outside(runtime: RuntimeFacts) -> Iterator[Problem]:
    plugin_id = runtime.reading.plugin_id
    for reference in runtime_references(runtime):
        wanted = reference.runtime_id
        if "/" in wanted and not wanted.startswith(f"{plugin_id}/"):
            owner = wanted.partition("/")[0]
            yield Problem(
                reference.path,
                f"{field(reference.path)} is {wanted!r}, a runtime of the package {owner!r}; "
                "expected a runtime of this package.",
                _own_hint(wanted, runtime)
                or "Take what it gives by contract: '{ contract: … }', listed under 'requires' or "
                "'optional'.",
            )


@rule("6.3.2", "runtime-not-found", "A runtime that is referred to exists.")
def runtime_missing(runtime: RuntimeFacts) -> Iterator[Problem]:
    plugin_id = runtime.reading.plugin_id
    known = () if runtime.root is None else runtime.root.runtime_ids
    for reference in runtime_references(runtime):
        wanted = reference.runtime_id
        outside = "/" in wanted and not wanted.startswith(f"{plugin_id}/")
        if runtime.root is not None and not outside and wanted not in known:
            yield Problem(
                reference.path,
                f"{field(reference.path)} is {wanted!r}, and the package has no runtime of this "
                "ID.",
                _own_hint(wanted, runtime) or f"The package has {_listed(known)}.",
            )


@rule("6.3.3", "contract-not-listed", "Contracts taken are listed in `requires` or `optional`.")
def contract_not_listed(runtime: RuntimeFacts) -> Iterator[Problem]:
    root = runtime.root
    if root is None or not (root.sound("requires") and root.sound("optional")):
        return
    listed = (*root.manifest.requires, *root.manifest.optional)
    for path, contract in _taken_contracts(runtime):
        if contract not in listed:
            place = (*path, "contract")
            yield Problem(
                path,
                f"{field(place)} is {contract!r}, which PLUGIN.md lists neither under 'requires' "
                "nor under 'optional'.",
                _contract_hint(contract, listed),
                place=place,
            )


def runtime_references(runtime: RuntimeFacts) -> Iterator[RuntimeReference]:
    """Every runtime ID that the runtime's schedule and inputs name."""
    schedule = runtime.schedule
    for name, items in (("needs", schedule.needs), ("after", schedule.after)):
        for index, item in enumerate(items):
            path = runtime.at("schedule", name, index)
            if isinstance(item, str):
                yield RuntimeReference(path, item)
            elif hasattr(item, "runtime"):
                yield RuntimeReference((*path, "runtime"), item.runtime)
    for name, wanted in runtime.io.inputs.items():
        if isinstance(wanted.source, RuntimeSource):
            path = runtime.at("io", "inputs", name, "from", "runtime")
            waits = wanted.scope == "turn"
            yield RuntimeReference(path, wanted.source.runtime, waits)


def _taken_contracts(runtime: RuntimeFacts) -> Iterator[tuple[Path, str]]:
    for index, need in enumerate(runtime.schedule.needs):
        if isinstance(need, NeededContract):
            yield runtime.at("schedule", "needs", index), need.contract
    for name, wanted in runtime.io.inputs.items():
        if isinstance(wanted.source, ContractSource):
            yield runtime.at("io", "inputs", name, "from"), wanted.source.contract


def _own_hint(wanted: str, runtime: RuntimeFacts) -> str | None:
    """The runtime of the package that was probably meant."""
    known = () if runtime.root is None else runtime.root.runtime_ids
    in_folder = f"{runtime.reading.plugin_id}/{wanted}"
    if in_folder in known:
        return f"Write the whole ID: {in_folder!r}."
    near = nearest(wanted, known)
    return None if near is None else f"The nearest runtime is {near!r}."


def _contract_hint(contract: str, listed: tuple[str, ...]) -> str:
    near = nearest(contract, listed)
    if near is not None:
        return f"The nearest listed contract is {near!r}."
    return (
        f"Add {contract!r} to 'requires', or to 'optional' when the runtime can do without a "
        "provider."
    )


def _listed(ids: tuple[str, ...]) -> str:
    shown = ", ".join(repr(runtime_id) for runtime_id in ids[:5])
    return f"{shown} and {len(ids) - 5} more" if len(ids) > 5 else shown


RULES: Final = (runtime_outside, runtime_missing, contract_not_listed)
