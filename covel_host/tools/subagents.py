"""Running a sub-agent for a caller: the port behind `delegate` (seed: 子 agent（delegate）)."""

from dataclasses import dataclass
from typing import Protocol

from plugin_sdk.context import ToolContext
from plugin_sdk.values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """What a sub-agent is asked to do; exactly one of `contract` and `runtime_id` is set.

    `data` is there for ordinary sub-agents only, `character` and `instruction` for those of
    `character-actor@1` only: that is known once the target is found.
    """

    brief: str
    contract: str | None = None
    runtime_id: str | None = None
    data: JsonObject | None = None
    character: str | None = None
    instruction: str | None = None
    max_steps: int | None = None


class SubagentRunner(Protocol):
    """Runs sub-agents inside the execution of their caller."""

    async def run(self, delegation: Delegation, context: ToolContext) -> JsonValue:
        """The sub-agent's whole output; what it staged has joined the caller's unit.

        Raises:
            ToolError: it did not come to a good end; nothing it staged is kept.
        """
        ...
