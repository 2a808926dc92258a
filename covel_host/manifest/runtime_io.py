"""What a runtime reads and gives (spec/manifest.md 5.3, spec/decisions.md 2)."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from covel_host.manifest.fields import (
    ContractId,
    FieldName,
    Items,
    ManifestModel,
    NonEmpty,
    Omittable,
    RuntimeSchema,
    ShortFieldName,
    one_name_of,
)
from covel_host.manifest.schedule import CONTRACT_BRANCH, RUNTIME_BRANCH, Cardinality
from covel_host.manifest.text_forms import POINTER

KERNEL_BRANCH: Final = "<kernel>"
Visibility: TypeAlias = Literal["story", "plugin", "system"]


class RuntimeSource(ManifestModel):
    """The output of a runtime of the same package."""

    runtime: NonEmpty


class ContractSource(ManifestModel):
    """The output of the providers of a contract."""

    contract: ContractId
    cardinality: Cardinality = "one"


class KernelSource(ManifestModel):
    """A value the host itself gives."""

    kernel: Literal["turn-digest@1"]


def _source_branch(value: Any) -> str | None:
    name = one_name_of(value, ("runtime", "contract", "kernel"))
    return None if name is None else f"<{name}>"


InputSource: TypeAlias = Annotated[
    Annotated[RuntimeSource, Tag(RUNTIME_BRANCH)]
    | Annotated[ContractSource, Tag(CONTRACT_BRANCH)]
    | Annotated[KernelSource, Tag(KERNEL_BRANCH)],
    Discriminator(
        _source_branch,
        custom_error_type="one-form-of-several",
        custom_error_message="{expected}",
        custom_error_context={
            "expected": "a map with exactly one of 'runtime', 'contract' and 'kernel'"
        },
    ),
]


class Input(ManifestModel):
    """One value bound before the runtime runs; `select` is a JSON pointer into it."""

    source: Annotated[InputSource, Field(alias="from")]
    scope: Literal["turn", "committed"] = "turn"
    select: Omittable[Annotated[str, Field(pattern=POINTER)]] = None
    required: bool = False
    accepts: Omittable[RuntimeSchema] = None
    record_as: Omittable[NonEmpty] = None


class SelfData(ManifestModel):
    """Own records put into an agent's prompt, wrapped in the tag `as`."""

    namespace: ShortFieldName
    tag: Annotated[NonEmpty, Field(alias="as")]
    format: Literal["summary", "full", "ids-only"] = "summary"
    max_entries: Annotated[int, Field(ge=1, le=500)] = 50


class Output(ManifestModel):
    """What becomes of the output: a published contract, a private schema, a lasting export."""

    contract: Omittable[ContractId] = None
    schema_path: Annotated[Omittable[RuntimeSchema], Field(alias="schema")] = None
    record_as: Omittable[NonEmpty] = None


class RuntimeIo(ManifestModel):
    """Inputs and output of a runtime."""

    inputs: dict[FieldName, Input] = Field(default_factory=dict)
    self_data: Items[SelfData] = ()
    payload_schema: Omittable[RuntimeSchema] = None
    output: Output = Field(default_factory=Output)
    visibility: Visibility = "plugin"
    concealed: bool = False
