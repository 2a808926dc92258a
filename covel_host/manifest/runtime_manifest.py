"""The frontmatter of `RUNTIME.md`, or `runtime` in the root manifest (spec/manifest.md 5)."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from covel_host.manifest.agent import Agent
from covel_host.manifest.fields import (
    Items,
    ManifestModel,
    NonEmpty,
    Omittable,
    RuntimeCodePath,
    Text,
    UniqueItems,
)
from covel_host.manifest.runtime_io import RuntimeIo
from covel_host.manifest.schedule import Schedule
from covel_host.manifest.text_forms import EFFECT, HTTP_ORIGIN

RuntimeType: TypeAlias = Literal["agent", "function"]
HttpMethod: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
Resource: TypeAlias = Annotated[str, Field(pattern=EFFECT)]


class FunctionTools(ManifestModel):
    """The tools that `ctx.tools.call` may use; data sets are not among them."""

    builtin: Items[NonEmpty] = ()
    plugin: Items[NonEmpty] = ()


class FunctionGroup(ManifestModel):
    """The code of a function runtime; `handler` names a module with a function `handle`."""

    handler: RuntimeCodePath
    model: Omittable[NonEmpty] = None
    timeout_ms: Annotated[int, Field(gt=0)] = 60_000
    tools: FunctionTools = Field(default_factory=FunctionTools)


class Effects(ManifestModel):
    """The resources a run touches, to see parallel hazards and to bound detached runs."""

    reads: UniqueItems[Resource] = ()
    writes: UniqueItems[Resource] = ()
    parallel_safe: bool = False


class HttpPermission(ManifestModel):
    """One origin that a community package's code may reach; without `methods` all of them."""

    origin: Annotated[str, Field(pattern=HTTP_ORIGIN)]
    methods: Omittable[Annotated[UniqueItems[HttpMethod], Field(min_length=1)]] = None


class Permissions(ManifestModel):
    """Upper bounds for a community package's code."""

    http: Items[HttpPermission] = ()


class RuntimeManifest(ManifestModel):
    """What a runtime is and when it runs; it has no identity and contributes nothing."""

    type: Omittable[RuntimeType] = None
    description: Omittable[Text] = None
    schedule: Schedule = Field(default_factory=Schedule)
    io: RuntimeIo = Field(default_factory=RuntimeIo)
    agent: Omittable[Agent] = None
    function: Omittable[FunctionGroup] = None
    guard: Omittable[RuntimeCodePath] = None
    effects: Omittable[Effects] = None
    permissions: Permissions = Field(default_factory=Permissions)

    @property
    def runtime_type(self) -> RuntimeType:
        """`type`, or what the groups say: a function when `function` is there, else an agent."""
        if self.type is not None:
            return self.type
        return "agent" if self.function is None else "function"

    @property
    def agent_settings(self) -> Agent:
        """`agent`, or the defaults of an agent runtime that writes no such group."""
        return Agent() if self.agent is None else self.agent
