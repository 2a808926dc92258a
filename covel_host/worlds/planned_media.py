"""Which media files a session gets, and where records name them (spec/world.md 7.3, 7.6)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.near_names import nearest
from covel_host.diagnostics.yaml_nodes import Path
from covel_host.worlds.pack_files import PathProblem
from covel_host.worlds.pack_media import MediaFile
from covel_host.worlds.reading import PackReading
from covel_host.worlds.sources import Source
from plugin_sdk.rules.i18n import matching_locale
from plugin_sdk.values import JsonObject, JsonValue

MEDIA_FOLDER: Final = "media/"
"""Where a path of media usually begins; one that does must lead to a file of a source."""

_ID: Final = re.compile(r"[0-9a-f]{64}")
_REF_FIELDS: Final = {"id", "mime", "size"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Materialized:
    """A value with its references to media, the files they mean, and those that lead nowhere.

    `problems` hold the place in the value and what is wrong there.
    """

    value: JsonValue
    files: Sequence[MediaFile]
    problems: Sequence[tuple[Path, str]]


class PlannedMedia:
    """The files of the media sources of a pack in one language, and those a session needs."""

    def __init__(self, reading: PackReading, sources: Iterable[Source], locale: str) -> None:
        self._reading = reading
        self._locale = locale
        self._by_name: dict[str, MediaFile] = {}
        self._by_id: dict[str, MediaFile] = {}
        self._taken: dict[str, MediaFile] = {}
        self._of: dict[str, dict[str, MediaFile]] = {}
        self._folders: set[str] = set()
        self.problems: list[Diagnostic] = []
        for source in sources:
            if source.target.kind == "media":
                self._read(source)

    @property
    def taken(self) -> tuple[MediaFile, ...]:
        """The files whose bytes the session gets, each content once."""
        return tuple(self._taken.values())

    def take(self, source: Source) -> Iterator[tuple[str, JsonObject]]:
        """Take all files of a media source: the record of each for an index, by file name."""
        for name, file in self._of.get(source.source_id, {}).items():
            self._taken.setdefault(file.media_id, file)
            yield name, {"filename": name, "ref": file.ref}

    def keep(self, files: Iterable[MediaFile]) -> None:
        """Take files that a stored record names."""
        for file in files:
            self._taken.setdefault(file.media_id, file)

    def materialized(self, value: JsonValue) -> Materialized:
        """`value` with a `MediaRef` for each `{media: <path>}` in it.

        References that are written out are compared with the files of the pack.
        """
        problems: list[tuple[Path, str]] = []
        files: list[MediaFile] = []

        def made(part: JsonValue, at: Path) -> JsonValue:
            if isinstance(part, list):
                return [made(item, (*at, index)) for index, item in enumerate(part)]
            if not isinstance(part, dict):
                return part
            path = part.get("media") if len(part) == 1 else None
            if isinstance(path, str) and self._is_media_path(path):
                named = self._by_name.get(path)
                if named is None:
                    problems.append(((*at, "media"), self._nowhere(path)))
                    return part
            elif part.keys() == _REF_FIELDS and _ID.fullmatch(str(part["id"])):
                named = self._by_id.get(str(part["id"]))
                if named is None or named.ref != part:
                    problems.append((at, _unlike(part, named)))
                    return part
            else:
                return {key: made(item, (*at, key)) for key, item in part.items()}
            files.append(named)
            return named.ref

        return Materialized(value=made(value, ()), files=files, problems=problems)

    def _read(self, source: Source) -> None:
        try:
            folder = self._reading.media.folder(source.entry.path)
        except PathProblem as problem:
            message = f"The source {source.source_id!r}: {problem}."
            self.problems.append(source.report(problem.name, message, "path", hint=problem.hint))
            return
        self.problems += [
            source.report("world-media", problem, "path") for problem in folder.problems
        ]
        assert self._reading.manifest is not None
        default = self._reading.manifest.default_locale
        own = self._of[source.source_id] = {}
        self._folders.add(source.entry.path.rstrip("/"))
        for name, main in folder.files.items():
            others = folder.translations.get(name, {})
            tag = matching_locale([default, *others], self._locale)
            file = others.get(tag, main) if tag is not None else main
            own[name] = self._by_name[main.name] = file
            self._by_id[file.media_id] = file
            self._by_id.setdefault(main.media_id, main)

    def _is_media_path(self, path: str) -> bool:
        return path.startswith(MEDIA_FOLDER) or path.rpartition("/")[0] in self._folders

    def _nowhere(self, path: str) -> str:
        near = nearest(path, list(self._by_name))
        end = f"; the nearest one is {near!r}." if near else "."
        return f"names {path!r}, which is no file of a media source{end}"


def _unlike(ref: JsonObject, file: MediaFile | None) -> str:
    """What is wrong with a reference that is written out."""
    if file is None:
        shown = f"{str(ref['id'])[:12]}…"
        return f"names the media {shown}, and no file of a media source has that content."
    return (
        f"says that {file.name} is {ref['mime']!r} of {ref['size']!r} bytes; it is {file.mime!r} "
        f"of {file.size_bytes:,} bytes."
    )
