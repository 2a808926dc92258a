"""One agent's request from its parts, as a pure function (spec/execution.md 5.2).

The system prompt depends on the runtime, the session and what rarely changes, so that it is the
same from turn to turn and a provider can keep its prefix; everything that changes stands in the
turn context, behind the history. A body that names volatile template variables gives that up.
"""

from collections.abc import Iterable, Iterator, Sequence

from covel_host.models.messages import AssistantMessage, SystemMessage, UserMessage
from covel_host.runtime.prompt_blocks import (
    activation_block,
    events_block,
    exports_block,
    inputs_block,
)
from covel_host.runtime.prompt_depth import insert_at_depth
from covel_host.runtime.prompt_history import history_window, summary_messages
from covel_host.runtime.prompt_inputs import (
    Depth,
    LoreEntry,
    PromptInputs,
    PromptMessage,
    PromptParts,
    PromptSegment,
    Section,
    StageActivation,
)
from covel_host.runtime.prompt_lore import active_lore
from covel_host.runtime.prompt_own_data import own_data_block
from covel_host.runtime.prompt_preamble import preamble, with_preamble
from covel_host.runtime.prompt_segments import (
    belongs_to_system,
    segment_message,
    segment_name,
    segments_for,
)
from covel_host.runtime.prompt_templates import fill_template
from covel_host.runtime.prompt_texts import sentence


def build_prompt(inputs: PromptInputs) -> PromptParts:
    """The system prompt and the messages of one agent's first request, in their order.

    System prompt: preamble, body, stable and session segments, lore before, event directory and
    stage activation, lore after, system-role `pre-history` segments. Messages: other `pre-history`
    segments, summaries and history, turn context, player input, story texts of this execution with
    their note, `post-history` segments; lore and segments with a depth stand that many messages
    of the conversation before its end. Injected values lose their bookkeeping (UUIDs, ISO times,
    the session ID).

    Raises:
        HiddenNamespace: own data names a hidden namespace.
    """
    segments = segments_for(
        inputs.segments, inputs.runtime, visibility=inputs.completion.visibility
    )
    lore = active_lore(inputs.lore, inputs.player_message)
    opening = preamble(
        inputs.runtime,
        inputs.completion,
        content_locale=inputs.content_locale,
        output_schema=inputs.output_schema,
    )
    system = _written(_system(inputs, segments, lore))
    context = _written(_turn_context(inputs, segments, lore))
    return PromptParts(
        system=with_preamble(_joined(system), opening),
        messages=tuple(_messages(inputs, segments, lore, _joined(context))),
        system_sections=(Section("framework", opening), *system),
        context_sections=context,
    )


def _system(
    inputs: PromptInputs,
    segments: Sequence[PromptSegment],
    lore: Sequence[LoreEntry],
) -> Iterator[Section]:
    lasting = [segment for segment in segments if segment.volatility != "turn"]
    constant = [entry for entry in lore if entry.is_constant]
    yield Section("body", fill_template(inputs.body, inputs.variables))
    yield from map(_segment, (one for one in lasting if one.position == "system"))
    yield from map(_lore, (one for one in constant if one.position == "before_plugin"))
    if inputs.events:
        yield Section("events", events_block(inputs.events, locale=inputs.completion.locale))
    if _runs_at_stage(inputs):
        yield Section("activation", activation_block(inputs.activation))
    yield from map(_lore, (one for one in constant if one.position == "after_plugin"))
    for segment in lasting:
        if segment.position != "system" and belongs_to_system(segment):
            yield _segment(segment)


def _segment(segment: PromptSegment) -> Section:
    return Section(segment_name(segment), segment.content)


def _lore(entry: LoreEntry) -> Section:
    return Section(f"lore {entry.entry_id}", entry.content)


def _messages(
    inputs: PromptInputs,
    segments: Sequence[PromptSegment],
    lore: Sequence[LoreEntry],
    context: str,
) -> list[PromptMessage]:
    outside = [segment for segment in segments if not belongs_to_system(segment)]
    conversation = [
        *_placed(outside, "pre-history"),
        *_history(inputs),
        *([PromptMessage(SystemMessage(context), "turn-context")] if context else []),
        *_current_turn(inputs),
    ]
    for entry in lore:
        if isinstance(entry.position, Depth):
            message = PromptMessage(SystemMessage(entry.content), "lore")
            conversation = insert_at_depth(conversation, message, entry.position)
    for segment in outside:
        if isinstance(segment.position, Depth):
            message = PromptMessage(segment_message(segment), "segment")
            conversation = insert_at_depth(conversation, message, segment.position)
    return [*conversation, *_placed(outside, "post-history")]


def _placed(segments: Iterable[PromptSegment], place: str) -> list[PromptMessage]:
    return [
        PromptMessage(segment_message(segment), "segment")
        for segment in segments
        if segment.position == place
    ]


def _history(inputs: PromptInputs) -> tuple[PromptMessage, ...]:
    window = history_window(
        inputs.history, plugin_id=inputs.runtime.plugin_id, max_turns=inputs.history_max_turns
    )
    # A window drops the summaries unless the manifest asks for them (spec/manifest.md 12.7).
    if inputs.history_max_turns is not None and not inputs.includes_summaries:
        return window
    return (*summary_messages(inputs.summaries, locale=inputs.completion.locale), *window)


def _turn_context(
    inputs: PromptInputs,
    segments: Sequence[PromptSegment],
    lore: Sequence[LoreEntry],
) -> Iterator[Section]:
    locale = inputs.completion.locale
    for data in inputs.own_data:
        yield Section(f"own data {data.tag}", own_data_block(data, locale=locale))
    yield Section("inputs", _inputs(inputs))
    if inputs.exports:
        yield Section("exports", exports_block(inputs.exports))
    if not _runs_at_stage(inputs):
        yield Section("activation", activation_block(inputs.activation))
    for entry in lore:
        if not entry.is_constant and not isinstance(entry.position, Depth):
            yield _lore(entry)
    for segment in segments:
        if segment.volatility == "turn" and belongs_to_system(segment):
            yield _segment(segment)


def _inputs(inputs: PromptInputs) -> str:
    if not inputs.bindings:
        return ""
    return inputs_block(
        inputs.bindings,
        stories=inputs.stories,
        locale=inputs.completion.locale,
    )


def _current_turn(inputs: PromptInputs) -> list[PromptMessage]:
    locale = inputs.completion.locale
    said = inputs.player_message
    opening = said if said is not None and said.strip() else sentence("opening", locale)
    current = PromptMessage(UserMessage(opening), "input")
    if not inputs.stories:
        return [current]
    note = UserMessage(sentence("story-ends-here", locale))
    stories = (PromptMessage(AssistantMessage(story), "story") for story in inputs.stories)
    return [current, *stories, PromptMessage(note, "note")]


def _runs_at_stage(inputs: PromptInputs) -> bool:
    return isinstance(inputs.activation, StageActivation)


def _written(sections: Iterable[Section]) -> tuple[Section, ...]:
    """Those with a text, without the empty lines around it."""
    return tuple(
        Section(section.name, section.text.strip("\n"))
        for section in sections
        if section.text.strip()
    )


def _joined(sections: Iterable[Section]) -> str:
    return "\n\n".join(section.text for section in sections)
