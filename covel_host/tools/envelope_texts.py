"""Fixed texts and limits of what the model reads (seed: 统一返回格式与错误码, 不在的工具)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from covel_host.base.error_texts import MAX_AUTHORED_CHARACTERS, cut_text, unexpected_cause
from plugin_sdk.rules.instruction_locale import InstructionLocale

DONE: Mapping[InstructionLocale, str] = MappingProxyType({"en": "Done.", "zh": "完成。"})
STAGED: Mapping[InstructionLocale, str] = MappingProxyType(
    {
        "en": "Staged: it takes effect when the turn ends and may still be rejected.",
        "zh": "已暂存，回合结束时生效（可能被拒绝）。",
    }
)

READ_ONLY_WRITES = "read-only tool returned writes"
"""Why a read-only tool that gave proposals or events fails, as `internal`."""

AbsentReason: TypeAlias = Literal["missing", "several", "paused", "not-offered", "not-allowed"]
"""No active provider, more than one, a paused one, one that does not offer the service to models,
or a write service in a run that cannot change data."""

_ABSENT: Mapping[AbsentReason, str] = MappingProxyType(
    {
        "missing": "in this session: no active provider offers {contract}.",
        "several": "in this session: more than one plugin provides it.",
        "paused": "in this session: its provider is paused after repeated errors.",
        "not-offered": "in this session: its provider does not offer it to models.",
        "not-allowed": "in this run: it changes data, which this runtime cannot do here.",
    }
)


def authored_text(text: str) -> str:
    """A message or hint as its author wrote it, within the limit."""
    return cut_text(text, MAX_AUTHORED_CHARACTERS)


def unexpected_text(tool_name: str, text: str) -> str:
    """The message of an error nobody wrote for the model; see `unexpected_cause`."""
    return f'Tool "{tool_name}" failed: {unexpected_cause(text)}'


def absent_import_text(tool_name: str, contract: str, reason: AbsentReason) -> str:
    """The message of `unavailable` for an imported service that is not there.

    It names no plugin; the log has a line with the plugin for its author.
    """
    return f'The tool "{tool_name}" is unavailable {_ABSENT[reason].format(contract=contract)}'
