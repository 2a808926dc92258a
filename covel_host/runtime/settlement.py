"""The end of a run whose agent or function has ended: hooks, checks, story, what calls left.

The order is that of spec/execution.md 3.5.
"""

from dataclasses import replace

from covel_host.base.errors import HostError
from covel_host.proposals.staged import StagedProposal
from covel_host.runtime.call_outputs import stage_outputs
from covel_host.runtime.completion_prose import sanitize_prose
from covel_host.runtime.output_check import check_contract, check_output
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.runtime_hooks import reviewed
from covel_host.runtime.told_story import told_story
from plugin_sdk.values import JsonObject


class StoryWithoutProse(HostError):
    """What hooks left of a story is no prose."""

    def __init__(self, runtime_id: str) -> None:
        super().__init__(
            f"A 'post_runtime' hook left the story runtime {runtime_id!r} without any prose.",
            code="story_without_prose",
        )


async def settled(run: RuntimeRun, ports: RunPorts, result: RuntimeResult) -> RuntimeResult:
    """`result` after its hooks; what they changed of a success is checked once more.

    The prose of an agent's story is staged here, as the hooks left it, and then what the calls
    show and emit. A story with an output contract gives others its prose in the form of
    `told_story`.

    Raises:
        asyncio.CancelledError: the execution was cancelled.
    """
    after = await reviewed(run, ports, result)
    if after.status not in ("success", "skipped"):
        return after
    tells_story = after.status == "success" and _tells_story(run)
    try:
        if after is not result and after.status == "success":
            _check(run, after)
        told = _told(run, str(after.value)) if tells_story else None
        story = await _staged(run, after) if tells_story else ()
        outputs = await stage_outputs(run.staging, run.earlier_outputs.plus(after.tool_calls))
    except HostError as error:
        return after.cut_short(RunFailure(error.code, error.message, error.hint))
    if tells_story and after.value != result.value:
        # The player has seen the model's own words.
        await ports.on_text("", True)
        await ports.on_text(str(after.value), False)
        after = replace(after, text=str(after.value))
    if told is not None:
        after = replace(after, value=told, output=told)
    staged = (*story, *outputs)
    return replace(after, proposals=(*after.proposals, *staged)) if staged else after


def _check(run: RuntimeRun, result: RuntimeResult) -> None:
    if not _tells_story(run):
        check_output(run, result.value, has_value=result.has_value)
    elif not isinstance(result.value, str) or not sanitize_prose(result.value):
        raise StoryWithoutProse(run.runtime_id)


def _told(run: RuntimeRun, prose: str) -> JsonObject | None:
    """The value of a story that publishes one, which must fit what the package says of it."""
    if run.manifest.io.output.contract is None:
        return None
    told = told_story(prose)
    check_contract(run, told, has_value=True)
    return told


async def _staged(run: RuntimeRun, result: RuntimeResult) -> tuple[StagedProposal, ...]:
    story = {"type": "narrative.append", "payload": {"content": result.value}}
    return await run.staging.stage([story])


def _tells_story(run: RuntimeRun) -> bool:
    if run.nested is not None and run.nested.task is not None:
        return False  # what a sub-agent says belongs to whoever asked it
    return run.manifest.runtime_type == "agent" and run.manifest.io.visibility == "story"
