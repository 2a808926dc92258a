"""Docstrings and signatures as Markdown, for the reference pages that come out of the code."""

import inspect
import re
from typing import Any

_SOURCE = re.compile(r"\s+\((?:seed|spec/|design/)[^)]*\)")
"""Where a rule comes from: for readers of the code, who have those pages."""

_LISTS = {"Raises:": "Raises:", "Args:": "Arguments:"}


def docstring_text(documented: Any) -> list[str]:
    """The lines of a docstring; what it takes and raises becomes lists."""
    lines: list[str] = []
    in_list = False
    for line in _SOURCE.sub("", inspect.getdoc(documented) or "").splitlines():
        if line in _LISTS:
            in_list = True
            lines += [_LISTS[line], ""]
        elif in_list and line.startswith("    ") and not line.startswith("     "):
            name, _, rest = line.strip().partition(": ")
            lines.append(f"- `{name}`: {rest}")
        elif in_list and line.startswith("     "):
            lines.append(f"  {line.strip()}")
        else:
            in_list = False if line else in_list
            lines.append(line)
    return lines


def call_text(name: str, function: Any) -> str:
    """How a function is called, such as `run(runtime=None, *, payload=None)`: no annotations."""
    parameters = inspect.signature(function).parameters.values()
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in parameters]
    shown = inspect.Signature([one for one in plain if one.name != "self"])
    return f"{name}{shown}"
