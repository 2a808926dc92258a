"""The packages of a session that a player begins without a world (spec/manifest.md 8)."""

from collections.abc import Sequence

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.resolver import resolve_session
from covel_host.catalog.resolver_types import Resolution
from covel_host.catalog.session_packages import session_package
from covel_host.turn.errors import RequestRefused


def packages_for(catalog: Catalog, requested: Sequence[str]) -> Resolution:
    """What a new session gets: the packages asked for, every core package, and their providers.

    A core package that steps aside for one that was asked for is rejected and says why. No code
    runs, so none needs a grant here.

    Raises:
        RequestRefused: `package-not-found`, or `package-not-active` with the reason, for a package
            of the request.
    """
    for plugin_id in requested:
        state = catalog.packages.get(plugin_id)
        if state is None:
            raise RequestRefused(
                f"No package {plugin_id!r} was found.",
                code="package-not-found",
                hint="See: covel plugins list",
            )
        if state.reading.blocks_loading:
            raise RequestRefused(
                f"The package {plugin_id!r} has errors, so no session plays with it.",
                code="package-not-active",
                hint=f"See: covel plugins show {plugin_id}",
            )
    packages = (
        session_package(state.reading, source=state.found.source, is_authorized=True)
        for state in catalog.packages.values()
        if not state.reading.blocks_loading
    )
    resolution = resolve_session(
        [package for package in packages if package is not None],
        requested=tuple(dict.fromkeys(requested)),
    )
    for plugin_id in requested:
        if (rejection := resolution.rejected.get(plugin_id)) is not None:
            raise RequestRefused(rejection.message, code="package-not-active")
    return resolution
