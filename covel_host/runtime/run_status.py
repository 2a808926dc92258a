"""How a runtime run can end (spec/execution.md 13.1)."""

from typing import Literal, TypeAlias

RunStatus: TypeAlias = Literal["success", "failed", "skipped", "suspended"]

NestedKind: TypeAlias = Literal["recursive", "subagent"]
"""How a run inside another one was asked for."""
