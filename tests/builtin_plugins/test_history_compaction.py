"""The bundled package that summarises long histories."""

import asyncio
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.cli.app import run
from covel_host.host import Host
from covel_host.models.selector import UseOffline
from covel_host.models.slots import Slot
from covel_host.settings import read_settings
from covel_host.store.history_summaries import every_history_summary
from covel_host.turn.turns import TurnRequest
from plugin_sdk import (
    CompactionMessage,
    CompactionQuery,
    ExistingSummary,
    SummaryBudget,
)
from tests.models.support import make_slot
from tests.support.extension_packages import fill_journal, told_of
from tests.support.hosts import Recorder
from tests.support.replies import PlayedGateway, Reply, say

PACKAGE = Path(__file__).parents[2] / "builtin_plugins" / "history-compaction"
TEXT = "The lamp keeper counts the boats that come in before the storm, number {0}. " * 3
SUMMARY = "## Events\nThe boats came in.\n\n## People\nThe lamp keeper counts.\n\n## Weather\nx"


def test_it_is_valid_by_the_strictest_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate-plugin", "--strict", str(PACKAGE)]) == 0
    assert "No problems" in capsys.readouterr().out


class SlotGateway(PlayedGateway):
    """Plays replies as if a slot were configured."""

    def slot_for(self, name: str | None) -> Slot | None:
        return make_slot()

    def check_slot(self, name: str) -> None:
        assert name == "story"


def played(
    home: Path, replies: Sequence[Reply], *, has_slot: bool, turns: int = 20
) -> tuple[Recorder, PlayedGateway, list[str]]:
    async def main() -> tuple[Recorder, PlayedGateway, list[str]]:
        environ = {"COVEL_HOME": str(home), "COVEL_COMPACTOR_CONTEXT_WINDOW": "6000"}
        host = await Host.open(read_settings(environ), load=(), selector=UseOffline())
        gateway = (SlotGateway if has_slot else PlayedGateway)(replies)
        host.ports = replace(host.ports, gateway=gateway)
        try:
            session_id = await host.begin_session(())
            fill_journal(host, session_id, turns, text=TEXT.format)
            observer = Recorder()
            request = TurnRequest(session_id=session_id, message="I wait.")
            report = await host.play(request, observer=observer)
            assert report.committed, report.failure
            found = host.ports.store.read_now(
                lambda reading: every_history_summary(reading, session_id)
            )
            return observer, gateway, [one.content for one in found]
        finally:
            await host.close()

    return asyncio.run(main())


def named(observer: Recorder, name: str) -> list[dict[str, Any]]:
    return [dict(one.data) for one in observer.trace if one.type == name]


def test_a_long_story_is_summarised_by_the_fast_model(tmp_path: Path) -> None:
    replies = [say(SUMMARY), say("The storm comes.")]
    observer, gateway, found = played(tmp_path, replies, has_slot=True, turns=60)
    assert found == [SUMMARY], named(observer, "context.compaction.failed")
    [event] = named(observer, "context.compacted")
    assert event["focusSections"] == ["Events", "People"]
    asked, story = gateway.requests
    assert "Summarise" in asked.messages[0].text or "summarise" in asked.messages[0].text
    assert asked.messages[1].text.startswith("[PLAYER] user The lamp keeper")
    assert any("The boats came in." in line for line in told_of(story))


def test_without_a_model_nothing_takes_the_place_of_the_story(tmp_path: Path) -> None:
    observer, _, found = played(tmp_path, [say("Rain.")], has_slot=False, turns=60)
    assert found == []
    assert not named(observer, "context.compaction.failed")


def test_a_model_that_says_nothing_is_a_failure(tmp_path: Path) -> None:
    replies = [say(" "), say("Rain.")]
    observer, _, found = played(tmp_path, replies, has_slot=True, turns=60)
    [event] = named(observer, "context.compaction.failed")
    assert (found, event["pluginId"]) == ([], "history-compaction")


def module(name: str) -> ModuleType:
    full = f"history_compaction_of_tests_{name}"
    spec = importlib.util.spec_from_file_location(full, PACKAGE / "server" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[full] = made
    spec.loader.exec_module(made)
    return made


PLAN = module("plan")


def query(messages: Sequence[int], old: Sequence[int], window: int, total: int) -> CompactionQuery:
    return CompactionQuery(
        messages=[
            CompactionMessage(id=f"m{number}", turn_id="t", role="user", content="x", tokens=tokens)
            for number, tokens in enumerate(messages)
        ],
        existing_summaries=[
            ExistingSummary(id=f"s{number}", content="x", tokens=tokens, focus_sections=[])
            for number, tokens in enumerate(old)
        ],
        locale="en",
        estimated_tokens=10_000,
        context_window=window,
        input_window=window // 2,
        summary_budget=SummaryBudget(
            max_tokens=total, max_segment_tokens=min(total, 400), max_segments=8
        ),
    )


@given(
    st.lists(st.integers(5, 3_000), max_size=20),
    st.lists(st.integers(10, 400), max_size=8),
    st.integers(500, 20_000),
    st.integers(100, 2_400),
)
def test_a_plan_keeps_to_every_budget(
    messages: list[int], old: list[int], window: int, total: int
) -> None:
    asked = query(messages, old, window, total)
    made = PLAN.plan(asked)
    taken = len(made.messages)
    assert list(made.messages) == asked.messages[:taken]
    assert list(made.merged) == asked.existing_summaries[: len(made.merged)]
    if not taken:
        return
    assert sum(one.tokens for one in made.messages) <= asked.input_window
    kept = asked.existing_summaries[len(made.merged) :]
    written = made.message_budget + (made.merge_budget if made.merged else 0)
    assert sum(one.tokens for one in kept) + written <= total
    assert len(kept) + 1 + bool(made.merged) <= 8


def test_old_summaries_become_one_only_where_room_is_short() -> None:
    assert PLAN.plan(query([500] * 4, [100, 100], 10_000, 2_400)).merged == ()
    nine = PLAN.plan(query([500] * 4, [50] * 8, 10_000, 2_400))
    assert [one.id for one in nine.merged] == ["s0", "s1"]
    small = PLAN.plan(query([500] * 4, [200], 10_000, 300))
    assert ([one.id for one in small.merged], small.merge_budget) == (["s0"], 150)


def test_a_message_larger_than_a_request_stays_as_it_is() -> None:
    assert PLAN.plan(query([9_000, 100, 100], [], 10_000, 2_400)).messages == ()
    assert len(PLAN.plan(query([400, 9_000, 100], [], 10_000, 2_400)).messages) == 1
