"""Messages of label files against the texts of code and UI specs (spec/i18n.md 5)."""

import ast
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.file_text import read_at_most
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules.label_files import MESSAGES, LabelFile
from covel_host.manifest.rules.module_view import parse_module
from covel_host.manifest.rules.package_folder import MAX_LOOKED_AT_BYTES
from covel_host.manifest.rules.rule import Path, Problem, Rule, rule

MAX_SEARCHED_BYTES: Final = 8 * 1024 * 1024
"""Text of one package that is searched for messages."""

_SEARCHED: Final = (".py", ".json", ".html", ".js")
_SKIPPED: Final = frozenset(("__pycache__", "node_modules", "tests"))


@dataclass(frozen=True, slots=True)
class PackageTexts:
    """The texts of a package in which messages may stand: literals of code, and whole files."""

    literals: frozenset[str]
    files: str

    def holds(self, text: str) -> bool:
        """Whether `text` is a literal, or stands in a file in one of the ways it can be written."""
        if text in self.literals or text in self.files:
            return True
        return json.dumps(text)[1:-1] in self.files


@dataclass(frozen=True, slots=True)
class MessageFile:
    """A label file with messages, and the texts of its package."""

    labels: LabelFile
    texts: PackageTexts


@rule("i18n 5", "message-without-source", "A message stands in the code or in a UI spec.")
def without_source(file: MessageFile) -> Iterator[Problem]:
    for message in file.labels.messages:
        if not file.texts.holds(str(message).rpartition("|")[2]):
            path: Path = (MESSAGES, str(message))
            yield Problem(
                path,
                f"{str(message)!r} stands in no module and no UI spec of the package, so the "
                "translation is never found.",
                "Use the English text letter by letter, or remove the message.",
                at_key=True,
            )


def package_texts(package: PackageReading) -> PackageTexts | None:
    """The texts of modules and UI specs, `None` when there are too many to search."""
    literals: set[str] = set()
    files: list[str] = []
    size = 0
    for folder, folders, names in os.walk(package.root):
        folders[:] = sorted(name for name in folders if not _is_skipped(name))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not name.endswith(_SEARCHED) or os.path.islink(path):
                continue
            try:
                content = read_at_most(path, MAX_LOOKED_AT_BYTES)
            except OSError:
                continue
            size += len(content)
            if size > MAX_SEARCHED_BYTES:
                return None
            files.append(content.decode("utf-8", "replace"))
            if name.endswith(".py"):
                literals |= _literals(content)
    return PackageTexts(frozenset(literals), "\n".join(files))


def _literals(content: bytes) -> set[str]:
    """The text literals of a module, those written in several parts joined."""
    tree = parse_module(content)
    if not isinstance(tree, ast.Module):
        return set()
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str)}


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED


RULES: Final[tuple[Rule[MessageFile], ...]] = (without_source,)
