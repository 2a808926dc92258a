"""A world pack read: manifest, descriptor, dimensions, lore, and what is wrong with them.

Nothing here depends on the language of a session or on the packages at hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.worlds.descriptor import DEFAULT_DESCRIPTOR, WorldData
from covel_host.worlds.dimensions import Declared, dimension_texts
from covel_host.worlds.manifest_texts import manifest_texts, schema_problems
from covel_host.worlds.model_problems import model_problems, read_value, written_path
from covel_host.worlds.overlays import with_locale_maps
from covel_host.worlds.pack_file import PackFile
from covel_host.worlds.pack_files import PackFiles, PathProblem
from covel_host.worlds.pack_media import MimeOf, PackMedia
from covel_host.worlds.translations import Translations
from covel_host.worlds.world_manifest import LORE_FILE, STAND_INS, WORLD_MANIFEST, WorldManifest
from plugin_sdk.values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class PackReading:
    """A pack as its files say it, with all problems found so far.

    `manifest` has defaults where a field is faulty; it is `None` when `world.yaml` could not be
    read. `translated` holds the values of `world.yaml` by language. `descriptor` is the data
    descriptor with its file, `None` where there is none or it is faulty; `has_descriptor` says
    whether one was named. `dimensions` are those of the manifest and its `dimensionSources`.
    """

    world_id: str
    root: Path
    manifest: WorldManifest | None
    file: PackFile | None
    translated: Mapping[str, JsonValue]
    character_schema: JsonObject | None
    descriptor: tuple[WorldData, PackFile] | None
    has_descriptor: bool
    dimensions: Mapping[str, Declared]
    diagnostics: tuple[Diagnostic, ...]
    files: PackFiles = field(repr=False)
    media: PackMedia = field(repr=False)
    translations: Translations = field(repr=False)


def read_pack(root: Path, *, mime_of: MimeOf) -> PackReading:
    """The pack in the folder `root`; problems are in `.diagnostics`, none is raised.

    `mime_of` tells the types of its media, which are read when the pack is planned.
    """
    return _PackReader(root, mime_of).read()


class _PackReader:
    """The steps of one reading and what they found."""

    def __init__(self, root: Path, mime_of: MimeOf) -> None:
        self.root = root
        self.mime_of = mime_of
        self.found: list[Diagnostic] = []
        self.world_id = root.name or root.absolute().name
        self.files = PackFiles(root, world_id=self.world_id, found=self.found)

    def read(self) -> PackReading:
        file = self.files.optional(WORLD_MANIFEST)
        manifest = self._manifest(file)
        default_locale = manifest.default_locale if manifest is not None else "en"
        translations = Translations(self.files, default_locale=default_locale, found=self.found)
        translated: dict[str, JsonValue] = {}
        localized: Any = {}
        if manifest is not None and file is not None:
            texts = frozenset(manifest_texts(file.value))
            translated = translations.in_every_locale(file, may_translate=texts.__contains__)
            localized = with_locale_maps(
                file.value, translated, texts, default_locale=default_locale
            )
            self._check_lore(manifest, translations)
        return PackReading(
            world_id=self.world_id,
            root=self.root,
            manifest=manifest,
            file=file,
            translated=translated,
            character_schema=self._schema(manifest, file, localized),
            descriptor=self._descriptor(manifest, file),
            has_descriptor=manifest is not None and self._descriptor_path(manifest) is not None,
            dimensions=self._dimensions(manifest, file, localized, translations),
            diagnostics=tuple(self.found),
            files=self.files,
            media=PackMedia(self.files, self.mime_of),
            translations=translations,
        )

    def _manifest(self, file: PackFile | None) -> WorldManifest | None:
        if file is None:
            self.found.append(
                report(
                    "world-manifest-missing",
                    f"The folder has no {WORLD_MANIFEST}.",
                    plugin=self.world_id,
                    hint=f"A world pack is a folder with a {WORLD_MANIFEST} in it.",
                )
            )
            return None
        value = file.value
        if not isinstance(value, dict):
            if not self.found:
                message = f"{WORLD_MANIFEST} holds no fields, written as 'name: value'."
                self.found.append(file.report("frontmatter-not-a-map", message, path=()))
            return None
        try:
            return WorldManifest.model_validate(value)
        except ValidationError as failure:
            self.found += model_problems(WorldManifest, failure, value, file, ())
            faulty = {written_path(error["loc"], value)[0][:1] for error in failure.errors()}
        kept = {key: item for key, item in value.items() if (key,) not in faulty}
        return WorldManifest.model_validate({**STAND_INS, **kept})

    def _check_lore(self, manifest: WorldManifest, translations: Translations) -> None:
        has_main = self.files.optional(LORE_FILE) is not None
        for locale in manifest.locales:
            if translations.text(LORE_FILE, locale) is None:
                self.found.append(
                    report(
                        "lore-missing",
                        f"No lore is there for readers of {locale!r}.",
                        plugin=self.world_id,
                        hint=f"Write the world's lore to {LORE_FILE}.",
                    )
                )
        if not has_main and self.files.translations(LORE_FILE):
            self.found.append(
                report(
                    "lore-fallback-missing",
                    f"There is no {LORE_FILE}, so readers of other languages get no lore.",
                    plugin=self.world_id,
                    hint=f"Keep the lore of the default locale in {LORE_FILE}.",
                )
            )

    def _schema(
        self, manifest: WorldManifest | None, file: PackFile | None, localized: Any
    ) -> JsonObject | None:
        if manifest is None or file is None or manifest.character_schema is None:
            return None
        self.found += schema_problems(manifest.character_schema, file)
        schema = localized["characterSchema"]
        return {"types": schema["types"], "attributes": schema.get("attributes") or []}

    def _descriptor_path(self, manifest: WorldManifest) -> str | None:
        if manifest.world_data is not None:
            return manifest.world_data
        is_there = self.files.optional(DEFAULT_DESCRIPTOR) is not None
        return DEFAULT_DESCRIPTOR if is_there else None

    def _descriptor(
        self, manifest: WorldManifest | None, file: PackFile | None
    ) -> tuple[WorldData, PackFile] | None:
        path = None if manifest is None or file is None else self._descriptor_path(manifest)
        if path is None or file is None:
            return None
        try:
            found = self.files.named(path)
        except PathProblem as problem:
            self.found.append(
                file.report(
                    problem.name, f"`worldData`: {problem}.", path=("worldData",), hint=problem.hint
                )
            )
            return None
        if found.value is None:
            return None
        model, problems = read_value(WorldData, found.value, found, ())
        self.found += problems
        return None if model is None else (model, found)

    def _dimensions(
        self,
        manifest: WorldManifest | None,
        file: PackFile | None,
        localized: Any,
        translations: Translations,
    ) -> dict[str, Declared]:
        if manifest is None or file is None:
            return {}
        declared = {
            name: Declared(localized["dimensions"][name], file, ("dimensions", name))
            for name in manifest.dimensions
        }
        for name, path in manifest.dimension_sources.items():
            place = ("dimensionSources", name)
            try:
                own = self.files.named(path)
            except PathProblem as problem:
                message = f"`dimensionSources.{name}`: {problem}."
                self.found.append(file.report(problem.name, message, path=place, hint=problem.hint))
                continue
            found = localized_dimensions(own, translations, manifest.default_locale, is_one=True)
            if found is None:
                if own.value is not None:
                    self.found.append(_not_a_map(own))
                continue
            declared[name] = Declared(found, own, ())
        return declared


def localized_dimensions(
    file: PackFile, translations: Translations, default_locale: str, *, is_one: bool
) -> JsonObject | None:
    """A file of one definition, or of a map of them, with its texts in every language.

    `None` when the file holds no map.
    """
    value = file.value
    if not isinstance(value, dict):
        return None
    if is_one:
        texts = frozenset(dimension_texts(value))
    else:
        texts = frozenset(
            place for name, item in value.items() for place in dimension_texts(item, (name,))
        )
    translated = translations.in_every_locale(file, may_translate=texts.__contains__)
    found = with_locale_maps(value, translated, texts, default_locale=default_locale)
    assert isinstance(found, dict)
    return found


def _not_a_map(file: PackFile) -> Diagnostic:
    message = f"{file.file} holds no definition, written as 'name: value'."
    return file.report("dimension-invalid", message, path=())
