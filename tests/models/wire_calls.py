"""One call to a server that plays answers, in any of the formats."""

import asyncio
import json
from typing import Any

from covel_host.models.errors import ModelError
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.messages import Delta, ModelReply, ModelRequest, TextDelta, ToolSpec
from tests.models.http_double import Answer, HttpDouble, body, events, http_double
from tests.models.support import QuickTime, make_slot, make_table, sourced
from tests.models.wire_formats import Format

ECHO = ToolSpec(
    "echo-value",
    "Echo one value.",
    {
        "title": "Echo",
        "type": "object",
        "properties": {"value": {"type": "string", "title": "Value", "minLength": 1}},
        "required": ["value"],
    },
)


class Outcome:
    """What one call left behind."""

    def __init__(self) -> None:
        self.deltas: list[Delta] = []
        self.time = QuickTime()
        self.double = HttpDouble([])
        self.result: ModelReply | ModelError | None = None

    @property
    def reply(self) -> ModelReply:
        assert isinstance(self.result, ModelReply), self.result
        return self.result

    @property
    def error(self) -> ModelError:
        assert isinstance(self.result, ModelError), self.result
        return self.result

    @property
    def text(self) -> str:
        return "".join(item.text for item in self.deltas if isinstance(item, TextDelta))

    @property
    def sent(self) -> dict[str, Any]:
        return self.double.requests[0]


def call_format(
    form: Format, request: ModelRequest, *answers: Answer, **slot_changes: Any
) -> Outcome:
    """Send `request` in a format to a server that plays `answers`; waits pass at once."""
    outcome = Outcome()

    async def note(delta: Delta) -> None:
        outcome.deltas.append(delta)

    async def run() -> None:
        async with http_double(*answers) as outcome.double:
            slot = make_slot(
                outcome.double.base_url, **{"protocol": sourced(form.protocol), **slot_changes}
            )
            time = outcome.time
            gateway = ModelGateway(
                GatewayOptions(), make_table(slot), clock=time.clock, sleep=time.sleep
            )
            try:
                outcome.result = await gateway.complete(request, on_delta=note)
            except ModelError as failure:
                outcome.result = failure
            finally:
                await gateway.aclose()

    asyncio.run(asyncio.wait_for(run(), 20))
    return outcome


def answer_in(
    form: Format,
    *,
    stream: bool,
    text: str | None = "x",
    calls: Any = (),
    finish: str | None = None,
    reasoning: str = "",
) -> Answer:
    """One reply, whole or as a stream."""
    word = finish or form.words["tool_calls" if calls else "stop"]
    if not stream:
        return body(json.dumps(form.whole(text, calls, finish=word, reasoning=reasoning)))
    pieces = [(call, name, [arguments]) for call, name, arguments in calls]
    return events(
        form.frames(
            [text] if text else [],
            pieces,
            finish=word,
            reasoning=[reasoning] if reasoning else [],
        )
    )
