"""Rules on the runtimes of a package together (spec/manifest.md 6.3 rule 5, 5.2)."""

from collections.abc import Iterator
from typing import Final

from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.references import RuntimeReference, runtime_references
from covel_host.manifest.rules.rule import Problem, field, first_place, rule

_MAX_SHOWN: Final = 6


@rule("6.3.5", "contract-produced-twice", "One runtime of a package outputs a contract.")
def produced_twice(runtimes: tuple[RuntimeFacts, ...]) -> Iterator[Problem]:
    producers: dict[str, RuntimeFacts] = {}
    for runtime in runtimes:
        contract = runtime.io.output.contract
        if contract is None:
            continue
        first = producers.setdefault(contract, runtime)
        if first is not runtime:
            path = runtime.at("io", "output", "contract")
            yield Problem(
                path,
                f"{field(path)} is {contract!r}, which {first.reading.runtime_id!r} outputs "
                "already.",
                "Remove one of the two, or give this runtime a contract of its own.",
                related=first_place(
                    first.reading.frontmatter, first.at("io", "output", "contract")
                ),
                file=runtime.reading.frontmatter,
            )


@rule("5.2", "runtime-cycle", "Runtimes do not wait for each other in a circle.")
def runtime_cycle(runtimes: tuple[RuntimeFacts, ...]) -> Iterator[Problem]:
    by_id = {runtime.reading.runtime_id: runtime for runtime in runtimes}
    done: set[str] = set()
    for start in by_id:
        if start not in done:
            yield from _cycles_from(start, by_id, done)


def _cycles_from(start: str, by_id: dict[str, RuntimeFacts], done: set[str]) -> Iterator[Problem]:
    """A depth-first walk without recursion; a reference back into the walked way is a circle."""
    way = {start: _waits(by_id[start])}
    while way:
        here = next(reversed(way))
        reference = next(way[here], None)
        if reference is None:
            way.pop(here)
            done.add(here)
        elif reference.runtime_id in way:
            yield _cycle(list(way), reference, by_id[here])
        elif reference.runtime_id in by_id and reference.runtime_id not in done:
            way[reference.runtime_id] = _waits(by_id[reference.runtime_id])


def _waits(runtime: RuntimeFacts) -> Iterator[RuntimeReference]:
    return (reference for reference in runtime_references(runtime) if reference.waits)


def _cycle(way: list[str], reference: RuntimeReference, runtime: RuntimeFacts) -> Problem:
    around = [*way[way.index(reference.runtime_id) :], reference.runtime_id]
    if len(around) > _MAX_SHOWN:
        around[3:-2] = [f"{len(around) - 5} others"]
    said = " waits for ".join(around)
    if len(around) == 2:
        said = f"{reference.runtime_id} waits for itself"
    return Problem(
        reference.path,
        f"{field(reference.path)} closes a circle: {said}.",
        "Take one of these references out.",
        file=runtime.reading.frontmatter,
    )


RULES: Final = (produced_twice, runtime_cycle)
