"""The packages of a session that a player begins, with a world or without (spec/manifest.md 8)."""

from collections.abc import Sequence

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.resolver import resolve_session
from covel_host.catalog.resolver_types import Resolution
from covel_host.catalog.session_packages import session_packages
from covel_host.turn.errors import RequestRefused


def packages_for(
    catalog: Catalog,
    requested: Sequence[str],
    *,
    wished: Sequence[str] = (),
    contracts: Sequence[str] = (),
) -> Resolution:
    """What a new session gets: the packages asked for, every core package, and their providers.

    `wished` are packages that a world would have beside them, and `contracts` what it needs
    somebody for; of these nothing is refused. A core package that steps aside for one that was
    asked for is rejected and says why. No code runs, so none needs a grant here.

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
                hint=see_errors(plugin_id),
            )
    usable = (state for state in catalog.packages.values() if not state.reading.blocks_loading)
    known = [plugin_id for plugin_id in wished if plugin_id in catalog.packages]
    resolution = resolve_session(
        session_packages(usable),
        requested=tuple(dict.fromkeys((*requested, *known))),
        required_contracts=contracts,
    )
    for plugin_id in requested:
        if (rejection := resolution.rejected.get(plugin_id)) is not None:
            raise RequestRefused(rejection.message, code="package-not-active")
    return resolution


def see_errors(plugin_id: str) -> str:
    """Where the errors of a package are shown."""
    return f"See: covel plugins show {plugin_id}"
