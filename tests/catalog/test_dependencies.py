"""Who provides what another package of the session requires."""

from covel_host.catalog.dependencies import provider_dependencies
from covel_host.catalog.resolver_types import Provided, SessionPackage


def package(plugin_id: str, *, provides: str = "", requires: str = "") -> SessionPackage:
    return SessionPackage(
        plugin_id,
        provides=tuple(Provided(contract) for contract in provides.split()),
        requires=tuple(requires.split()),
    )


def test_every_provider_among_the_packages_counts() -> None:
    found = provider_dependencies(
        [
            package("clock", requires="bells@1 tower@1"),
            package("bells", provides="bells@1"),
            package("chimes", provides="bells@1"),
            package("other", provides="other@1"),
        ]
    )
    assert found["clock"] == {"bells", "chimes"}
    assert found["bells"] == frozenset()


def test_a_package_does_not_depend_on_itself() -> None:
    assert provider_dependencies([package("a", provides="x@1", requires="x@1")]) == {
        "a": frozenset()
    }
