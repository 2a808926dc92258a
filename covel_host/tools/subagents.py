"""What a sub-agent is asked to do (seed: 子 agent（delegate）)."""

from dataclasses import dataclass

from plugin_sdk.values import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """One request; exactly one of `contract` and `runtime_id` is set.

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
