"""The reference page of the author's kit, from its docstrings."""

import inspect
from collections.abc import Iterator
from typing import Any

from covel_host.base.docstring_text import call_text, docstring_text
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
    lines += ["## The fixture `covel`", "", *docstring_text(Covel), ""]
    for name, member in vars(Covel).items():
        if not name.startswith("_"):
            lines += [f"### `{_signature(name, member)}`", "", *docstring_text(member), ""]
    for title, names in (("What it gives", _FACTS), ("What it raises", _ERRORS)):
        lines += [f"## {title}", "", *_named(names)]
    lines += ["## Without a host", "", "All of it is in `plugin_sdk.testing`.", "", *_named(rest)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _named(names: tuple[str, ...] | list[str]) -> Iterator[str]:
    for name in names:
        found = getattr(testing, name)
        signature = _signature(name, found) if inspect.isfunction(found) else name
        yield from (f"### `{signature}`", "", *docstring_text(found), "")


def _signature(name: str, member: Any) -> str:
    if isinstance(member, property):
        return f"covel.{name}"
    is_method = "self" in inspect.signature(member).parameters
    return call_text(f"covel.{name}" if is_method else name, member)
