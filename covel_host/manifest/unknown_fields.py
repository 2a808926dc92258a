"""Fields that no model has: old spellings, slips, and names without a meaning."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from covel_host.diagnostics.diagnostic import dotted
from covel_host.diagnostics.known_fields import fields_at
from covel_host.diagnostics.near_names import nearest, only_near
from covel_host.diagnostics.values_shown import shown
from covel_host.manifest.block_moves import move_out
from covel_host.manifest.field_errors import FieldError, ModelProblem
from covel_host.manifest.repairs import rename_key
from covel_host.manifest.spellings import Spelling, current_spelling

# Longer lists of fields are no help in a hint.
_FEW_FIELDS: Final = 10


def unknown_field(error: FieldError) -> ModelProblem:
    """The problem of a field that its object does not have."""
    today = current_spelling(error.path)
    if today is not None:
        return _old_spelling(error, today)
    field = str(error.path[-1])
    known = fields_at(error.model, error.place[:-1])
    near = nearest(field, known)
    if near is not None:
        hint = f"The nearest field is {near!r}."
    elif 0 < len(known) <= _FEW_FIELDS:
        hint = f"The fields here are {listed(known)}."
    else:
        hint = "Remove it; no field here has a similar name."
    problem = ModelProblem(
        "unknown-field", error.path, f"{_holder(error)} has no field {shown(field)}.", hint, True
    )
    only = only_near(field, known)
    return problem if only is None else _renamed(problem, only)


def _old_spelling(error: FieldError, today: Spelling) -> ModelProblem:
    problem = ModelProblem(
        "old-spelling",
        error.path,
        f"{_holder(error)} has no field {shown(error.path[-1])}; it is written as {today.says}.",
        f"Write {today.says}.",
        True,
    )
    if today.field is None:
        return problem
    here = error.path[1:] if error.path[:1] == ("runtime",) else error.path
    if here[:-1] == today.field[:-1]:
        return _renamed(problem, today.field[-1])
    if (*here[:-2], here[-1]) == today.field:
        return _with(problem, (*error.path[:-2], error.path[-1]), move=True)
    return problem


def _renamed(problem: ModelProblem, new: str) -> ModelProblem:
    return _with(problem, (*problem.path[:-1], new), move=False)


def _with(problem: ModelProblem, target: tuple[str | int, ...], *, move: bool) -> ModelProblem:
    """`problem` with the repair that writes its field at `target`."""
    repair = (
        partial(move_out, path=problem.path)
        if move
        else partial(rename_key, path=problem.path, new=str(target[-1]))
    )
    return ModelProblem(
        problem.name, problem.path, problem.message, problem.hint, True, repair, target
    )


def _holder(error: FieldError) -> str:
    return f"`{dotted(error.path[:-1])}`" if error.path[:-1] else "The frontmatter"


def listed(names: Sequence[str]) -> str:
    """`names` in quotes, with commas between."""
    return ", ".join(repr(name) for name in names)
