"""Whose code may run: bundled packages always, others when a trusted source names them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, TypeAlias

from covel_host.catalog.folders import PluginSource
from covel_host.catalog.load_results import LoadResult
from covel_host.catalog.sources import PackageSources
from covel_host.catalog.trust_records import Records, TrustFile, TrustFileError, TrustRecord
from covel_host.manifest.reading import PackageReading

GRANTED: Final = "covel trust grant"
"""Where a grant comes from that is kept in the instance's own file."""
NEVER_TRUSTED: Final = "nobody has trusted it"
"""Why code does not run that has no grant and never had one."""
LASTING: Final = "settings.toml"
"""Where trust was written down for good; what ended it goes before that."""

TrustState: TypeAlias = Literal["discovered", "approved", "loaded", "revoked", "uninstalled"]
"""How far the trust in a package has come (seed: 第三方插件 server-code 审批边界).

`discovered`: nobody has allowed its present content. `approved`: allowed, and not loaded since.
`loaded`: allowed, and the last load of this content went well. `revoked`, `uninstalled`: it was
allowed, and that ended; a new grant begins anew.
"""


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
    """The trusted sources of this process.

    `trusted` holds package IDs that are trusted in any state, each with where it was named, and
    `folders` the same for packages by their place: a package's own folder, or the one around it.
    `records` are the instance's grants, kept in `file`; `given` are those of this process, each for
    one state. `unusable` says why the file cannot be read: then nothing lasting counts.
    """

    trusted: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[Path, str] = field(default_factory=dict)
    records: Records = field(default_factory=dict)
    given: Mapping[str, Grant] = field(default_factory=dict)
    file: TrustFile | None = None
    unusable: str | None = None

    def current(self) -> "TrustPolicy":
        """This policy with the grants as they are kept now: other commands give and end some.

        A file that has become unreadable holds none; `refusal` says so.
        """
        if self.file is None:
            return self
        try:
            return replace(self, records=self.file.read(), unusable=None)
        except TrustFileError as error:
            return replace(self, records={}, unusable=error.message)

    def grant(
        self, plugin_id: str, *, source: PluginSource, content_hash: str, root: Path | None = None
    ) -> Grant | None:
        """The grant for this package and content; `None` when nobody has allowed it.

        Trust comes from the folder a package was found in, from its ID or its content, never from
        anything the package says of itself (spec/manifest.md 2.4). `root` is where it was found;
        without it `folders` do not count.
        """
        if source == "builtin":
            return Grant(plugin_id, content_hash, "bundled")
        record = self.records.get(plugin_id)
        if origin := self._by_id(plugin_id, record) or self._by_place(root):
            return Grant(plugin_id, content_hash, origin)
        given = self.given.get(plugin_id)
        if given is not None and given.content_hash == content_hash:
            return given
        if record is None or record.ended is not None or record.content_hash != content_hash:
            return None
        return Grant(plugin_id, content_hash, GRANTED)

    def refusal(self, plugin_id: str, *, content_hash: str) -> str:
        """Why code that has no grant does not run, as the end of a sentence.

        A package that has changed says which state was trusted and since when.
        """
        if self.unusable is not None:
            return f"{self.unusable[0].lower()}{self.unusable[1:].rstrip('.')}"
        record = self.records.get(plugin_id)
        if record is None:
            return NEVER_TRUSTED
        if record.ended == "uninstalled":
            return f"its trust ended with its uninstall{_on(record.ended_at)}"
        if record.ended == "revoked":
            return f"its trust was revoked{_on(record.ended_at)}"
        return (
            f"it has changed since it was trusted{_on(record.granted_at)}; trusted was the content "
            f"{short_hash(record.content_hash)}, it is now {short_hash(content_hash)}"
        )

    def with_folder(self, folder: Path, *, origin: str) -> "TrustPolicy":
        """This policy with one more folder: the package it is, or every package right in it."""
        return replace(self, folders={**self.folders, _absolute(folder): origin})

    def with_grant(self, plugin_id: str, *, content_hash: str, origin: str) -> "TrustPolicy":
        """This policy with a grant of this process for one state of a package."""
        given = Grant(plugin_id, content_hash, origin)
        return replace(self, given={**self.given, plugin_id: given})

    def _by_id(self, plugin_id: str, record: TrustRecord | None) -> str | None:
        origin = self.trusted.get(plugin_id)
        has_ended = self.unusable is not None or (record is not None and record.ended is not None)
        return None if origin == LASTING and has_ended else origin

    def _by_place(self, root: Path | None) -> str | None:
        if root is None or not self.folders:
            return None
        place = _absolute(root)
        return self.folders.get(place) or self.folders.get(place.parent)


def trust_state(
    grant: Grant | None, record: TrustRecord | None, last_load: LoadResult | None
) -> TrustState:
    """How far the trust in a package has come.

    `last_load` is that of the package's present content, if there was one; without a grant it says
    nothing about now.
    """
    if grant is not None:
        is_loaded = last_load is not None and last_load.status == "loaded"
        return "loaded" if is_loaded else "approved"
    if record is not None and record.ended is not None:
        return record.ended
    return "discovered"


def short_hash(content_hash: str) -> str:
    """A content hash for people: its first 12 characters."""
    return content_hash[:12]


def brings_code(reading: PackageReading) -> bool:
    """Whether the host would ever run a module of the package; its tests are none of those."""
    return reading.entry is not None or any(
        runtime.manifest is not None and (runtime.manifest.function or runtime.manifest.guard)
        for runtime in reading.runtimes
    )


def without_modules(sources: PackageSources) -> PackageSources:
    """`sources` of a package without a grant: whatever a loader does, it finds nothing to run."""
    return replace(sources, modules={})


def trust_advice(plugin_id: str) -> str:
    """What a person does to let code run that nobody has trusted."""
    return (
        f"Read the code, then allow it: covel trust grant {plugin_id}, or --trust {plugin_id} for "
        "one call."
    )


def _absolute(path: Path) -> Path:
    # As discovery writes paths: links stand, so that a linked package lies where its link does.
    return Path(os.path.abspath(path))


def _on(at: datetime | None) -> str:
    return "" if at is None else f" on {at:%Y-%m-%d %H:%M:%S} UTC"
