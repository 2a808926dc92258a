"""Fields of a manifest turned into a model; what does not fit is left out and reported.

Faults stay in their group: the groups (a field of an object named in `_DIVIDED`) that hold an error
are dropped, and the rest becomes the model, so that rules on other groups still see their values
(design/dependencies.md, row models).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from pydantic import ValidationError

from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.manifest.fields import ManifestModel
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.yaml_habits import habit_notes

if TYPE_CHECKING:
    from covel_host.manifest.field_errors import ModelProblem

Model = TypeVar("Model", bound=ManifestModel)

# Objects of a runtime whose fields are groups of their own: none of them has a required field.
_DIVIDED_IN_RUNTIME: Final = (
    ("agent",),
    ("agent", "completion"),
    ("agent", "llm"),
    ("agent", "loop"),
    ("agent", "tools"),
    ("io",),
    ("io", "inputs"),
    ("io", "output"),
    ("schedule",),
    ("schedule", "trigger"),
)
_DIVIDED: Final = frozenset(
    (
        ("contributes",),
        ("contributes", "data"),
        ("contributes", "datasets"),
        ("contributes", "ui"),
        ("contributes", "worldProjections"),
        ("runtime",),
        *_DIVIDED_IN_RUNTIME,
        *(("runtime", *path) for path in _DIVIDED_IN_RUNTIME),
    )
)

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
        whole = model.model_validate(fields)
        return ModelReading(whole, frozenset(), tuple(habit_notes(frontmatter, reported=())))
    except ValidationError as failure:
        # Imported here, as below: most manifests have no such errors.
        from covel_host.manifest.model_errors import field_path, model_problem

        errors = failure.errors(include_url=False)
    shown = [error for error in errors if not _is_told(error, fields, frontmatter)][:MAX_PROBLEMS]
    problems = [model_problem(model, error, fields, frontmatter) for error in shown]
    diagnostics = list(_diagnostics(problems, frontmatter))
    diagnostics += habit_notes(frontmatter, reported={problem.path for problem in problems})
    if len(shown) == MAX_PROBLEMS < len(errors):
        diagnostics.append(_more_problems(len(errors) - len(shown), frontmatter))
    groups = {_group(field_path(error["loc"], fields)) for error in errors}
    partial = _partial(model, fields, groups, stand_ins)
    return ModelReading(partial, frozenset(map(dotted, groups)), tuple(diagnostics))


def _is_told(error: Any, fields: object, frontmatter: Frontmatter) -> bool:
    """Whether another problem says what `error` would, and this one would say it wrongly.

    A value that YAML could not read is missing here; and a list is counted without its faulty
    items.
    """
    if error["type"] == "too_short":
        count: int = len(error["input"])
        least: int = error["ctx"]["min_length"]
        return count >= least
    unread = [
        problem.path
        for problem in frontmatter.document.problems
        if problem.name in ("yaml-number", "yaml-tag")
    ]
    if not unread:
        return False
    from covel_host.manifest.model_errors import field_path

    return field_path(error["loc"], fields) in unread


def _partial(
    model: type[Model],
    fields: Mapping[str, object],
    groups: set[tuple[str | int, ...]],
    stand_ins: Mapping[str, object],
) -> Model:
    """The model without `groups`; a group that cannot be without one of its own joins them."""
    try:
        return model.model_validate(_without(fields, groups, stand_ins))
    except ValidationError as failure:
        from covel_host.manifest.model_errors import field_path

        places = [field_path(error["loc"], fields) for error in failure.errors(include_url=False)]
    groups.update(_group(place)[:2] for place in places)
    return model.model_validate(_without(fields, groups, stand_ins))


def _more_problems(count: int, frontmatter: Frontmatter) -> Diagnostic:
    return frontmatter.report(
        "too-many-problems",
        f"{frontmatter.file} has {count:,} more problems of shape, which are not listed.",
        path=(),
        hint="Repair the listed ones first.",
    )


def _group(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    depth = 1
    while depth < len(path) and path[:depth] in _DIVIDED:
        depth += 1
    return path[:depth]


def _without(
    fields: Mapping[str, object],
    groups: Iterable[tuple[str | int, ...]],
    stand_ins: Mapping[str, object],
) -> dict[str, object]:
    """`fields` less the faulty `groups`, with `stand_ins` where a required one is gone."""
    kept = dict(fields)
    copied: set[tuple[str | int, ...]] = set()
    for group in groups:
        inner: Any = kept
        for depth, part in enumerate(group[:-1], start=1):
            child = inner.get(part)
            if not isinstance(child, dict):
                inner = None
                break
            if group[:depth] not in copied:
                copied.add(group[:depth])
                child = inner[part] = dict(child)
            inner = child
        if inner is not None:
            inner.pop(group[-1], None)
    for field, value in stand_ins.items():
        kept.setdefault(field, value)
    return kept


def _diagnostics(
    problems: "Sequence[ModelProblem]", frontmatter: Frontmatter
) -> Iterator[Diagnostic]:
    claimed = Counter(problem.claims for problem in problems)
    for problem in problems:
        # Two names that were both meant as one field cannot both become it.
        alone = problem.claims is None or claimed[problem.claims] == 1
        yield frontmatter.report(
            problem.name,
            problem.message,
            path=problem.path,
            of_key=problem.at_key,
            hint=problem.hint,
            fix=problem.repair(frontmatter) if problem.repair is not None and alone else None,
        )
