"""How a runtime run can end (spec/execution.md 13.1)."""

from typing import Literal, TypeAlias

RunStatus: TypeAlias = Literal["success", "failed", "skipped", "suspended"]
