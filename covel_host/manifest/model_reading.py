"""Fields of a manifest turned into a model; what does not fit is left out and reported.

Faults stay in their group: the groups (a top-level field, or a field of `contributes` or of an
inline `runtime`) that hold an error are dropped, and the rest becomes the model, so that rules on
other groups still see their values (design/dependencies.md, row models).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import ValidationError

from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.manifest.fields import ManifestModel
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.model_errors import ModelProblem, field_path, model_problem

Model = TypeVar("Model", bound=ManifestModel)

# Objects whose fields are groups of their own.
_DIVIDED: Final = ("contributes", "runtime")

# A file of thousands of unknown fields is some other file, and each costs a look for near names.
MAX_PROBLEMS: Final = 200


@dataclass(frozen=True, slots=True)
class ModelReading(Generic[Model]):
    """A model without its faulty groups, and the problems in those.

    `faulty_groups` are dotted paths from the top of the file; the model has its defaults there.
    `model` is `None` when nothing could be read.
    """

    model: Model | None
    faulty_groups: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def read_model(
    model: type[Model], frontmatter: Frontmatter, *, stand_ins: Mapping[str, object]
) -> ModelReading[Model]:
    """The fields of `frontmatter` as `model`.

    `stand_ins` holds a value for each required field, used only where the written one is missing
    or faulty.
    """
    fields = frontmatter.fields
    if fields is None:
        return ModelReading(None, frozenset(), ())
    try:
        return ModelReading(model.model_validate(fields), frozenset(), ())
    except ValidationError as failure:
        errors = failure.errors(include_url=False)
    shown = errors[:MAX_PROBLEMS]
    problems = [model_problem(model, error, fields, _written(frontmatter)) for error in shown]
    diagnostics = [_diagnostic(problem, frontmatter) for problem in problems]
    if len(errors) > len(shown):
        diagnostics.append(_more_problems(len(errors) - len(shown), frontmatter))
    groups = {_group(field_path(error["loc"], fields)) for error in errors}
    partial = model.model_validate(_without(fields, groups, stand_ins))
    return ModelReading(partial, frozenset(map(dotted, groups)), tuple(diagnostics))


def _more_problems(count: int, frontmatter: Frontmatter) -> Diagnostic:
    return frontmatter.report(
        "too-many-problems",
        f"{frontmatter.file} has {count:,} more problems of shape, which are not listed.",
        path=(),
        hint="Repair the listed ones first.",
    )


def _written(
    frontmatter: Frontmatter,
) -> Callable[[tuple[str | int, ...]], str | None]:
    def text_at(path: tuple[str | int, ...]) -> str | None:
        node = frontmatter.document.node(path)
        return None if node is None else node.text

    return text_at


def _group(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    depth = 2 if len(path) > 1 and path[0] in _DIVIDED else 1
    return path[:depth]


def _without(
    fields: Mapping[str, object],
    groups: Iterable[tuple[str | int, ...]],
    stand_ins: Mapping[str, object],
) -> dict[str, object]:
    """`fields` less the faulty `groups`, with `stand_ins` where a required one is gone."""
    kept = dict(fields)
    for first, *rest in groups:
        inner = kept.get(str(first))
        if not rest:
            kept.pop(str(first), None)
        elif isinstance(inner, dict):
            if inner is fields.get(str(first)):
                inner = kept[str(first)] = dict(inner)
            inner.pop(rest[0], None)
    for field, value in stand_ins.items():
        kept.setdefault(field, value)
    return kept


def _diagnostic(problem: ModelProblem, frontmatter: Frontmatter) -> Diagnostic:
    return frontmatter.report(
        problem.name,
        problem.message,
        path=problem.path,
        of_key=problem.at_key,
        hint=problem.hint,
    )
