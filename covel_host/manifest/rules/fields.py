"""The rules that manifests alone decide; reading a package runs them, so loading obeys them."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules import (
    across_runtimes,
    completion,
    contracts,
    contributions,
    datasets,
    detached,
    inputs_outputs,
    names_once,
    own_namespaces,
    python_needs,
    references,
    runtime_kind,
    service_imports,
    settings,
    stages,
    tools,
)
from covel_host.manifest.rules.facts import RootFacts, RuntimeFacts, package_facts
from covel_host.manifest.rules.rule import Rule, found_by

ROOT_RULES: Final[tuple[Rule[RootFacts], ...]] = (
    *contracts.ROOT_RULES,
    *contributions.RULES,
    *datasets.ROOT_RULES,
    *names_once.ROOT_RULES,
    *own_namespaces.ROOT_RULES,
    *python_needs.RULES,
    *settings.RULES,
    *tools.ROOT_RULES,
)
"""Rules on the root manifest."""

RUNTIME_RULES: Final[tuple[Rule[RuntimeFacts], ...]] = (
    *runtime_kind.RULES,
    *stages.RULES,
    *detached.RULES,
    *inputs_outputs.RULES,
    *completion.RULES,
    *references.RULES,
    *contracts.RUNTIME_RULES,
    *tools.RUNTIME_RULES,
    *datasets.RUNTIME_RULES,
    *service_imports.RULES,
    *names_once.RUNTIME_RULES,
    *own_namespaces.RUNTIME_RULES,
)
"""Rules on one runtime and what it refers to in the root manifest."""

PACKAGE_RULES: Final[tuple[Rule[tuple[RuntimeFacts, ...]], ...]] = across_runtimes.RULES
"""Rules on the runtimes of a package together."""


def field_problems(package: PackageReading) -> Iterator[Diagnostic]:
    """The breaches of all rules on fields; faulty groups take part in none of them."""
    facts = package_facts(package)
    if facts.root is not None:
        yield from found_by(ROOT_RULES, facts.root, facts.root.frontmatter)
    for runtime in facts.runtimes:
        yield from found_by(RUNTIME_RULES, runtime, runtime.reading.frontmatter)
    if facts.runtimes:
        yield from found_by(PACKAGE_RULES, facts.runtimes, facts.runtimes[0].reading.frontmatter)
