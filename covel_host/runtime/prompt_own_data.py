"""Blocks of own plugin data in a prompt: `io.selfData` (spec/execution.md 5.2)."""

from collections.abc import Sequence

from covel_host.base.errors import HostError
from covel_host.runtime.prompt_inputs import OwnData, OwnRow
from covel_host.runtime.prompt_texts import (
    cut,
    escape_text,
    escaped_json,
    sentence,
    tagged,
)
from plugin_sdk.rules.instruction_locale import InstructionLocale
from plugin_sdk.rules.model_facing import model_facing_json

SUMMARY_LIMIT = 200
"""Characters of a value's JSON in the format `summary`."""

_HIDDEN_PREFIX = "_hidden."


class HiddenNamespace(HostError):
    """A prompt was to show a hidden namespace; `namespace` holds its name."""

    def __init__(self, namespace: str) -> None:
        super().__init__(
            f"The namespace {namespace!r} is hidden and cannot be put into a prompt.",
            code="hidden-namespace",
            hint="List an open namespace of the package under 'io.selfData'.",
        )
        self.namespace = namespace


def own_data_block(data: OwnData, *, locale: InstructionLocale) -> str:
    """The rows of one namespace between its tags, one line each, oldest first.

    Raises:
        HiddenNamespace: hidden data never enters a prompt.
    """
    if data.namespace.startswith(_HIDDEN_PREFIX):
        raise HiddenNamespace(data.namespace)
    shown = shown_rows(data.rows, max_entries=data.max_entries)
    lines = [_line(row, data) for row in shown]
    if not lines:
        lines.append(sentence("nothing", locale))
    left_out = len(data.rows) - len(shown)
    if left_out:
        more = f"（另有 {left_out} 条未列出）" if locale == "zh" else f"({left_out} more rows)"
        lines.append(more)
    return tagged(data.tag, "\n".join(lines))


def shown_rows(rows: Sequence[OwnRow], *, max_entries: int) -> tuple[OwnRow, ...]:
    """All rows, or the oldest half and the most recently updated half of `max_entries`.

    The result is in order of creation, without doubles; an odd limit favours the recent half.
    """
    by_age = sorted(rows, key=lambda row: (row.created, row.key))
    if len(by_age) <= max_entries:
        return tuple(by_age)
    oldest, rest = by_age[: max_entries // 2], by_age[max_entries // 2 :]
    recent = sorted(rest, key=lambda row: (row.updated, row.key))
    kept = {row.key for row in recent[len(recent) - (max_entries - len(oldest)) :]}
    return (*oldest, *(row for row in rest if row.key in kept))


def _line(row: OwnRow, data: OwnData) -> str:
    key = escape_text(row.key)
    if data.format == "ids-only":
        return f"- {key}"
    value = escaped_json(model_facing_json(row.value))
    return f"- {key}: {cut(value, SUMMARY_LIMIT) if data.format == 'summary' else value}"
