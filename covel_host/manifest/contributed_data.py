"""Data a package keeps: namespaces, data sets, projections of world data (spec/manifest.md 4.10,
4.12, 11.4; spec/decisions.md 2)."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from covel_host.manifest.fields import (
    CodePath,
    ContractId,
    Items,
    JsonPath,
    ManifestModel,
    NonEmpty,
    Omittable,
    ShortFieldName,
    Text,
)
from covel_host.manifest.text_forms import NOT_BLANK, PROJECTION_ID

DataOperation: TypeAlias = Literal[
    "set", "put", "merge", "increment", "append", "insert", "remove", "delete"
]
DatasetTool: TypeAlias = Literal["get", "list", "upsert", "update"]


class DataSearch(ManifestModel):
    """Puts records into the archival search; `text` names the top-level field with the text."""

    text: NonEmpty


class AuthoringSource(ManifestModel):
    """Where world authors write the records of a namespace."""

    kind: Literal["yaml", "json", "media"]
    path: NonEmpty
    key: Omittable[NonEmpty] = None
    locale_array_keys: Items[NonEmpty] = ()
    visibility: Literal["public", "hidden"] = "public"
    lorebook: bool = False


class Authoring(ManifestModel):
    """How authoring tools present a namespace that takes world data."""

    title: Text
    summary: Omittable[Text] = None
    hint: Omittable[str] = None
    example: Omittable[JsonPath] = None
    source: Omittable[AuthoringSource] = None
    generate: Omittable[Literal["offer", "default"]] = None


class DataNamespace(ManifestModel):
    """A namespace of the package's own records; `accepts` names the world data that lands here."""

    schema_path: Annotated[JsonPath, Field(alias="schema")]
    version: Annotated[int, Field(gt=0)]
    description: Omittable[str] = None
    accepts: Items[ContractId] = ()
    search: Omittable[DataSearch] = None
    authoring: Omittable[Authoring] = None


class Dataset(ManifestModel):
    """Records with generated model tools; the data set is a namespace of the same name.

    Without `schema` the entry registers a record model. Without `ops` every operation is allowed;
    without `tools` the tools follow from `ops`.
    """

    schema_path: Annotated[Omittable[JsonPath], Field(alias="schema")] = None
    key: Omittable[NonEmpty] = None
    ops: Omittable[Items[DataOperation]] = None
    tools: Omittable[Items[DatasetTool]] = None
    description: Omittable[Text] = None
    search: Omittable[DataSearch] = None


class ProjectionOutput(ManifestModel):
    """Where one output of a projection goes: an own namespace and the field that is the key."""

    namespace: NonEmpty
    key: ShortFieldName


class WorldProjection(ManifestModel):
    """A pure function from world data of one schema to records of own namespaces."""

    source: Annotated[str, Field(alias="from", pattern=NOT_BLANK)]
    handler: CodePath
    outputs: Annotated[
        dict[Annotated[str, Field(pattern=PROJECTION_ID, max_length=64)], ProjectionOutput],
        Field(min_length=1),
    ]
