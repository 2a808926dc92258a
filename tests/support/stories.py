"""The ten turns of scripts/story, played on a host whose model knows its part by heart."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from covel_host.host import Host
from covel_host.models.call import WaitingSink
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.limits import CallBudget, CallLimits
from covel_host.models.messages import (
    AssistantMessage,
    CostEstimate,
    DeltaSink,
    ModelReply,
    ModelRequest,
    SystemMessage,
    TextDelta,
    Usage,
    UserMessage,
)
from covel_host.models.port import text_pieces
from covel_host.models.retry import RetryPolicy
from covel_host.models.selector import UseOffline
from covel_host.models.slots import SlotTable
from covel_host.settings import read_settings
from covel_host.turn.session_seats import set_seat
from covel_host.turn.turns import TurnReport, TurnRequest
from tests.support.hosts import Recorder
from tests.support.replies import call

ROOT = Path(__file__).parents[2]
PLUGINS = ROOT / "scripts" / "story" / "plugins"
PACKAGES = tuple(sorted(path.name for path in PLUGINS.iterdir()))
USAGE = Usage(input_tokens=100, output_tokens=20)
COST = CostEstimate(amount=0.00014, currency="USD", is_complete=True)

_FRAME = re.compile(r"runtime `([^`]+)`")


@cache
def story_turns() -> tuple[Mapping[str, Any], ...]:
    """The turns as `story.yaml` has them."""
    text = (ROOT / "scripts" / "story" / "story.yaml").read_text(encoding="utf-8")
    return tuple(yaml.safe_load(text)["turns"])


class StoryModel(ModelGateway):
    """Answers by what it is asked, so that a turn can be played again, in any order.

    The runtime is told by the frame of its prompt, the turn by what the player said (the reader of
    omens: by its brief), the step by the calls that were made before.
    """

    def __init__(self) -> None:
        super().__init__(GatewayOptions(), SlotTable({}, ""), selector=UseOffline())
        self.requests: list[ModelRequest] = []

    async def complete(
        self,
        request: ModelRequest,
        *,
        slot: str | None = None,
        limits: CallLimits | None = None,
        retry: RetryPolicy | None = None,
        on_delta: DeltaSink | None = None,
        budget: CallBudget | None = None,
        allow_fallback: bool = True,
        on_waiting: WaitingSink | None = None,
    ) -> ModelReply:
        self.requests.append(request)
        reply = _reply_to(request)
        if on_delta is not None and request.stream:
            for piece in text_pieces(reply.text):
                await on_delta(TextDelta(piece))
        return reply


def _reply_to(request: ModelRequest) -> ModelReply:
    frame = _FRAME.search(
        next(one.text for one in request.messages if isinstance(one, SystemMessage))
    )
    assert frame is not None
    runtime = frame[1].split("/")[-1]
    said = [one.text for one in request.messages if isinstance(one, UserMessage)]
    turn = next(one for one in story_turns() if _is_turn(one, runtime, said))
    step = sum(isinstance(one, AssistantMessage) and bool(one.calls) for one in request.messages)
    # Asked once more after something went wrong, it says its last words again.
    written = turn[runtime][min(step, len(turn[runtime]) - 1)]
    return ModelReply(
        written.get("text", ""),
        tuple(
            call(one["name"], one.get("arguments"), call_id=f"call-{step}-{number}")
            for number, one in enumerate(written.get("calls", ()))
        ),
        usage=USAGE,
        provider="story",
        model="story",
        cost=COST,
    )


def _is_turn(turn: Mapping[str, Any], runtime: str, said: list[str]) -> bool:
    if runtime == "seer":
        return runtime in turn
    # The framework's own words may follow what the player said.
    return [text for text in said if not text.startswith("[framework]")][-1] == turn["say"]


@dataclass
class StoryTable:
    """A session of the story under way."""

    host: Host
    session_id: str
    model: StoryModel

    async def play(
        self, turn: Mapping[str, Any], *, observer: Recorder | None = None
    ) -> TurnReport:
        """Play one turn of the story."""
        asked = TurnRequest(
            session_id=self.session_id, message=turn["say"], seat_id=turn.get("seat")
        )
        return await self.host.play(asked, observer=observer or Recorder())


@asynccontextmanager
async def story_table(home: Path) -> AsyncIterator[StoryTable]:
    """A new session with the packages of the story and the bundled ones."""
    environ = {"COVEL_HOME": str(home), "COVEL_RANDOM_SEED": "7"}
    settings = read_settings(environ, extra_folders=[PLUGINS], trust=PACKAGES)
    host = await Host.open(settings, load=(*PACKAGES, "narrator"), selector=UseOffline())
    model = StoryModel()
    host.ports = replace(host.ports, gateway=model)
    try:
        session_id = await host.begin_session(PACKAGES)
        await set_seat(host.ports, session_id, "seat-2", label="The other one")
        yield StoryTable(host, session_id, model)
    finally:
        await host.close()
