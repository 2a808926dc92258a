"""What a package adds to the host: the root manifest's `contributes` (spec/manifest.md 4.4)."""

from typing import Annotated

from pydantic import Field

from covel_host.manifest.commands import Command
from covel_host.manifest.contributed_code import Event, Extension, Hook
from covel_host.manifest.contributed_data import DataNamespace, Dataset, WorldProjection
from covel_host.manifest.contributed_interface import PromptSegment, Setting, UserInterface
from covel_host.manifest.fields import (
    ContractId,
    Items,
    ManifestModel,
    NonEmpty,
    Omittable,
    ShortFieldName,
)
from covel_host.manifest.text_forms import PROJECTION_ID

ProjectionId = Annotated[str, Field(pattern=PROJECTION_ID, max_length=64)]


class Contributions(ManifestModel):
    """Everything a package contributes; names registered by code are only listed here."""

    tools: Items[NonEmpty] = ()
    actions: Items[NonEmpty] = ()
    commands: Annotated[Items[Command], Field(max_length=32)] = ()
    services: Items[ContractId] = ()
    extensions: Items[Extension] = ()
    hooks: Items[Hook] = ()
    wires: Items[NonEmpty] = ()
    forms: Items[NonEmpty] = ()
    events: Items[Event] = ()
    settings: Items[Setting] = ()
    data: dict[ShortFieldName, DataNamespace] = Field(default_factory=dict)
    datasets: dict[ShortFieldName, Dataset] = Field(default_factory=dict)
    ui: UserInterface = Field(default_factory=UserInterface)
    world_projections: Omittable[
        Annotated[dict[ProjectionId, WorldProjection], Field(min_length=1)]
    ] = None
    prompt: Items[PromptSegment] = ()
