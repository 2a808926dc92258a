"""Grants given and taken back: what exactly is granted, and what still trusts a package after."""

from dataclasses import dataclass
from pathlib import Path

from covel_host.base.clock import Clock, SystemClock
from covel_host.base.errors import HostError
from covel_host.catalog.discovery import FoundPackage, discover
from covel_host.catalog.sources import PackageSources, SourcesError, read_sources
from covel_host.catalog.trust import brings_code
from covel_host.catalog.trust_records import TrustFile, TrustRecord
from covel_host.cli.package_contributions import declared_names
from covel_host.cli.targets import package_not_found
from covel_host.manifest.package import read_package
from covel_host.manifest.reading import PackageReading
from covel_host.settings import SETTINGS_FILE, Settings


class TrustRefused(HostError):
    """There is nothing to grant or to take back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grantable:
    """A package in the one state that would be trusted; `before` is its last grant."""

    found: FoundPackage
    reading: PackageReading
    sources: PackageSources
    before: TrustRecord | None

    @property
    def is_granted(self) -> bool:
        """Whether a grant for this very content is kept already."""
        before = self.before
        return (
            before is not None
            and before.ended is None
            and before.content_hash == self.sources.content_hash
        )

    @property
    def contributes(self) -> dict[str, list[str]]:
        """What the manifest lists, by group."""
        return declared_names(self.reading)

    @property
    def http(self) -> list[tuple[str, str, tuple[str, ...] | None]]:
        """Each runtime's allowed origins with their methods, `None` for all."""
        return [
            (runtime.runtime_id, allowed.origin, allowed.methods)
            for runtime in self.reading.runtimes
            if runtime.manifest is not None
            for allowed in runtime.manifest.permissions.http
        ]


def grantable(plugin_id: str, settings: Settings) -> Grantable:
    """The package of that ID, read so that what is shown is what is granted.

    Raises:
        NoPackage: there is none.
        TrustRefused: it is bundled, brings no code, has errors, or changed while it was read.
    """
    found = _found(plugin_id, settings)
    sources = _sources(found.root)
    reading = read_package(found.root, plugin_id=plugin_id)
    if reading.blocks_loading:
        raise TrustRefused(
            f"{plugin_id!r} has errors, and would be changed before it can run.",
            code="package-invalid",
            hint=f"See: covel plugins show {plugin_id}",
        )
    if not brings_code(reading):
        raise TrustRefused(f"{plugin_id!r} brings no code; it needs no trust.", code="no-code")
    if _sources(found.root).content_hash != sources.content_hash:
        raise TrustRefused(
            f"{plugin_id!r} changed while it was read.", code="package-changed", hint="Try again."
        )
    return Grantable(
        found=found,
        reading=reading,
        sources=sources,
        before=settings.trust.records.get(plugin_id),
    )


def grant(granted: Grantable, settings: Settings, *, clock: Clock | None = None) -> TrustRecord:
    """Keep the grant; what was shown is what is trusted, whatever lies there by now."""
    return TrustFile(settings.trust_file).grant(
        granted.found.plugin_id,
        content_hash=granted.sources.content_hash,
        at=(clock or SystemClock()).now(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoked:
    """What was taken back.

    `still_trusted_by` is what was said for this environment or call and trusts the package all the
    same; `overrules` the lasting setting that names it and counts no more.
    """

    record: TrustRecord
    still_trusted_by: str | None
    overrules: str | None


def revoke(plugin_id: str, settings: Settings, *, clock: Clock | None = None) -> Revoked:
    """Take back the trust in a package, also in one that is no longer there.

    Raises:
        NoPackage: neither a package nor a grant has this ID.
        TrustRefused: it is bundled, or nothing trusts it.
        TrustFileError: the file of grants cannot be written.
    """
    record = settings.trust.records.get(plugin_id)
    origin = settings.trust.trusted.get(plugin_id)
    has_grant = record is not None and record.ended is None
    if not has_grant and origin != SETTINGS_FILE:
        raise _nothing_to_revoke(plugin_id, settings, origin)
    ended = TrustFile(settings.trust_file).end(
        plugin_id,
        content_hash=_present_hash(plugin_id, settings),
        ended="revoked",
        at=(clock or SystemClock()).now(),
    )
    is_setting = origin == SETTINGS_FILE
    return Revoked(
        record=ended,
        still_trusted_by=None if is_setting else origin,
        overrules=origin if is_setting else None,
    )


def _nothing_to_revoke(plugin_id: str, settings: Settings, origin: str | None) -> HostError:
    try:
        _found(plugin_id, settings)
    except HostError as error:
        return error
    if origin is not None:
        return TrustRefused(
            f"No grant is kept for {plugin_id!r}; {origin} trusts it.",
            code="not-granted",
            hint=f"Take it out of {origin}.",
        )
    return TrustRefused(f"Nothing trusts {plugin_id!r}.", code="not-granted")


def _found(plugin_id: str, settings: Settings) -> FoundPackage:
    """The package of that ID, disabled ones too, which is not bundled."""
    discovery = discover(settings.folders)
    listed = [*discovery.packages, *discovery.disabled]
    for found in listed:
        if found.plugin_id != plugin_id:
            continue
        if found.source == "builtin":
            raise TrustRefused(
                f"{plugin_id!r} is bundled, and bundled packages are always trusted.",
                code="bundled-package",
                hint=f"Turn it off: covel plugins disable {plugin_id}",
            )
        return found
    raise package_not_found(
        plugin_id, [*(each.plugin_id for each in listed), *settings.trust.records]
    )


def _present_hash(plugin_id: str, settings: Settings) -> str:
    """The hash of the content that is there, empty where none can be read."""
    try:
        return _sources(_found(plugin_id, settings).root).content_hash
    except HostError:
        return ""


def _sources(root: Path) -> PackageSources:
    try:
        return read_sources(root)
    except SourcesError as error:
        raise TrustRefused(error.message, code="file-unreadable") from error
