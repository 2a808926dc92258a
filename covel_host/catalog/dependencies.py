"""Which packages of a session provide what another one requires."""

from collections.abc import Sequence

from covel_host.catalog.resolver_types import SessionPackage


def provider_dependencies(packages: Sequence[SessionPackage]) -> dict[str, frozenset[str]]:
    """For each package the others among `packages` that provide a contract it requires.

    What nobody among them provides counts for nothing, and so does what the package provides
    itself.
    """
    return {
        package.plugin_id: frozenset(
            other.plugin_id
            for other in packages
            if other is not package and not other.offers.keys().isdisjoint(package.requires)
        )
        for package in packages
    }
