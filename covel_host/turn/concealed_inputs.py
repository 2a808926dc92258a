"""What a run is given by concealed runtimes, for its trace to leave out."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from covel_host.base.json_text import dump_json
from covel_host.catalog.generation import Generation
from covel_host.runtime.prompt_inputs import InputBinding
from covel_host.runtime.prompt_texts import escape_text, escaped_json
from plugin_sdk.values import JsonValue


def concealed_runtimes(generations: Iterable[Generation]) -> frozenset[str]:
    """The IDs of the concealed runtimes of these packages."""
    return frozenset(
        runtime.runtime_id
        for generation in generations
        for runtime in generation.reading.runtimes
        if runtime.manifest is not None and runtime.manifest.io.concealed
    )


def hidden_texts(
    given: Iterable[Mapping[str, InputBinding]], concealed: Collection[str]
) -> tuple[str, ...]:
    """Every text in values that `concealed` runtimes gave, in each form that a prompt may have.

    The prompt of who reads such a value has it in full; the trace must not show it again
    (spec/protocol.md 6.1).
    """
    if not concealed:
        return ()
    values = (
        bound.value
        for slots in given
        for binding in slots.values()
        for bound in binding.values
        if bound.source in concealed
    )
    texts = {text for value in values for text in _texts(value)}
    forms = {form for text in texts for form in _forms(text)}
    return tuple(sorted(forms))


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _forms(text: str) -> tuple[str, ...]:
    return (text, escape_text(text), dump_json(text)[1:-1], escaped_json(text)[1:-1])
