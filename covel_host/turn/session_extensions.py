"""The extensions of an execution: those of its session's packages, and their static segments."""

from collections.abc import Iterable, Iterator

from covel_host.catalog.generation import Generation
from covel_host.catalog.registration_kinds import extension_key
from covel_host.services.directory import ServiceDirectory
from covel_host.services.extension_directory import (
    ExtensionDirectory,
    OfferedExtension,
    StaticSegment,
)
from plugin_sdk.rules.instruction_locale import InstructionLocale


def extension_directory(
    generations: Iterable[Generation], services: ServiceDirectory, *, locale: InstructionLocale
) -> ExtensionDirectory:
    """What the packages registered for extension points, as it was when the execution began.

    A package is out as soon as its services are. `locale` is the language of instructions.
    """
    loaded = tuple(generations)
    return ExtensionDirectory(
        (one for generation in loaded for one in _offered(generation)),
        standing=services.standing,
        segments=[one for generation in loaded for one in _segments(generation, locale)],
    )


def _offered(generation: Generation) -> Iterator[OfferedExtension]:
    manifest = generation.reading.manifest
    assert manifest is not None
    runtime_ids = frozenset(runtime.runtime_id for runtime in generation.reading.runtimes)
    for declared in manifest.contributes.extensions:
        extension = generation.extensions.get(extension_key(declared.point, declared.id))
        if extension is not None:
            yield OfferedExtension(generation.plugin_id, extension, declared.order, runtime_ids)


def _segments(generation: Generation, locale: InstructionLocale) -> Iterator[StaticSegment]:
    reading = generation.reading
    assert reading.manifest is not None
    for segment in reading.manifest.contributes.prompt:
        variant = reading.prompt_zh.get(segment.id)
        place = segment.position
        yield StaticSegment(
            plugin_id=generation.plugin_id,
            segment_id=segment.id,
            content=variant if locale == "zh" and variant is not None else segment.content,
            position=place if isinstance(place, str) else place.depth,
            role=segment.role,
            has_variant=variant is not None,
        )
