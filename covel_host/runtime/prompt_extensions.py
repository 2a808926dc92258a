"""The segments that packages add to an agent's prompt: static ones, and `prompt.segment@1`."""

from typing import TYPE_CHECKING, Final, cast, get_args

from covel_host.runtime.extensions import RunExtensions
from covel_host.runtime.prompt_inputs import (
    Audience,
    ContractAudience,
    Depth,
    PromptSegment,
    SegmentPlace,
    SegmentRole,
)
from covel_host.runtime.run import RuntimeRun
from covel_host.services.extension_calls import ExtensionFailed
from covel_host.services.extension_directory import OfferedExtension, StaticSegment
from covel_host.services.extension_points import PROMPT_SEGMENT

if TYPE_CHECKING:
    from plugin_sdk import extension_points as given

MAX_SEGMENTS: Final = 32
"""Segments of one extension."""
MAX_CHARACTERS: Final = 50_000
"""Characters of all of them together: a prompt never trims segments."""

_PLACES: dict[str, SegmentPlace] = {place: place for place in get_args(SegmentPlace)}


async def prompt_segments(run: RuntimeRun, extensions: RunExtensions) -> tuple[PromptSegment, ...]:
    """The segments for this run; whom each is meant for is decided by the prompt.

    Whoever plays a character gets only those that name it: what everybody is told may be more than
    the character knows.
    """
    fixed = [_static(one) for one in run.extensions.static_segments]
    answers = await extensions.collect(PROMPT_SEGMENT, lambda: _query(run), _settled)
    segments = [*fixed, *(segment for answer in answers for segment in answer)]
    if run.nested is not None and run.nested.task is not None and run.nested.task.character_id:
        segments = [one for one in segments if one.audience not in ("all", "story")]
    return tuple(segments)


def given_segment(segment: "given.PromptSegment", *, plugin_id: str) -> PromptSegment:
    """A segment that code gave, as one of `plugin_id`."""
    audience: Audience
    if isinstance(segment.audience, str):
        audience = segment.audience
    else:
        audience = ContractAudience(segment.audience.contract)
    return PromptSegment(
        provider_plugin_id=plugin_id,
        segment_id=segment.id,
        content=segment.content,
        position=_PLACES[segment.position]
        if isinstance(segment.position, str)
        else Depth(segment.position.depth),
        role=segment.role or "system",
        audience=audience,
        volatility=segment.volatility,
        order=segment.order,
    )


def _query(run: RuntimeRun) -> "given.PromptQuery":
    # Most executions ask nobody, and the models are built on first use.
    from plugin_sdk.extension_points import PromptQuery

    return PromptQuery(turn_id=run.turn_id, player_message=run.player_message or "")


def _settled(
    offered: OfferedExtension, answer: "list[given.PromptSegment]"
) -> tuple[PromptSegment, ...]:
    if len(answer) > MAX_SEGMENTS:
        raise ExtensionFailed(
            "internal", f"It gave {len(answer)} segments; at most {MAX_SEGMENTS} are taken."
        )
    characters = sum(len(segment.content) for segment in answer)
    if characters > MAX_CHARACTERS:
        raise ExtensionFailed(
            "internal",
            f"Its segments have {characters:,} characters; at most {MAX_CHARACTERS:,} are taken.",
        )
    if len({segment.id for segment in answer}) < len(answer):
        raise ExtensionFailed("internal", "Two of its segments have the same ID.")
    return tuple(given_segment(segment, plugin_id=offered.plugin_id) for segment in answer)


def _static(segment: StaticSegment) -> PromptSegment:
    position = segment.position
    return PromptSegment(
        provider_plugin_id=segment.plugin_id,
        segment_id=segment.segment_id,
        content=segment.content,
        position=Depth(position) if isinstance(position, int) else _PLACES[position],
        role=cast("SegmentRole", segment.role),
        audience="self",
        volatility="turn" if segment.has_variant else "session",
    )
