"""What the models and the settings of one request have in common in every format."""

from typing import Any

from pydantic_ai.settings import ModelSettings

from covel_host.models.messages import ModelRequest, NamedTool
from covel_host.models.slots import Slot

HOST_OPTIONS = frozenset({"lateSystemAsUser", "promptCacheKey"})
"""Members of `providerOptions` that are for the host and are not sent."""

UNCHANGED: dict[str, Any] = {
    "json_schema_transformer": None,
    "may_tokenize_special_tokens_in_content": False,
}
"""For the library's profile of a model: schemas and texts go out as they are.

No added `additionalProperties`, no dropped `title`, no changed special tokens.
"""

# Words of ours that mean "leave it to the provider" are not sent.
EFFORTS: dict[str, Any] = {
    "disabled": "none",
    "none": "none",
    "minimal": "minimal",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
    "max": "max",
}


def common_settings(request: ModelRequest, slot: Slot, settings: ModelSettings) -> None:
    """Put the tool choice, the output limit and the temperature into `settings`."""
    if request.tools:
        settings["tool_choice"] = _tool_choice(request)
    limit = slot.output_limit(request.max_output_tokens)
    if limit is not None:
        settings["max_tokens"] = limit
    if request.temperature is not None:
        settings["temperature"] = request.temperature


def set_thinking(request: ModelRequest, slot: Slot, settings: ModelSettings) -> None:
    """Ask for the slot's reasoning effort, else the task's, in the library's own words.

    It is translated by the family of the model; a model that does not know a level gets the nearest
    one, or nothing where it does not reason at all (spec/models.md 6).
    """
    chosen = slot.reasoning_effort
    effort = EFFORTS.get(request.reasoning_effort or "" if chosen is None else chosen.value)
    if effort is not None:
        settings["thinking"] = False if effort == "none" else effort


def sent_options(slot: Slot) -> dict[str, Any]:
    """`providerOptions` for the body of a request; the provider's own win over its protocol's."""
    return {key: value for key, value in _options(slot).items() if key not in HOST_OPTIONS}


def host_option(slot: Slot, name: str) -> Any:
    """A member of `providerOptions` that is for the host, `None` when it is not set."""
    return _options(slot).get(name)


def _options(slot: Slot) -> dict[str, Any]:
    given = slot.provider_options.value if slot.provider_options is not None else {}
    named = (given.get(slot.protocol.value), given.get(slot.provider.value))
    return {key: value for part in named if isinstance(part, dict) for key, value in part.items()}


def _tool_choice(request: ModelRequest) -> Any:
    choice = request.tool_choice
    if not isinstance(choice, NamedTool):
        return choice
    offered = any(tool.name == choice.name for tool in request.tools)
    return [choice.name] if offered else "auto"
