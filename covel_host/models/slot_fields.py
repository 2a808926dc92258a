"""The fields of a `[covel.<slot>]` table, their types, and what is wrong with one (models.md 2)."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from covel_host.models.providers import BUILTIN_PROVIDERS, Protocol, is_loopback, key_variable
from covel_host.models.slots import Tag

Modality = Literal["text", "image", "audio", "video", "embedding", "evaluation"]
ReasoningEffort = Literal[
    "disabled",
    "automatic",
    "provider-default",
    "none",
    "minimal",
    "low",
    "medium",
    "high",
    "xhigh",
    "max",
]

# In the order in which they decide: a model that also writes text is asked for text.
_TAG_OF_OUTPUT: dict[Modality, Tag] = {
    "text": "text",
    "image": "image",
    "audio": "speech",
    "embedding": "embedding",
    "evaluation": "evaluation",
}

_KEY_NAMES = frozenset({"apikey", "key", "token", "secret", "password", "authorization"})


class _Strict(BaseModel):
    # Lists of a TOML file become tuples, hence no strict mode for sequences: strictness is set per
    # scalar below.
    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=False
    )


Text = Annotated[str, Field(strict=True, min_length=1)]
Tokens = Annotated[int, Field(strict=True, gt=0)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Pricing(_Strict):
    """Prices per million tokens, for display only."""

    input: Price | None = None
    output: Price | None = None
    cache_read: Price | None = None
    cache_write: Price | None = None
    currency: Text = "USD"


class SlotFields(_Strict):
    """One slot as it is written."""

    provider: Annotated[Text, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    model: Text
    base_url: Text | None = None
    protocol: Protocol | None = None
    tag: Tag | None = None
    input: tuple[Modality, ...] | None = None
    output: tuple[Modality, ...] | None = None
    features: tuple[Text, ...] | None = None
    context_window: Tokens | None = None
    max_output_tokens: Tokens | None = None
    pricing: Pricing | None = None
    reasoning_effort: ReasoningEffort | None = None
    fallback: Text | None = None
    embedding_format: Literal["openai", "nemotron-multimodal"] | None = None
    provider_request_metadata: dict[str, Any] | None = None
    provider_options: dict[str, dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One problem of a slot; `key` is the top-level field it stands in, "" for the table itself."""

    key: str
    message: str


def derive_tag(values: SlotFields) -> Tag | None:
    """The slot's tag: as written, else from `output`; `None` where neither says it."""
    if values.tag is not None or values.output is None:
        return values.tag or "text"
    return next((_TAG_OF_OUTPUT[kind] for kind in _TAG_OF_OUTPUT if kind in values.output), None)


def slot_problems(raw: Mapping[str, Any]) -> list[FieldFault]:
    """Everything wrong with one slot's table, in reading order; empty when it is good."""
    found = [fault for key in raw if (fault := _field_fault(key, raw)) is not None]
    refused = {fault.key for fault in found}
    rest = {key: value for key, value in raw.items() if key not in refused}
    try:
        values = SlotFields.model_validate(rest)
    except ValidationError as error:
        return found + [
            fault for item in error.errors() if (fault := _fault(item)).key not in refused
        ]
    return found + _joint_faults(values)


def _field_fault(key: str, raw: Mapping[str, Any]) -> FieldFault | None:
    plain = key.replace("_", "").replace("-", "").lower()
    if plain in _KEY_NAMES or plain.endswith("apikey"):
        variable = key_variable(str(raw.get("provider", "<provider>")))
        return FieldFault(
            key, f"{key!r}: keys are not read from the file. Set {variable} in the environment."
        )
    known = [to_camel(name) for name in SlotFields.model_fields]
    if key in known:
        return None
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(known)}."
    return FieldFault(key, f"{key!r} is not a field of a slot. {hint}")


def _fault(item: Any) -> FieldFault:
    path = [str(part) for part in item["loc"]]
    key = path[0] if path else ""
    if item["type"] == "missing":
        return FieldFault("", f"{'.'.join(path)!r} is missing.")
    problem = str(item["msg"]).removesuffix(".")
    return FieldFault(key, f"{'.'.join(path)!r} is {item['input']!r}: {problem}.")


def _joint_faults(values: SlotFields) -> list[FieldFault]:
    found = [] if derive_tag(values) else [_NO_TAG]
    if values.base_url is None:
        if values.provider not in BUILTIN_PROVIDERS:
            message = (
                f"provider {values.provider!r} is not built in, so 'baseUrl' is needed. "
                f"Built in are: {', '.join(BUILTIN_PROVIDERS)}."
            )
            found.append(FieldFault("provider", message))
    elif message := _address_fault(values.base_url):
        found.append(FieldFault("baseUrl", message))
    if derive_tag(values) == "text" and values.provider_request_metadata:
        message = "'providerRequestMetadata' is not supported yet for text slots. Remove it."
        found.append(FieldFault("providerRequestMetadata", message))
    return found


_NO_TAG = FieldFault("output", "'output' does not say what the slot is for. Set 'tag'.")


def _address_fault(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return f"'baseUrl' is {url!r}, which is not an address."
    if not usable:
        return f"'baseUrl' is {url!r}; an address such as 'https://host/v1' is expected."
    if parts.username or parts.password:
        return "'baseUrl' holds a user name or password. Put the key into the environment."
    if parts.query or parts.fragment:
        return f"'baseUrl' is {url!r}; it must not hold a query or a fragment."
    if parts.scheme == "http" and not is_loopback(url):
        return f"'baseUrl' is {url!r}; https is required except on this machine (loopback)."
    return ""
