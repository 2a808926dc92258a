"""Data sets and the tools a runtime gets for them (spec/manifest.md 6.4; seed: 名字与选择)."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.agent import DatasetChoice
from covel_host.manifest.contributed_data import DatasetTool
from covel_host.manifest.rules.facts import RootFacts, RuntimeFacts
from covel_host.manifest.rules.rule import Path, Problem, field, first_place, rule
from covel_host.manifest.rules.tool_names import (
    imported_names,
    offered_kinds,
    taken_names,
)
from plugin_sdk.rules.keys import dataset_tool_name

MAX_NAME: Final = 57
"""Characters of the name of a data set in use: `-upsert` makes it a tool name of 64."""


@rule("6.4", "dataset-undeclared", "A data set in use is declared.")
def dataset_undeclared(runtime: RuntimeFacts) -> Iterator[Problem]:
    root = runtime.root
    if root is None or not root.sound("contributes", "datasets"):
        return
    declared = root.contributes.datasets
    for path, choice in _choices(runtime):
        if choice.dataset not in declared:
            near = nearest(choice.dataset, list(declared))
            hint = f"Declare {choice.dataset!r} under `contributes.datasets`."
            if near is not None:
                hint = f"The nearest data set is {near!r}."
                if near.lower() == choice.dataset.lower():
                    hint = f"It is declared as {near!r}; capitals count."
            elif choice.dataset in root.contributes.data:
                hint = (
                    "It is a namespace of `contributes.data`. Move it to `contributes.datasets` to "
                    "get tools for it."
                )
            yield Problem(
                path,
                f"{field(path)} names the data set {choice.dataset!r}, which PLUGIN.md does not "
                "declare under `contributes.datasets`.",
                hint,
            )


@rule("6.4", "dataset-tool-not-offered", "A chosen tool is one the data set offers.")
def tool_not_offered(runtime: RuntimeFacts) -> Iterator[Problem]:
    declared = {} if runtime.root is None else runtime.root.contributes.datasets
    for path, choice in _choices(runtime):
        dataset = declared.get(choice.dataset)
        if dataset is None:
            continue
        offered = offered_kinds(dataset)
        for index, kind in enumerate(choice.tools or ()):
            if kind not in offered:
                item = (*path, "tools", index)
                yield Problem(
                    item,
                    f"{field(item)} is {kind!r}, which the data set {choice.dataset!r} does not "
                    f"offer; it offers {', '.join(map(repr, offered)) or 'nothing'}.",
                    _offer_hint(choice.dataset, kind, by_tools=dataset.tools is not None),
                )


@rule("6.4", "dataset-name-too-long", "A data set in use has a name of at most 57 characters.")
def name_too_long(runtime: RuntimeFacts) -> Iterator[Problem]:
    for path, choice in _choices(runtime):
        length = len(choice.dataset)
        if length > MAX_NAME:
            yield Problem(
                path,
                f"{field(path)} names a data set of {length} characters; expected at most "
                f"{MAX_NAME}, since '{choice.dataset[:8]}…-upsert' has to fit into 64.",
                "Give the data set a shorter name.",
            )


@rule("6.4", "dataset-listed-twice", "A data set is listed once.")
def listed_twice(runtime: RuntimeFacts) -> Iterator[Problem]:
    first: dict[str, Path] = {}
    for path, choice in _choices(runtime):
        known = first.setdefault(choice.dataset, path)
        if known is not path:
            yield Problem(
                path,
                f"{field(path)} names the data set {choice.dataset!r}, which {field(known)} names "
                "already.",
                "Remove one of the two, or join their tools in one.",
                related=first_place(runtime.reading.frontmatter, known),
            )


@rule("6.4", "tool-name-clash", "A generated tool has a name of its own.")
def generated_name_clash(runtime: RuntimeFacts) -> Iterator[Problem]:
    declared = {} if runtime.root is None else runtime.root.contributes.datasets
    imported = imported_names(runtime)
    taken = {name: f"the import of {contract!r}" for name, contract in imported.items()}
    taken |= taken_names(runtime)
    seen: set[str] = set()
    for path, choice in _choices(runtime):
        dataset = declared.get(choice.dataset)
        if dataset is None or choice.dataset in seen:
            continue
        seen.add(choice.dataset)
        kinds = offered_kinds(dataset) if choice.tools is None else choice.tools
        for index, kind in enumerate(kinds):
            name = dataset_tool_name(choice.dataset, kind)
            if name in taken:
                item = path if choice.tools is None else (*path, "tools", index)
                yield Problem(
                    item,
                    f"{field(item)} makes the tool {name!r}, which is {taken[name]} already.",
                    "Rename the data set, or choose tools of it that do not clash.",
                )


@rule("decisions 2", "dataset-named-like-namespace", "A data set shares no name with a namespace.")
def named_like_namespace(root: RootFacts) -> Iterator[Problem]:
    for name in root.contributes.datasets:
        if name in root.contributes.data:
            path: Path = ("contributes", "datasets", name)
            yield Problem(
                path,
                f"{field(path)} is also declared under `contributes.data`; a data set is itself "
                "the namespace of its name.",
                "Keep one of the two, or rename one.",
                at_key=True,
                related=first_place(root.frontmatter, ("contributes", "data", name)),
            )


@rule("decisions 2", "dataset-without-schema", "A data set has a schema or an entry.")
def without_schema(root: RootFacts) -> Iterator[Problem]:
    if root.package.entry is not None or not root.sound("entry") or root.manifest.entry:
        return
    for name, dataset in root.contributes.datasets.items():
        path: Path = ("contributes", "datasets", name)
        if dataset.schema_path is None:
            yield Problem(
                path,
                f"{field(path)} has no 'schema', and the package has no entry that could register "
                "a record model.",
                "Add the path of a JSON Schema, such as 'schema: schemas/record.json'.",
                at_key=True,
            )


@rule("11.4", "field-without-effect", "Offered tools fit the allowed operations.")
def useless_tools(root: RootFacts) -> Iterator[Problem]:
    for name, dataset in root.contributes.datasets.items():
        possible = offered_kinds(dataset.model_copy(update={"tools": None}))
        for index, kind in enumerate(dataset.tools or ()):
            if kind not in possible:
                path: Path = ("contributes", "datasets", name, "tools", index)
                wanted = "'set'" if kind == "upsert" else "an operation other than 'set'"
                yield Problem(
                    path,
                    f"{field(path)} is {kind!r}, which needs {wanted}, and 'ops' does not allow "
                    "it; every call of the tool would fail.",
                    "Add the operation to 'ops', or remove the tool.",
                )


def _choices(runtime: RuntimeFacts) -> Iterator[tuple[Path, DatasetChoice]]:
    for index, choice in enumerate(runtime.datasets):
        yield runtime.at("agent", "tools", "datasets", index), choice


def _offer_hint(dataset: str, kind: DatasetTool, *, by_tools: bool) -> str:
    if by_tools:
        return f"Add {kind!r} to `contributes.datasets.{dataset}.tools`, or leave it out here."
    wanted = "'set'" if kind == "upsert" else "an operation other than 'set'"
    return f"Allow {wanted} in `contributes.datasets.{dataset}.ops`, or leave it out here."


RUNTIME_RULES: Final = (
    dataset_undeclared,
    tool_not_offered,
    name_too_long,
    listed_twice,
    generated_name_clash,
)
ROOT_RULES: Final = (named_like_namespace, without_schema, useless_tools)
