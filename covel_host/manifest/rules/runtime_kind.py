"""Which groups a runtime has, by its type (spec/manifest.md 6.2, rules 1 and 2; 6.4)."""

from collections.abc import Iterator
from typing import Final

from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.rule import Problem, field, rule


@rule("6.2.1", "runtime-group-mismatch", "A function runtime has `function` and no `agent`.")
def function_groups(runtime: RuntimeFacts) -> Iterator[Problem]:
    if not runtime.sound("type") or not runtime.is_function:
        return
    path = runtime.at("function")
    if not runtime.writes("function"):
        yield Problem(
            path,
            f"{field(path)} is missing; a runtime of type 'function' needs it.",
            "Name the module that holds its function 'handle': function: { handler: run.py }.",
            place=runtime.at("type"),
        )
    if runtime.writes("agent"):
        why = "its type says" if runtime.manifest.type else "its group 'function' makes it"
        yield Problem(
            path,
            f"{field(runtime.at('agent'))} is written although the runtime is a function, as "
            f"{why}.",
            "Keep one of the two groups.",
            place=runtime.at("agent"),
            at_key=True,
        )


@rule("6.2.2", "runtime-group-mismatch", "An agent runtime has no `function`.")
def agent_groups(runtime: RuntimeFacts) -> Iterator[Problem]:
    if runtime.sound("type") and not runtime.is_function and runtime.writes("function"):
        path = runtime.at("function")
        yield Problem(
            path,
            f"{field(path)} is written although {field(runtime.at('type'))} is 'agent'.",
            "Remove the group, or write 'type: function'.",
            at_key=True,
        )


@rule("6.4", "datasets-on-function", "A function runtime has no data set tools.")
def datasets_on_function(runtime: RuntimeFacts) -> Iterator[Problem]:
    if runtime.sound("type") and runtime.is_function and runtime.agent.tools.datasets:
        path = runtime.at("agent", "tools", "datasets")
        yield Problem(
            path,
            f"{field(path)} is written on a function runtime; data set tools are for agents.",
            "Read and write the records with ctx.plugin_data.",
            at_key=True,
        )


RULES: Final = (function_groups, agent_groups, datasets_on_function)
