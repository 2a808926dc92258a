"""What a code, the name of a problem, or a reserved name means; read offline, without packages."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from covel_host.diagnostics.code_example import Example
from covel_host.diagnostics.code_examples_files import FILE_EXAMPLES
from covel_host.diagnostics.code_examples_rules import RULE_EXAMPLES
from covel_host.diagnostics.code_examples_shape import SHAPE_EXAMPLES
from covel_host.diagnostics.codes import ALL_CODES, CodeInfo, code_info
from covel_host.diagnostics.reserved_names import ReservedName, reserved_names

EXAMPLES: Final[Mapping[str, Example]] = MappingProxyType(
    {**FILE_EXAMPLES, **SHAPE_EXAMPLES, **RULE_EXAMPLES}
)
"""Examples by the name of the problem."""


def explain(
    subject: str, *, extension_points: Sequence[str] = (), ui_slots: Sequence[str] = ()
) -> str | None:
    """Text about a code (`COV021`), a problem's name or a reserved name; `None` for another word.

    Reserved names are framework tools, hooks and their events, prefixes and namespaces of the
    host, and the contracts given as `extension_points` and `ui_slots`. The text ends with a line
    end; `suggestions` helps with an unknown word.
    """
    info = code_info(subject)
    if info is not None:
        return explain_code(info)
    names = reserved_names(extension_points=extension_points, ui_slots=ui_slots)
    found = _reserved(subject.strip(), names)
    if found is None:
        return None
    return "\n".join([f"{found.name}: {found.kind}", "", *_wrapped(found.explanation)]) + "\n"


def explain_code(info: CodeInfo) -> str:
    """Text about one kind of problem, with an example where one can be shown."""
    blocks = "keeps the package from being loaded" if info.blocks_loading else "the package loads"
    lines = [
        f"{info.code} {info.name} ({info.severity}; {blocks}; since {info.since})",
        "",
        *_wrapped(info.documentation),
    ]
    example = EXAMPLES.get(info.name)
    if example is not None:
        lines += ["", "Wrong:", "", *_indented(example.wrong)]
        lines += ["", "Right:", "", *_indented(example.right)]
    return "\n".join(lines) + "\n"


def suggestions(
    subject: str, *, extension_points: Sequence[str] = (), ui_slots: Sequence[str] = ()
) -> list[str]:
    """Up to three codes or names that `subject` may be a slip of, the nearest first."""
    from difflib import get_close_matches

    reserved = reserved_names(extension_points=extension_points, ui_slots=ui_slots)
    known = [info.code for info in ALL_CODES] + [info.name for info in ALL_CODES]
    known += [name.name for name in reserved]
    by_lower = {name.lower(): name for name in reversed(known)}
    close = get_close_matches(subject.strip().lower(), by_lower, n=3, cutoff=0.6)
    return [by_lower[name] for name in close]


def _reserved(subject: str, names: Sequence[ReservedName]) -> ReservedName | None:
    """The reserved name `subject`, or the prefix it begins with."""
    exact = [name for name in names if name.name.lower() == subject.lower()]
    prefixes = [name for name in names if name.is_prefix and subject.startswith(name.name)]
    longest = sorted(prefixes, key=lambda name: len(name.name), reverse=True)
    return next(iter([*exact, *longest]), None)


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width=88, break_long_words=False, break_on_hyphens=False)


def _indented(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in text.splitlines()]
