"""How an agent runtime works with its model (spec/manifest.md 5.4, spec/decisions.md 2)."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, Tag

from covel_host.manifest.contributed_data import DatasetTool
from covel_host.manifest.fields import (
    FLAG,
    LIST,
    MAP,
    TEXT,
    ContractId,
    Items,
    ManifestModel,
    NonEmpty,
    Omittable,
    by_kind,
)
from covel_host.manifest.text_forms import TOOL_NAME

Positive: TypeAlias = Annotated[int, Field(gt=0)]
Corrections0To5: TypeAlias = Annotated[int, Field(ge=0, le=5)]


class NamedTool(ManifestModel):
    """One tool that the model has to call."""

    name: NonEmpty


class ModelOptions(ManifestModel):
    """Options of the model calls."""

    reasoning_effort: Omittable[Literal["disabled"]] = None
    tool_choice: Omittable[
        Annotated[
            Annotated[Literal["required"], Tag(TEXT)] | Annotated[NamedTool, Tag(MAP)],
            by_kind("'required', or a map with 'name'"),
        ]
    ] = None


class History(ManifestModel):
    """How many past turns the agent reads; 0 is none, the current turn is never counted."""

    max_turns: Annotated[int, Field(ge=0, le=1000)]
    include_summaries: bool = False


class ServiceImport(ManifestModel):
    """Another package's service as a tool, under a derived or a given name."""

    contract: ContractId
    tool_name: Annotated[Omittable[Annotated[str, Field(pattern=TOOL_NAME)]], Field(alias="as")] = (
        None
    )


class DatasetChoice(ManifestModel):
    """Some of the tools of a data set; without `tools` all that it offers."""

    dataset: NonEmpty
    tools: Omittable[Items[DatasetTool]] = None


class AgentTools(ManifestModel):
    """The tools the model gets; `plugin` left out gives an inline agent all contributed ones."""

    builtin: Items[NonEmpty] = ()
    plugin: Omittable[Items[NonEmpty]] = None
    services: Items[
        Annotated[
            Annotated[ContractId, Tag(TEXT)] | Annotated[ServiceImport, Tag(MAP)],
            by_kind("a contract, or a map with 'contract' and 'as'"),
        ]
    ] = ()
    datasets: Items[
        Annotated[
            Annotated[NonEmpty, Tag(TEXT)] | Annotated[DatasetChoice, Tag(MAP)],
            by_kind("the name of a data set, or a map with 'dataset' and 'tools'"),
        ]
    ] = ()
    defer: Annotated[
        Annotated[Literal[True], Tag(FLAG)] | Annotated[Items[NonEmpty], Tag(LIST)],
        by_kind("true, or a list of tool names"),
    ] = ()

    @property
    def service_imports(self) -> tuple[ServiceImport, ...]:
        """`services` with each import in its full form."""
        return tuple(
            ServiceImport(contract=item) if isinstance(item, str) else item
            for item in self.services
        )

    @property
    def dataset_choices(self) -> tuple[DatasetChoice, ...]:
        """`datasets` with each choice in its full form."""
        return tuple(
            DatasetChoice(dataset=item) if isinstance(item, str) else item for item in self.datasets
        )


class Completion(ManifestModel):
    """How a run ends: by an explicit call, or after a successful call of one of `afterTools`."""

    require: Omittable[Literal["explicit", "tool-use"]] = None
    after_tools: Items[NonEmpty] = ()


class Corrections(ManifestModel):
    """How often a run may be corrected, by kind of mistake."""

    tool_use: Corrections0To5 = 1
    output_schema: Corrections0To5 = 1
    prose: Corrections0To5 = 1
    draft_review: Corrections0To5 = 2


class Loop(ManifestModel):
    """Limits of the agent loop; times in milliseconds, `loopDetection` 0 turns the check off."""

    max_steps: Positive = 20
    corrections: Corrections = Field(default_factory=Corrections)
    timeout_ms: Positive = 300_000
    call_timeout_ms: Positive = 120_000
    first_token_timeout_ms: Positive = 120_000
    idle_timeout_ms: Positive = 120_000
    max_retries: Annotated[int, Field(ge=0, le=5)] = 1
    loop_detection: Annotated[int, Field(ge=0, le=20)] = 3
    max_recursion_depth: Annotated[int, Field(ge=0, le=50)] = 10


class Agent(ManifestModel):
    """Model slot, tools, completion and limits of an agent runtime.

    `finishWith: <tool>` is short for a forced choice of that tool and completion after it.
    """

    model: Omittable[NonEmpty] = None
    llm: ModelOptions = Field(default_factory=ModelOptions)
    history: Omittable[History] = None
    tools: AgentTools = Field(default_factory=AgentTools)
    advertise_events: bool = False
    completion: Completion = Field(default_factory=Completion)
    finish_with: Omittable[NonEmpty] = None
    loop: Loop = Field(default_factory=Loop)
