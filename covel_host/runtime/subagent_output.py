"""What a sub-agent's output may be, and what of it may be kept (seed: 角色委托与策略导入)."""

from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from covel_host.runtime.nested_targets import NestedTarget
from covel_host.runtime.result import RuntimeResult
from plugin_sdk.errors import ToolError
from plugin_sdk.values import JsonObject, JsonValue


class ActorSegment(BaseModel):
    """One thing a character says or does; who composes the story writes the speaker."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["dialogue", "action"]
    text: Annotated[str, Field(min_length=1)]


class ActorOutput(BaseModel):
    """What an actor answers; `intent` is for the model that asked, and for nobody else."""

    model_config = ConfigDict(extra="forbid")

    segments: list[ActorSegment]
    intent: str | None = None


_ACTOR: Final = TypeAdapter(ActorOutput)


def check_actor_output(value: JsonValue) -> None:
    """Refuse what is not in the form of `character-actor@1`.

    Raises:
        ToolError: `internal`; the text names the first place and nothing that stands there.
    """
    try:
        _ACTOR.validate_python(value, strict=True)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "output"
        raise ToolError(
            "internal", f"The character did not answer in segments: {place}: {first['msg']}."
        ) from None


def recorded_result(result: RuntimeResult) -> RuntimeResult:
    """The result of a nested run as records and reports have it: of an actor its segments only."""
    if result.character_id is None:
        return result
    segments = result.value.get("segments") if isinstance(result.value, dict) else None
    shown: JsonObject = {} if segments is None else {"segments": segments}
    value = shown if result.has_value and shown else None
    return replace(result, output=shown, value=value, has_value=value is not None, text="")


def kept_output(target: NestedTarget, value: JsonValue) -> JsonValue:
    """What records, traces and an output that rests on it keep: of a character its segments only.

    A concealed provider gives nothing to keep.
    """
    if target.manifest.io.concealed:
        return None
    if target.plays_character and isinstance(value, dict):
        return {"segments": value["segments"]}
    return value
