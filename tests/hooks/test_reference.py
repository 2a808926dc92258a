"""The authors' page names every event, and its example does what the text says."""

import asyncio
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy
import pytest

from covel_host.hooks.reference_texts import NOTES
from covel_host.manifest.served import QUIET_HOOK_EVENTS
from plugin_sdk.hook_events import HOOK_EVENTS, ModelResponse
from plugin_sdk.hooks import hook_options
from tests.hooks.support import GivenHook, Scene, hook, ring

PAGE = Path(__file__).parent.parent.parent / "docs" / "hooks.md"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text("utf-8")


@pytest.fixture(scope="module")
def hooks(page: str) -> list[GivenHook]:
    """The example's hooks, collected by pluggy as the host does."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    entry = ModuleType("entry")
    exec(compile(code, "docs/hooks.md", "exec"), vars(entry))
    manager = pluggy.PluginManager("covel")
    manager.register(entry)
    found: list[GivenHook] = []
    for event in HOOK_EVENTS:
        caller = getattr(manager.hook, event, None)
        for one in [] if caller is None else caller.get_hookimpls():
            options = hook_options(one.function)
            assert options is not None
            found.append(
                hook(
                    one.function,
                    event,
                    order=options.order,
                    match=options.match,
                    timeout_ms=options.timeout_ms,
                )
            )
    return found


def test_every_event_has_its_section_and_every_member_its_row(page: str) -> None:
    for event in HOOK_EVENTS.values():
        _, _, section = page.partition(f"\n## {event.name}\n")
        section, _, _ = section.partition("\n## ")
        rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.M)
        assert event.replaceable <= {name for name, _ in rows}
        assert all(kind for _, kind in rows)


def test_every_event_says_when_it_is_called_or_that_it_is_not_yet(page: str) -> None:
    for event in HOOK_EVENTS.values():
        _, _, section = page.partition(f"\n## {event.name}\n")
        section, _, _ = section.partition("\n## ")
        is_quiet = "Not called yet: this version of the host" in section
        assert is_quiet == (event.event in QUIET_HOOK_EVENTS)
        assert is_quiet != (event.name in NOTES)


def test_the_example_limits_the_rings_and_refuses_too_many(hooks: list[GivenHook]) -> None:
    scene = Scene(*hooks, settings={"bells": {"mostRings": 3}})

    async def called(**arguments: Any) -> Any:
        return await scene.dispatcher.dispatch("pre_tool_use", ring(**arguments), scene.facts)

    assert asyncio.run(called(times=7)).payload.arguments == {"times": 3}
    assert asyncio.run(called(times=2)).payload.arguments == {"times": 2}
    assert asyncio.run(called()).payload.arguments == {}
    assert asyncio.run(called(times=13)).aborted == (
        "The bell rings twelve times at most. Ask for fewer."
    )


def test_the_example_asks_for_another_draft(hooks: list[GivenHook]) -> None:
    scene = Scene(*hooks)
    response = ModelResponse(response={"text": "The Lighthouse!", "toolCalls": []}, messages=())
    outcome = asyncio.run(scene.dispatcher.dispatch("post_llm_response", response, scene.facts))
    assert outcome.effects == {"correction": "Do not name the lighthouse yet. Write it again."}
