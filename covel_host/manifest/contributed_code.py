"""Contributions that a package's code implements (spec/manifest.md 4.6-4.8)."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from covel_host.manifest.fields import (
    ContractId,
    ExtensionId,
    Items,
    JsonPath,
    ManifestModel,
    NonEmpty,
    Omittable,
    Text,
)
from covel_host.manifest.text_forms import EVENT_TOPIC

HookEvent: TypeAlias = Literal[
    "SessionStart",
    "TurnStart",
    "PreCompaction",
    "PostCompaction",
    "PreSchedule",
    "PreRuntime",
    "PostContextAssembly",
    "PreLLMCall",
    "PostLLMResponse",
    "PostRuntime",
    "PreToolUse",
    "PostToolUse",
    "PreStateCommit",
    "PostStateCommit",
    "TurnStop",
    "SessionEnd",
]
HookOrder: TypeAlias = Literal["pre", "normal", "post"]
EventTopic: TypeAlias = Annotated[str, Field(pattern=EVENT_TOPIC)]


class Extension(ManifestModel):
    """An implementation of an extension point; lower `order` comes first.

    `slot`, `watch` (own namespaces) and `preview` (event topics) are for UI slots only.
    """

    point: ContractId
    id: ExtensionId
    order: int = 0
    slot: Omittable[ContractId] = None
    watch: Items[NonEmpty] = ()
    preview: Items[NonEmpty] = ()


class Hook(ManifestModel):
    """A life-cycle event the package listens to, and when among the others."""

    event: HookEvent
    enforce: HookOrder = "normal"


class Event(ManifestModel):
    """A domain event; `advertise: false` keeps its topic to the package's function runtimes."""

    topic: EventTopic
    schema_path: Annotated[JsonPath, Field(alias="schema")]
    description: Text
    advertise: bool = True
