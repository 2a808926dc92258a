"""Data sets declared in a test, and their tools over records held in memory."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from covel_host.catalog.datasets import LoadedDataset, compile_datasets, loaded_dataset
from covel_host.catalog.sources import read_sources
from covel_host.manifest.contributed_data import Dataset
from covel_host.manifest.package import read_package
from covel_host.proposals.data_entries import DataEntry
from covel_host.proposals.overlay import DEFAULT_LIST_LIMIT
from covel_host.schemas.compiled import compile_schema
from covel_host.tools.calls import ToolCallResult, ToolRequest
from covel_host.tools.dataset_tools import dataset_tools
from covel_host.tools.registry import RegisteredTool
from plugin_sdk.datasets import DataSet
from plugin_sdk.records import DataItem
from plugin_sdk.rules.keys import DatasetToolKind
from plugin_sdk.values import JsonValue
from tests.support.tool_calls import SeenCall, ToolBench

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "hp": {"type": "integer", "minimum": 0},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["name"],
    "additionalProperties": False,
}


def loaded_datasets(
    folder: Path,
    declared: Mapping[str, Any],
    *,
    files: Mapping[str, str] | None = None,
    models: Mapping[str, DataSet] | None = None,
) -> tuple[dict[str, LoadedDataset], list[Any]]:
    """The data sets of a package with `contributes.datasets`, and what is wrong with them."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"description": "A test.", "contributes": {"datasets": dict(declared)}}
    (folder / "PLUGIN.md").write_text(f"---\n{yaml.safe_dump(manifest)}---\n", encoding="utf-8")
    for name, text in (files or {}).items():
        (folder / name).write_text(text, encoding="utf-8")
    reading = read_package(folder, plugin_id="demo")
    return compile_datasets(reading, read_sources(folder), models or {})


def declared_dataset(declaration: Mapping[str, Any], *, name: str = "rows") -> LoadedDataset:
    """The data set of a declaration whose `schema` stands in place."""
    rest = {member: value for member, value in declaration.items() if member != "schema"}
    compiled = compile_schema(declaration.get("schema", {}))
    return loaded_dataset(name, Dataset.model_validate(rest), compiled)


class MemoryData:
    """The stored records of the package `demo`, by namespace and key; counts what is read."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], JsonValue] = {}
        self.listed = 0

    async def get(self, namespace: str, key: str) -> DataEntry | None:
        value = self.rows.get((namespace, key))
        return None if value is None else DataEntry(key, value)

    async def list(self, namespace: str, *, after: str, limit: int) -> Sequence[DataEntry]:
        keys = sorted(key for space, key in self.rows if space == namespace and key > after)
        self.listed += len(keys[:limit])
        return [DataEntry(key, self.rows[namespace, key]) for key in keys[:limit]]


class DatasetBench(ToolBench):
    """One run that may call the tools of one data set."""

    def __init__(
        self, dataset: LoadedDataset, *, chosen: Sequence[DatasetToolKind] | None = None
    ) -> None:
        self.data = MemoryData()
        self.dataset = dataset
        super().__init__(source=self.data)
        self.tools = dataset_tools(dataset, chosen=chosen)
        self.authorized |= set(self.tools)
        self.has_store = True

    @property
    def resolved(self) -> dict[str, RegisteredTool]:
        return {**super().resolved, **self.tools}

    def run(self, name: str, arguments: object) -> ToolCallResult:
        """One call; `arguments` that are no text are sent as their JSON."""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return asyncio.run(self.call(name, text))

    def _open(self, request: ToolRequest, signal: Any) -> SeenCall:
        self.opened.append(SeenCall(signal, store=_Store(self) if self.has_store else None))
        return self.opened[-1]


class _Store:
    def __init__(self, bench: DatasetBench) -> None:
        self._bench = bench

    async def get_plugin_data(self, namespace: str, key: str) -> JsonValue:
        return await self._bench.staging.plugin_data.get(namespace, key)

    async def list_plugin_data(
        self, namespace: str, *, after: str = "", limit: int | None = None
    ) -> list[DataItem]:
        wanted = DEFAULT_LIST_LIMIT if limit is None else limit
        data = self._bench.staging.plugin_data
        entries = await data.list(namespace, after=after, limit=wanted)
        return [DataItem(entry.key, entry.value) for entry in entries]
