"""Messages of label files against the texts of code and UI specs (spec/i18n.md 5)."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules.label_files import MESSAGES, LabelFile
from covel_host.manifest.rules.package_folder import MAX_LOOKED_AT_BYTES
from covel_host.manifest.rules.rule import Path, Problem, Rule, rule

MAX_SEARCHED_BYTES: Final = 8 * 1024 * 1024
"""Text of one package that is searched for messages."""

_SEARCHED: Final = (".py", ".json", ".html", ".js")
_SKIPPED: Final = frozenset(("__pycache__", "node_modules", "tests"))


@dataclass(frozen=True, slots=True)
class MessageFile:
    """A label file with messages, and all texts of the package in which they may stand."""

    labels: LabelFile
    texts: str


@rule("i18n 5", "message-unfit", "A message has its English text in the code or in a UI spec.")
def without_source(file: MessageFile) -> Iterator[Problem]:
    for message in file.labels.messages:
        text = str(message).rpartition("|")[2]
        if not _stands_in(text, file.texts):
            path: Path = (MESSAGES, str(message))
            yield Problem(
                path,
                f"{str(message)!r} stands in no module and no UI spec of the package, so the "
                "translation is never found.",
                "Use the English text letter by letter, or remove the message.",
                at_key=True,
            )


def package_texts(package: PackageReading) -> str | None:
    """The texts of modules and UI specs together, `None` when there are too many to search."""
    texts: list[str] = []
    size = 0
    for folder, folders, files in os.walk(package.root):
        folders[:] = sorted(name for name in folders if not _is_skipped(name))
        for name in sorted(files):
            path = os.path.join(folder, name)
            if not name.endswith(_SEARCHED) or os.path.islink(path):
                continue
            try:
                with open(path, "rb") as stream:
                    content = stream.read(MAX_LOOKED_AT_BYTES)
            except OSError:
                continue
            size += len(content)
            if size > MAX_SEARCHED_BYTES:
                return None
            texts.append(content.decode("utf-8", "replace"))
    return "\n".join(texts)


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED


def _stands_in(text: str, texts: str) -> bool:
    """Whether the literal `text` stands in `texts`, whichever quotes it is written in.

    Long texts are often split over lines, so their first words are enough.
    """
    start = text[:24]
    escaped = start.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return start in texts or escaped in texts or start.replace("'", "\\'") in texts


RULES: Final[tuple[Rule[MessageFile], ...]] = (without_source,)
