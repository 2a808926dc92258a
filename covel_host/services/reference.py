"""The authors' page of extension points, made of their table and the models of the SDK."""

import types
import typing
from collections.abc import Iterator
from typing import Any, Literal

from covel_host.manifest.served import QUIET_EXTENSION_POINTS
from covel_host.services.extension_points import SERVED_POINTS, ExtensionPoint
from covel_host.services.reference_texts import CLOSING, INTRODUCTION, NOTES
from plugin_sdk import extension_points as models
from plugin_sdk.wire import WireModel

_KINDS: dict[object, str] = {
    str: "text",
    int: "whole number",
    bool: "true or false",
    type(None): "nothing",
}
_MODES = {
    "collect": "all packages at once",
    "pipeline": "one package after the other",
    "single": "the one package of the session",
}


def reference_page(generated: str) -> str:
    """`docs/extensions.md`; `generated` is the line that says so."""
    lines = [
        INTRODUCTION.format(generated=generated),
        "| Point | Asked | Limit |",
        "| --- | --- | --- |",
        *(
            f"| [`{point.name}`](#{_anchor(point.name)}) | {_MODES[point.mode]} | {_limit(point)} |"
            for point in SERVED_POINTS.values()
        ),
        *(f"| `{name}` | not served yet: {what} | |" for name, what in _quiet()),
    ]
    for point in SERVED_POINTS.values():
        lines += ["", *_section(point)]
    return "\n".join(lines) + "\n\n" + CLOSING


def _quiet() -> Iterator[tuple[str, str]]:
    yield from QUIET_EXTENSION_POINTS.items()


def _section(point: ExtensionPoint) -> Iterator[str]:
    answer = f"`list[{point.answer}]`" if point.is_list else f"`{point.answer}`"
    yield f"## {point.name}"
    yield ""
    yield f"Asked {point.asked}. Gets `{point.query}`, answers {answer} or nothing (`None`)."
    yield from ("", NOTES[point.name])
    for name in _models(point.query, point.answer):
        yield from ("", *_table(getattr(models, name)))


def _models(*roots: str) -> list[str]:
    """The roots and what they are made of, each once."""
    found: list[str] = []
    waiting = [*roots]
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found.append(name)
            fields = getattr(models, name).model_fields.values()
            waiting += [part for each in fields for part in _parts(each.annotation)]
    return found


def _parts(annotation: Any) -> Iterator[str]:
    if isinstance(annotation, type) and issubclass(annotation, WireModel):
        yield annotation.__name__
    for part in typing.get_args(annotation):
        yield from _parts(part)


def _table(model: type[WireModel]) -> Iterator[str]:
    summary = (model.__doc__ or "").strip().split("\n\n")
    told = " ".join(" ".join(part.split()) for part in summary)
    yield f"`{model.__name__}`: {told}"
    if not model.model_fields:
        return
    yield from ("", "| Member | Type | Default |", "| --- | --- | --- |")
    for name, field in model.model_fields.items():
        default = "" if field.is_required() else f"`{field.default!r}`"
        kind = _kind(field.annotation)
        yield f"| `{name}` | {kind} | {default} |"


def _kind(annotation: Any) -> str:
    if annotation in _KINDS:
        return _KINDS[annotation]
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{part!r}`" for part in parts)
    if origin is list:
        return f"list of {_kind(parts[0])}"
    if origin in (types.UnionType, typing.Union):
        return " or ".join(map(_kind, parts))
    if isinstance(annotation, type) and issubclass(annotation, WireModel):
        return f"`{annotation.__name__}`"
    return "any JSON"


def _limit(point: ExtensionPoint) -> str:
    return f"{point.limit_ms:,} ms" if point.limit_ms < 1_000 else f"{point.limit_ms // 1_000} s"


def _anchor(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum() or letter in "-_")
