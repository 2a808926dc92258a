"""The translations of a pack's files, laid over them and checked (spec/world.md 7.5)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.worlds.overlays import IDENTITY, MayTranslate, Overlay, texts_in
from covel_host.worlds.pack_file import PackFile
from covel_host.worlds.pack_files import PackFiles, PathProblem
from plugin_sdk.rules.i18n import matching_locale
from plugin_sdk.values import JsonValue

MAX_SCRIPT_PROBLEMS: Final = 5
_CJK_LANGUAGES: Final = frozenset({"zh", "ja", "ko", "yue", "wuu"})
_CJK: Final = ("\u3400", "\u9fff")


@dataclass(frozen=True, slots=True)
class Translated:
    """A value in one language, and the files that it came from."""

    value: JsonValue
    files: tuple[str, ...]


class Translations:
    """Lays translations over the values of files; each problem is told once, in `found`."""

    def __init__(self, files: PackFiles, *, default_locale: str, found: list[Diagnostic]) -> None:
        self._files = files
        self._default_locale = default_locale
        self._found = found
        self._told: set[str] = set()

    def in_locale(
        self,
        main: PackFile,
        locale: str,
        *,
        may_translate: MayTranslate,
        identity: Sequence[str] = (),
    ) -> Translated:
        """The value of `main` for readers of `locale`; its own where there is no translation."""
        others = self._files.translations(main.file)
        self._check_names(main.file)
        tag = matching_locale([self._default_locale, *others], locale)
        if tag is None or tag not in others:
            return Translated(main.value, (main.file,))
        translation = self._translation(main, others[tag])
        if translation is None:
            return Translated(main.value, (main.file,))
        value = self._laid_over(main, translation, tag, may_translate, identity)
        return Translated(value, (main.file, translation.file))

    def in_every_locale(
        self, main: PackFile, *, may_translate: MayTranslate
    ) -> dict[str, JsonValue]:
        """The value of `main` in each language that has a translation, by locale."""
        self._check_names(main.file)
        found = {}
        for tag, name in self._files.translations(main.file).items():
            translation = self._translation(main, name)
            if translation is not None:
                found[tag] = self._laid_over(main, translation, tag, may_translate, ())
        return found

    def text(self, main: str, locale: str) -> PackFile | None:
        """The text file for readers of `locale`: its translation as a whole, else the main file."""
        others = self._files.translations(main)
        self._check_names(main)
        tag = matching_locale([self._default_locale, *others], locale)
        translated = others.get(tag) if tag is not None else None
        if translated is None:
            return self._files.optional(main)
        main_file = self._files.optional(main)
        return self._translation(main_file, translated) or main_file

    def _translation(self, main: PackFile | None, name: str) -> PackFile | None:
        """The translation of that name; None, told once, where what lies there is no file."""
        try:
            return self._files.named(name)
        except PathProblem as problem:
            self._once(name, partial(self._unusable, main, name, problem))
            return None

    def _unusable(
        self, main: PackFile | None, name: str, problem: PathProblem
    ) -> Iterator[Diagnostic]:
        of = "" if main is None else f" of {main.file}"
        yield report(
            problem.name,
            f"The translation{of} cannot be used: {problem}.",
            plugin=self._files.world_id,
            file=name,
            hint=problem.hint,
        )

    def _laid_over(
        self,
        main: PackFile,
        translation: PackFile,
        tag: str,
        may_translate: MayTranslate,
        identity: Sequence[str],
    ) -> JsonValue:
        overlay = Overlay(may_translate, (*IDENTITY, *identity))
        value = overlay.laid_over(main.value, translation.value)
        self._once(translation.file, lambda: self._problems(translation, tag, overlay))
        return value

    def _problems(self, file: PackFile, tag: str, overlay: Overlay) -> Iterator[Diagnostic]:
        for problem in overlay.problems:
            where = f"`{dotted(problem.path)}` is" if problem.path else "The file is"
            yield file.report(
                "locale-overlay",
                f"{where} not used: {problem.message}.",
                path=problem.path,
                of_key=True,
                hint=problem.hint,
            )
        if tag.split("-")[0] in _CJK_LANGUAGES:
            return
        foreign = [path for path, text in texts_in(file.value) if _holds_cjk(text)]
        for path in foreign[:MAX_SCRIPT_PROBLEMS]:
            yield file.report(
                "locale-script",
                f"`{dotted(path)}` holds Chinese, Japanese or Korean characters in a translation "
                f"into {tag!r}.",
                path=path,
                hint="Translate the text; it was probably left as it was copied.",
            )

    def _check_names(self, main: str) -> None:
        self._once(f"names of {main}", lambda: self._badly_named(main))

    def _badly_named(self, main: str) -> Iterator[Diagnostic]:
        for name in self._files.unread_translations(main):
            file = self._files.optional(name)
            if file is not None:
                yield file.report(
                    "locale-file-name",
                    f"{name} is not read: the part before the ending is no language tag.",
                    path=(),
                    hint="Name it after a canonical tag, such as 'zh', 'pt-BR' or 'zh-Hant-TW'.",
                )

    def _once(self, name: str, problems: Callable[[], Iterator[Diagnostic]]) -> None:
        if name not in self._told:
            self._told.add(name)
            self._found.extend(problems())


def _holds_cjk(text: str) -> bool:
    return not text.isascii() and any(
        _CJK[0] <= char <= _CJK[1] or "\u3040" <= char <= "\u30ff" or "\uac00" <= char <= "\ud7a3"
        for char in text
    )
