"""The reference page of the author's kit, from its docstrings."""

import inspect
from collections.abc import Iterator
from typing import Any

from plugin_sdk import testing
from plugin_sdk.testing.fixture import Covel

_FACTS = (
    "RunResult",
    "TurnResult",
    "ToolAnswer",
    "Prompt",
    "StagedWrite",
    "TakenEvent",
    "JobResult",
    "Question",
    "Failure",
)
_ERRORS = ("HostFailure", "RunFailed", "Refused", "NotLoaded", "WrongReplies", "NotGiven")


def reference_page(mark: str) -> str:
    """The page `docs/test-kit.md`; `mark` says that it is generated."""
    rest = [name for name in testing.__all__ if name not in (*_FACTS, *_ERRORS, "Covel")]
    lines = ["# The test kit", "", mark, ""]
    lines += ["How it is used: [Testing a package](testing.md).", ""]
    lines += ["## The fixture `covel`", "", *_text(Covel), ""]
    for name, member in vars(Covel).items():
        if not name.startswith("_"):
            lines += [f"### `{_signature(name, member)}`", "", *_text(member), ""]
    for title, names in (("What it gives", _FACTS), ("What it raises", _ERRORS)):
        lines += [f"## {title}", "", *_named(names)]
    lines += ["## Without a host", "", "All of it is in `plugin_sdk.testing`.", "", *_named(rest)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _named(names: tuple[str, ...] | list[str]) -> Iterator[str]:
    for name in names:
        found = getattr(testing, name)
        signature = _signature(name, found) if inspect.isfunction(found) else name
        yield from (f"### `{signature}`", "", *_text(found), "")


def _signature(name: str, member: Any) -> str:
    if isinstance(member, property):
        return f"covel.{name}"
    signature = inspect.signature(member)
    is_method = "self" in signature.parameters
    shown = [str(_plain(one)) for key, one in signature.parameters.items() if key != "self"]
    kinds = [one.kind for key, one in signature.parameters.items() if key != "self"]
    if inspect.Parameter.POSITIONAL_ONLY in kinds:
        shown.insert(len(kinds) - kinds[::-1].index(inspect.Parameter.POSITIONAL_ONLY), "/")
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        shown.insert(shown.index(str(_plain(_first_named(signature)))), "*")
    return f"{'covel.' if is_method else ''}{name}({', '.join(shown)})"


def _first_named(signature: inspect.Signature) -> inspect.Parameter:
    named = inspect.Parameter.KEYWORD_ONLY
    return next(one for one in signature.parameters.values() if one.kind is named)


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(annotation=inspect.Parameter.empty)


def _text(documented: Any) -> list[str]:
    """A docstring in Markdown: what it raises becomes a list."""
    text = inspect.getdoc(documented) or ""
    lines: list[str] = []
    in_list = False
    for line in text.splitlines():
        if line in ("Raises:", "Args:"):
            in_list = True
            lines += ["Raises:" if line == "Raises:" else "Arguments:", ""]
        elif in_list and line.startswith("    ") and not line.startswith("     "):
            name, _, rest = line.strip().partition(": ")
            lines.append(f"- `{name}`: {rest}")
        elif in_list and line.startswith("     "):
            lines.append(f"  {line.strip()}")
        else:
            in_list = False if line else in_list
            lines.append(line)
    return lines
