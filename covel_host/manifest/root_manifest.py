"""The frontmatter of `PLUGIN.md` (spec/manifest.md 4)."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from covel_host.manifest.contributions import Contributions
from covel_host.manifest.credits import Author
from covel_host.manifest.fields import (
    MAP,
    TEXT,
    CodePath,
    ContractId,
    Description,
    Items,
    JsonPath,
    Link,
    ManifestModel,
    NonEmpty,
    Omittable,
    Text,
    by_kind,
)
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.manifest.text_forms import HOST_RANGE

NO_VERSION = "0.0.0"
"""What a package without `version` counts as."""


class ProvidedContract(ManifestModel):
    """A contract the package provides; a default provider steps aside for another one."""

    contract: ContractId
    default: bool = False


class PublicContract(ManifestModel):
    """The public JSON Schema of a contract."""

    schema_path: Annotated[JsonPath, Field(alias="schema")]


class PythonNeeds(ManifestModel):
    """What the package's code needs of the environment: a version range and PEP 508 texts."""

    requires: Omittable[NonEmpty] = None
    dependencies: Items[NonEmpty] = ()


class RootManifest(ManifestModel):
    """What a package says about itself; only `description` is required.

    `id` is what was written; the ID of a package is always the name of its folder.
    """

    id: Omittable[str] = None
    kind: Literal["core", "plugin"] = "plugin"
    version: str = NO_VERSION
    covel: Omittable[Annotated[str, Field(pattern=HOST_RANGE, max_length=200)]] = None
    display_name: Omittable[Text] = None
    description: Description
    tags: Items[str] = ()
    author: Omittable[Author] = None
    license: Omittable[Annotated[str, Field(min_length=1, max_length=64)]] = None
    homepage: Omittable[Link] = None
    provides: Items[
        Annotated[
            Annotated[ContractId, Tag(TEXT)] | Annotated[ProvidedContract, Tag(MAP)],
            by_kind("a contract, or a map with 'contract' and 'default'"),
        ]
    ] = ()
    requires: Items[ContractId] = ()
    optional: Items[ContractId] = ()
    conflicts: Items[ContractId] = ()
    contracts: dict[ContractId, PublicContract] = Field(default_factory=dict)
    entry: Omittable[CodePath] = None
    python: Omittable[PythonNeeds] = None
    contributes: Contributions = Field(default_factory=Contributions)
    runtime: Omittable[RuntimeManifest] = None

    @property
    def provided_contracts(self) -> tuple[ProvidedContract, ...]:
        """`provides` with each contract in its full form."""
        return tuple(
            ProvidedContract(contract=item) if isinstance(item, str) else item
            for item in self.provides
        )
