"""`ctx.agents`: sub-agents for the code of a function runtime (spec/execution.md 7)."""

from covel_host.base.json_text import json_copy
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.subagents import Subagents
from covel_host.tools.builtin.delegate import read_delegation
from plugin_sdk.values import JsonObject, JsonValue


class RunAgents:
    """The sub-agents that one handler starts; its life ends them."""

    def __init__(self, run: RuntimeRun, ports: RunPorts, life: CallLife) -> None:
        self._subagents = Subagents(run, ports)
        self._life = life

    async def run(
        self,
        *,
        contract: str | None = None,
        runtime_id: str | None = None,
        brief: str,
        data: JsonObject | None = None,
        character: str | None = None,
        instruction: str | None = None,
        max_steps: int | None = None,
    ) -> JsonValue:
        target = {"contract": contract, "runtimeId": runtime_id}
        asked = read_delegation(
            {
                "target": {name: value for name, value in target.items() if value is not None},
                "brief": brief,
                "data": data,
                "character": character,
                "instruction": instruction,
                "maxSteps": max_steps,
            }
        )
        answer = await self._life.use(lambda: self._subagents.run(asked, call_id=None))
        return json_copy(answer.output)
