"""Whom a delegation means, and whether it may ask that much of it (seed: 子 agent（delegate）)."""

from covel_host.diagnostics.near_names import nearest
from covel_host.runtime.nested_targets import CHARACTER_ACTOR, NestedTarget, NestedTargets
from covel_host.tools.subagents import Delegation
from plugin_sdk.errors import FIX_FIELDS_HINT, FieldProblem, ToolError, ToolValidationError


def target_of(asked: Delegation, targets: NestedTargets, *, plugin_id: str) -> NestedTarget:
    """The agent runtime that is asked; `plugin_id` is the package that asks.

    Raises:
        ToolError: `not-found`, `ambiguous`.
        ToolValidationError: the request does not fit this target.
    """
    if asked.contract is not None:
        target = _provider(asked.contract, targets)
    else:
        target = _own(str(asked.runtime_id), targets, plugin_id)
    _check(asked, target)
    return target


def _provider(contract: str, targets: NestedTargets) -> NestedTarget:
    found = [target for target in targets.providers(contract) if target.is_agent]
    if not found:
        near = nearest(contract, targets.contracts())
        raise ToolError(
            "not-found",
            f"No agent of this session provides {contract!r}.",
            hint=None if near is None else f"The nearest contract is {near!r}.",
        )
    if len(found) > 1:
        raise ToolError(
            "ambiguous", f"{len(found)} agents of this session provide {contract!r}, not one."
        )
    return found[0]


def _own(runtime_id: str, targets: NestedTargets, plugin_id: str) -> NestedTarget:
    found = targets.own(plugin_id, runtime_id)
    if found is None:
        raise ToolError(
            "not-found",
            f"This package has no runtime {runtime_id!r}.",
            hint=f"It has: {', '.join(targets.own_ids(plugin_id))}. "
            "Another package's runtime is asked by its contract.",
        )
    if not found.is_agent:
        raise ToolError("not-found", f"The runtime {runtime_id!r} is a function, not an agent.")
    return found


def _check(asked: Delegation, target: NestedTarget) -> None:
    if not target.plays_character:
        for name, value in (("character", asked.character), ("instruction", asked.instruction)):
            if value is not None:
                raise _invalid(name, f"Only a provider of {CHARACTER_ACTOR!r} takes this.")
        return
    if not asked.character or not asked.character.strip():
        raise _invalid("character", "Name the character that is to be played.")
    if asked.data is not None:
        raise _invalid("data", "A character takes no data: the host gives it what it knows.")


def _invalid(path: str, message: str) -> ToolValidationError:
    problem = FieldProblem(path, message)
    return ToolValidationError(str(problem), hint=FIX_FIELDS_HINT, details=[problem])
