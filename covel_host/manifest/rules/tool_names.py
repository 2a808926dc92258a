"""The tool names of one runtime, from all the sources that share one set of names.

(seed: 数据集工具, 名字与选择; 导入的服务工具)
"""

from collections.abc import Iterator
from typing import Final

from covel_host.manifest.agent import ServiceImport
from covel_host.manifest.contributed_data import Dataset, DatasetTool
from covel_host.manifest.rules.facts import RuntimeFacts
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES
from plugin_sdk.rules.keys import dataset_tool_kinds, dataset_tool_name

MAX_TOOL_NAME: Final = 64


def plugin_tools(runtime: RuntimeFacts) -> tuple[str, ...]:
    """The package's own tools that the runtime offers.

    Left out, an inline agent gets all that the package contributes (spec/manifest.md 5.4).
    """
    if runtime.is_function:
        function = runtime.manifest.function
        return () if function is None else function.tools.plugin
    chosen = runtime.agent.tools.plugin
    if chosen is not None:
        return chosen
    inline = bool(runtime.reading.field_prefix)
    return runtime.root.contributes.tools if inline and runtime.root is not None else ()


def imported_names(runtime: RuntimeFacts) -> dict[str, str]:
    """The tool names of imported services, each with its contract; unusable names are left out."""
    names: dict[str, str] = {}
    for item in runtime.services:
        name = import_name(item)
        if len(name) <= MAX_TOOL_NAME:
            names.setdefault(name, item.contract)
    return names


def import_name(item: ServiceImport) -> str:
    """The tool name that an import would have, however long; the SDK's `import_tool_name` gives
    usable ones only, and a validator has to say what is wrong with the others."""
    derived = item.contract.partition("@")[0].replace(".", "-")
    return derived if item.tool_name is None else item.tool_name


def generated_names(runtime: RuntimeFacts) -> Iterator[str]:
    """The names of the data set tools that the runtime gets."""
    declared = {} if runtime.root is None else runtime.root.contributes.datasets
    for choice in runtime.datasets:
        dataset = declared.get(choice.dataset)
        if dataset is None:
            continue
        for kind in offered_kinds(dataset) if choice.tools is None else choice.tools:
            yield dataset_tool_name(choice.dataset, kind)


def offered_kinds(dataset: Dataset) -> tuple[DatasetTool, ...]:
    """The tools that a data set offers."""
    return dataset_tool_kinds(ops=dataset.ops, tools=dataset.tools)


def offered_names(runtime: RuntimeFacts) -> frozenset[str] | None:
    """Every name the model can call, `runtime-done` included; `None` when it cannot be known."""
    root = runtime.root
    if root is None or not root.sound("contributes", "tools"):
        return None
    if not root.sound("contributes", "datasets"):
        return None
    tools = runtime.agent.tools
    names = {*tools.builtin, *plugin_tools(runtime), "runtime-done"}
    if tools.defer:
        names.add("search-tools")
    return frozenset(names.union(imported_names(runtime), generated_names(runtime)))


def taken_names(runtime: RuntimeFacts) -> dict[str, str]:
    """The names that generated and imported tools must not meet, each with whose it is."""
    contributed = () if runtime.root is None else runtime.root.contributes.tools
    own = (*contributed, *plugin_tools(runtime), *runtime.agent.tools.builtin)
    taken = dict.fromkeys(own, "a tool of the package")
    return taken | dict.fromkeys(FRAMEWORK_TOOL_NAMES, "a tool of the framework")


def is_framework_tool(name: str) -> bool:
    """Whether `name` belongs to the framework."""
    return name in FRAMEWORK_TOOL_NAMES
