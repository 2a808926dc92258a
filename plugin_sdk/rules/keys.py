"""Keys and IDs: data set keys, readable entity IDs, names of generated tools.

Sources: seed, 键的规则与查找, 短 ID, 导入的服务工具, 数据集工具 · 名字与选择.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from typing import Literal, Protocol, TypeAlias

from plugin_sdk.errors import ToolError
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES, TOOL_NAME_PATTERN

MAX_DATASET_KEY_UNITS = 256
"""Limit of a normalised data set key, in UTF-16 units."""

MAX_SHORT_ID_LABEL_CHARACTERS = 32
"""How much of a label's words a short ID keeps."""

DatasetToolKind: TypeAlias = Literal["get", "list", "upsert", "update"]

# JavaScript's white space, which the stored keys were made with; Python's `\s` differs in six
# characters.
_WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_WHITE_SPACE_RUN = re.compile(f"[{_WHITE_SPACE}]+")
_WORD = re.compile(r"[A-Za-z0-9]+")
_TOOL_NAME = re.compile(TOOL_NAME_PATTERN)


class RandomBits(Protocol):
    """The part of `random.Random` that short IDs need; a tool passes `ctx.random`."""

    def getrandbits(self, k: int, /) -> int:
        """A whole number of `k` random bits."""
        ...


def dataset_key(text: str) -> str:
    """The key under which a data set stores a record.

    Unicode NFKC, outer white space gone, inner white space as one space, lower case; that is no
    case folding, and punctuation stays. The result may be empty or too long: `require_dataset_key`
    refuses those.
    """
    composed = unicodedata.normalize("NFKC", text)
    return _WHITE_SPACE_RUN.sub(" ", composed).strip(" ").lower()


def require_dataset_key(text: str) -> str:
    """`dataset_key(text)` where a key is needed.

    Raises:
        ToolError: `invalid-input`; the normalised key is empty or longer than
            `MAX_DATASET_KEY_UNITS`.
    """
    key = dataset_key(text)
    if not key:
        raise ToolError(
            "invalid-input", "The key is blank. Pass a key with at least one character."
        )
    units = len(key.encode("utf-16-le", "surrogatepass")) // 2
    if units > MAX_DATASET_KEY_UNITS:
        raise ToolError(
            "invalid-input",
            f"The key has {units} UTF-16 units; the limit is {MAX_DATASET_KEY_UNITS}. "
            "Pass a shorter key.",
        )
    return key


def word_id(prefix: str, label: str, taken: Container[str]) -> str:
    """A readable ID for `label`, such as `npc-lin-yao`, that is not in `taken`.

    The prefix and the label's words in `[a-z0-9-]`; a label without ASCII letters or digits gives
    eight hex digits of its digest, the same everywhere. A taken ID gets `-2`, `-3` and so on. Use
    it where every ID of the namespace is known, `short_id` elsewhere.
    """
    base = "-".join([*_words(prefix), *(_words(label) or [_digest(label)])])
    candidate = base
    number = 1
    while candidate in taken:
        number += 1
        candidate = f"{base}-{number}"
    return candidate


def short_id(prefix: str, label: str, random: RandomBits) -> str:
    """A new ID for `label`, such as `item-dragon-sword-1f0d2c3b`, without reading the namespace.

    At most `MAX_SHORT_ID_LABEL_CHARACTERS` of the label's words and eight random hex digits: every
    call gives another ID, so entities are found again by the stored ID, never by the label.
    """
    return f"{_short_id_base(prefix, label)}{random.getrandbits(32):08x}"


def short_id_batch(prefix: str, labels: Iterable[str], random: RandomBits) -> list[str]:
    """One `short_id` per label, in order, no two alike."""
    ids: list[str] = []
    used: set[str] = set()
    for label in labels:
        base = _short_id_base(prefix, label)
        bits = random.getrandbits(32)
        while f"{base}{bits:08x}" in used:
            bits = (bits + 1) % 2**32
        ids.append(f"{base}{bits:08x}")
        used.add(ids[-1])
    return ids


def import_tool_name(contract: str, *, alias: str | None = None) -> str:
    """The tool name of an imported service: `alias` (the manifest's `as`), else from the contract.

    `inventory.items@1` gives `inventory-items`.

    Raises:
        ValueError: the name is not 1 to 64 letters, digits, `_` and `-`, or is a framework tool's.
    """
    name = contract.partition("@")[0].replace(".", "-") if alias is None else alias
    if not _TOOL_NAME.fullmatch(name):
        raise ValueError(
            f"The tool name {name!r} of the import {contract!r} is not 1 to 64 letters, digits, "
            "'_' and '-'. Give the import a name with 'as'."
        )
    if name in FRAMEWORK_TOOL_NAMES:
        raise ValueError(
            f"The import {contract!r} cannot be called {name!r}, the name of a framework tool. "
            "Give the import another name with 'as'."
        )
    return name


def dataset_tool_kinds(
    *, ops: Sequence[str] | None = None, tools: Sequence[DatasetToolKind] | None = None
) -> tuple[DatasetToolKind, ...]:
    """The tools a data set offers, in the order get, list, upsert, update.

    `tools` decides where it is declared; else they follow from `ops` (None means all operations).
    """
    if tools is not None:
        return tuple(kind for kind in _TOOL_KINDS if kind in tools)
    has_set = ops is None or "set" in ops
    has_other = ops is None or any(op != "set" for op in ops)
    return ("get", "list", *(("upsert",) if has_set else ()), *(("update",) if has_other else ()))


def dataset_tool_name(dataset: str, kind: DatasetToolKind) -> str:
    """The name of one generated tool, such as `npcs-get`."""
    return f"{dataset}-{kind}"


_TOOL_KINDS: tuple[DatasetToolKind, ...] = ("get", "list", "upsert", "update")


def _words(text: str) -> list[str]:
    """The lower-case ASCII words of `text`, accents taken off: `Café 7` gives `cafe` and `7`."""
    if not _WORD.search(text):
        return []
    bare = "".join(
        sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign)
    )
    return [word.lower() for word in _WORD.findall(bare)]


def _digest(label: str) -> str:
    return hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _short_id_base(prefix: str, label: str) -> str:
    slug = "-".join(_words(label))[:MAX_SHORT_ID_LABEL_CHARACTERS].strip("-")
    return "".join(f"{part}-" for part in (*_words(prefix), slug) if part)
