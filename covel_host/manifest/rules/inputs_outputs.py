"""Inputs, exports and concealment of one runtime (spec/manifest.md 6.2, rules 14 to 16 and 18)."""

from collections.abc import Iterator
from typing import Final

from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.rule import Problem, field, rule
from covel_host.manifest.runtime_io import KernelSource


@rule("6.2.14", "committed-input-select", "A committed input has no `select`.")
def committed_select(runtime: RuntimeFacts) -> Iterator[Problem]:
    for name, wanted in runtime.io.inputs.items():
        if wanted.scope == "committed" and wanted.select is not None:
            path = runtime.at("io", "inputs", name, "select")
            yield Problem(
                path,
                f"{field(path)} is {wanted.select!r}; a committed input is always the whole "
                "export.",
                "Remove 'select' and pick the part in the prompt or the code.",
            )


@rule("6.2.15", "committed-input-incomplete", "A committed input names its export and a producer.")
def committed_incomplete(runtime: RuntimeFacts) -> Iterator[Problem]:
    for name, wanted in runtime.io.inputs.items():
        if wanted.scope != "committed":
            continue
        path = runtime.at("io", "inputs", name)
        if isinstance(wanted.source, KernelSource):
            yield Problem(
                path,
                f"{field(path)} is committed and comes from the host, which exports nothing.",
                "Remove 'scope: committed', or take the value from a runtime or a contract.",
                place=(*path, "from"),
            )
        elif wanted.record_as is None:
            yield Problem(
                path,
                f"{field(path)} is committed and has no 'recordAs', the key of the export it "
                "reads.",
                "Add the 'recordAs' that the producer writes under 'io.output'.",
                place=(*path, "scope"),
            )


@rule("5.3", "field-without-effect", "`recordAs` of an input is for committed ones.")
def record_as_without_effect(runtime: RuntimeFacts) -> Iterator[Problem]:
    for name, wanted in runtime.io.inputs.items():
        if wanted.scope == "turn" and wanted.record_as is not None:
            path = runtime.at("io", "inputs", name, "recordAs")
            yield Problem(
                path,
                f"{field(path)} is {wanted.record_as!r}; only an input of scope 'committed' reads "
                "an export, and this one is of scope 'turn'.",
                "Write 'scope: committed', or remove 'recordAs'.",
            )


@rule("6.2.16", "export-without-schema", "An exported output has a schema.")
def export_schema(runtime: RuntimeFacts) -> Iterator[Problem]:
    output = runtime.io.output
    if output.record_as is None or output.schema_path is not None:
        return
    if runtime.sound("io", "output"):
        path = runtime.at("io", "output", "schema")
        yield Problem(
            path,
            f"{field(path)} is missing; the output is kept as {output.record_as!r}, and later "
            "executions rely on its shape.",
            "Add the path of a JSON Schema, such as 'schema: schemas/output.json'.",
            place=runtime.at("io", "output", "recordAs"),
        )


@rule("6.2.18", "concealed-story", "A story runtime is not concealed.")
def concealed_story(runtime: RuntimeFacts) -> Iterator[Problem]:
    if runtime.io.concealed and runtime.io.visibility == "story":
        path = runtime.at("io", "concealed")
        yield Problem(
            path,
            f"{field(path)} is true, and the visibility is 'story'; the player reads the story.",
            "Remove 'concealed', or use another visibility.",
        )


RULES: Final = (
    committed_select,
    committed_incomplete,
    record_as_without_effect,
    export_schema,
    concealed_story,
)
