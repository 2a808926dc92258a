"""Whose code may run: bundled packages always, others when a trusted source names them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from covel_host.catalog.folders import PluginSource
from covel_host.manifest.reading import PackageReading


@dataclass(frozen=True, slots=True)
class Grant:
    """Leave to run the server code of one package in one state.

    `origin` says where it comes from, such as `--trust`; `content_hash` is the state it was given
    for, another state needs a grant of its own (spec/decisions.md 6).
    """

    plugin_id: str
    content_hash: str
    origin: str


@dataclass(frozen=True, slots=True)
class TrustPolicy:
    """The trusted sources of this process, by package ID, each with where it was named."""

    trusted: Mapping[str, str] = field(default_factory=dict)

    def grant(self, plugin_id: str, *, source: PluginSource, content_hash: str) -> Grant | None:
        """The grant for this package and content; `None` when nobody has named it.

        Trust comes from the folder a package was found in or from its ID, never from anything the
        package says of itself (spec/manifest.md 2.4).
        """
        if source == "builtin":
            return Grant(plugin_id, content_hash, "bundled")
        if origin := self.trusted.get(plugin_id):
            return Grant(plugin_id, content_hash, origin)
        return None

    def with_trusted(self, plugin_id: str, *, origin: str) -> "TrustPolicy":
        """This policy with one more trusted package."""
        return TrustPolicy({**self.trusted, plugin_id: origin})


def brings_code(reading: PackageReading) -> bool:
    """Whether the host would ever run a module of the package; its tests are none of those."""
    return reading.entry is not None or any(
        runtime.manifest is not None and (runtime.manifest.function or runtime.manifest.guard)
        for runtime in reading.runtimes
    )
