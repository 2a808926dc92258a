"""`resolver.json`: the packages of a session."""

from typing import Any

from covel_host.catalog.resolver import resolve_session
from covel_host.catalog.resolver_types import ImplementedPoint, Provided, SessionPackage


def check(vector: dict[str, Any]) -> None:
    resolution = resolve_session(
        [package_of(data) for data in vector["packages"]],
        requested=vector["requested"],
        excluded=vector.get("excluded", ()),
        required_contracts=vector.get("required_contracts", ()),
    )
    expect = vector["expect"]
    codes = {plugin_id: rejection.code for plugin_id, rejection in resolution.rejected.items()}
    if "active" in expect:
        assert set(resolution.active) == set(expect["active"]), codes
    if "rejected" in expect:
        assert codes == expect["rejected"]
    if "unmet" in expect:
        assert resolution.unmet == expect["unmet"]


def package_of(data: dict[str, Any]) -> SessionPackage:
    """A package from the form of the vectors."""
    return SessionPackage(
        plugin_id=data["id"],
        kind=data.get("kind", "plugin"),
        source=data.get("source", "builtin"),
        is_authorized=data.get("authorized", False),
        provides=tuple(
            Provided(entry)
            if isinstance(entry, str)
            else Provided(entry["contract"], entry.get("default", False))
            for entry in data.get("provides", ())
        ),
        requires=tuple(data.get("requires", ())),
        conflicts=tuple(data.get("conflicts", ())),
        extensions=tuple(
            ImplementedPoint(entry["point"], entry["id"], entry.get("slot"))
            for entry in data.get("extensions", ())
        ),
        topics=tuple(data.get("topics", ())),
    )


CHECKS = {None: check}
