"""`delegate`: hand one thing to a sub-agent, get its output back (seed: 子 agent（delegate）)."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import Field, JsonValue

from covel_host.base.json_text import JsonValueError, dump_json
from covel_host.tools.builtin.tool_input import ToolInput
from covel_host.tools.subagents import Delegation
from plugin_sdk.errors import FIX_FIELDS_HINT, FieldProblem, ToolError, ToolValidationError
from plugin_sdk.tools import tool

MAX_BRIEF: Final = 20_000
MAX_DATA_BYTES: Final = 32 * 1024
MAX_CHARACTER: Final = 80
MAX_INSTRUCTION: Final = 2_000


class TargetInput(ToolInput):
    """Who is asked."""

    contract: Annotated[
        str | None, Field(description="A contract: its provider is asked, whatever its package.")
    ] = None
    runtime_id: Annotated[str | None, Field(description="A runtime of your own package.")] = None


class DelegateInput(ToolInput):
    """The request as a model writes it."""

    target: Annotated[TargetInput, Field(description="Exactly one of 'contract' and 'runtimeId'.")]
    brief: Annotated[str, Field(min_length=1, max_length=MAX_BRIEF, description="The task.")]
    data: Annotated[
        dict[str, JsonValue] | None,
        Field(description="Facts for the sub-agent; a character takes none."),
    ] = None
    character: Annotated[
        str | None,
        Field(max_length=MAX_CHARACTER, description="For a character: its name or an alias."),
    ] = None
    instruction: Annotated[
        str | None, Field(max_length=MAX_INSTRUCTION, description="For a character only.")
    ] = None
    max_steps: Annotated[
        int | None, Field(ge=1, description="A lower limit of steps than the sub-agent's own.")
    ] = None


@tool(
    name="delegate",
    description=(
        "Hand one well-defined thing to a sub-agent and get its output back. Write all it has "
        "to know into the brief: it sees nothing of your conversation."
    ),
    parameters=DelegateInput,
    stages_writes=True,
)
async def delegate(asked: DelegateInput) -> object:
    """Refuse a call that came by another way than a model's: the agent loop answers those."""
    raise ToolError(
        "unavailable",
        "Only the model of an agent runtime delegates.",
        hint="Code of a function runtime starts a sub-agent with ctx.agents.run.",
    )


def read_delegation(request: Mapping[str, object]) -> Delegation:
    """The request that code makes, by the rules that a model's is read by.

    Raises:
        ToolValidationError: a member is missing, too large or of the wrong type.
    """
    try:
        text = dump_json({key: value for key, value in request.items() if value is not None})
    except JsonValueError as error:
        raise _invalid(error.path, f"This cannot be written as JSON: {error}.") from error
    asked = delegate.parse(text)["asked"]
    assert isinstance(asked, DelegateInput)
    return delegation_of(asked)


def delegation_of(asked: DelegateInput) -> Delegation:
    """The request, its members checked against each other.

    Raises:
        ToolValidationError: it names no target or two, or its data are too large.
    """
    target = asked.target
    if (target.contract is None) == (target.runtime_id is None):
        raise _invalid("target", "Give exactly one of 'contract' and 'runtimeId'.")
    size = 0 if asked.data is None else len(dump_json(asked.data).encode())
    if size > MAX_DATA_BYTES:
        raise _invalid("data", f"The data has {size:,} bytes; at most {MAX_DATA_BYTES:,} fit.")
    return Delegation(
        brief=asked.brief,
        contract=target.contract,
        runtime_id=target.runtime_id,
        data=asked.data,
        character=asked.character,
        instruction=asked.instruction,
        max_steps=asked.max_steps,
    )


def _invalid(path: str, message: str) -> ToolValidationError:
    problem = FieldProblem(path, message)
    return ToolValidationError(str(problem), hint=FIX_FIELDS_HINT, details=[problem])
