"""How an agent ends (spec/manifest.md 6.2, rules 17 and 21; spec/decisions.md 2)."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.agent import NamedTool
from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.rule import Path, Problem, field, rule
from covel_host.manifest.rules.tool_names import imported_names, offered_names


@rule("6.2.17", "explicit-completion-not-allowed", "Explicit completion has a place to be made.")
def explicit_completion(runtime: RuntimeFacts) -> Iterator[Problem]:
    if runtime.agent.completion.require != "explicit":
        return
    path = runtime.at("agent", "completion", "require")
    if runtime.sound("type") and runtime.is_function:
        why = "a function runtime ends when its handler returns"
    elif runtime.io.visibility == "story":
        why = "a story runtime ends with its prose"
    elif runtime.io.output.schema_path is not None:
        why = "a runtime with an output schema ends with its output"
    else:
        return
    yield Problem(
        path,
        f"{field(path)} is 'explicit'; {why}.",
        "Remove it, or write 'require: tool-use' with the tools that end the run in 'afterTools'.",
    )


@rule("6.2.21", "completed-by-import", "No imported service ends a runtime.")
def completed_by_import(runtime: RuntimeFacts) -> Iterator[Problem]:
    imported = imported_names(runtime)
    for path, name in _ending_tools(runtime):
        if name in imported:
            yield Problem(
                path,
                f"{field(path)} is {name!r}, the imported service {imported[name]!r}; a runtime "
                "must be able to end without another package.",
                "Name a tool of this package or of the framework.",
            )


@rule("decisions 2", "finish-with-twice", "`finishWith` stands alone.")
def finish_with_twice(runtime: RuntimeFacts) -> Iterator[Problem]:
    agent = runtime.agent
    if agent.finish_with is None:
        return
    beside = [
        name
        for name, written in (
            ("llm.toolChoice", agent.llm.tool_choice is not None),
            ("completion.require", agent.completion.require is not None),
            ("completion.afterTools", bool(agent.completion.after_tools)),
        )
        if written
    ]
    if beside:
        path = runtime.at("agent", "finishWith")
        yield Problem(
            path,
            f"{field(path)} is {agent.finish_with!r}, and {_joined(beside)} is written too; "
            "'finishWith' stands for all of them.",
            "Keep 'finishWith', or keep the long form.",
        )


@rule("5.4", "tool-not-offered", "Tools named elsewhere in `agent` are tools of the runtime.")
def tool_not_offered(runtime: RuntimeFacts) -> Iterator[Problem]:
    if not runtime.sound("agent", "tools") or runtime.is_function:
        return
    offered = offered_names(runtime)
    if offered is None:
        return
    for path, name in (*_ending_tools(runtime), *_chosen_tool(runtime), *_deferred(runtime)):
        if name not in offered:
            near = nearest(name, sorted(offered))
            yield Problem(
                path,
                f"{field(path)} is {name!r}, which is no tool of this runtime.",
                f"The nearest tool is {near!r}." if near else "Add it under 'agent.tools'.",
            )


def _ending_tools(runtime: RuntimeFacts) -> Iterator[tuple[Path, str]]:
    for index, name in enumerate(runtime.agent.completion.after_tools):
        yield runtime.at("agent", "completion", "afterTools", index), name
    if runtime.agent.finish_with is not None:
        yield runtime.at("agent", "finishWith"), runtime.agent.finish_with


def _chosen_tool(runtime: RuntimeFacts) -> Iterator[tuple[Path, str]]:
    choice = runtime.agent.llm.tool_choice
    if isinstance(choice, NamedTool):
        yield runtime.at("agent", "llm", "toolChoice", "name"), choice.name


def _deferred(runtime: RuntimeFacts) -> Iterator[tuple[Path, str]]:
    deferred = runtime.agent.tools.defer
    for index, name in enumerate(() if deferred is True else deferred):
        yield runtime.at("agent", "tools", "defer", index), name


def _joined(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


RULES: Final = (explicit_completion, completed_by_import, finish_with_twice, tool_not_offered)
