"""Why each tool was offered to a run or not, for whoever asks (`covel run --explain`)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from covel_host.runtime.loop_tools import RUNTIME_DONE, SEARCH_TOOLS
from covel_host.runtime.run import RuntimeRun
from covel_host.tools.dataset_tools import dataset_tools
from covel_host.tools.registry import RegisteredTool
from covel_host.tools.service_tools import ServiceTool
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES

if TYPE_CHECKING:
    from covel_host.runtime.agent_tools import AgentTools
    from covel_host.runtime.function_tools import FunctionTools

Standing: TypeAlias = Literal[
    "offered", "deferred", "not shown", "callable", "left out", "absent", "missing", "not listed"
]
"""`offered`: the model sees it. `deferred`: it does once it has found it. `not shown`: it may be
called. `callable`: from code. `left out`: this kind of run never has it. `absent`: an import
without a usable provider. `missing`: this host has none. `not listed`: nobody asked for it."""


@dataclass(frozen=True, slots=True)
class ToolStanding:
    """One tool in one run; `reason` is the end of a sentence."""

    name: str
    standing: Standing
    reason: str


StandingsSink: TypeAlias = Callable[[str, tuple[ToolStanding, ...]], None]
"""Gets the runtime's ID and the standings of a run that begins."""

_END: Final = "it is how the run may end"


def agent_standings(run: RuntimeRun, tools: "AgentTools") -> tuple[ToolStanding, ...]:
    """Every tool that an agent's run names or could name, what the model sees first."""
    offered = {spec.name for spec in tools.preloaded}
    resolved = [
        ToolStanding(name, *_of_resolved(run, name, found, is_offered=name in offered))
        for name, found in tools.resolved.items()
    ]
    if tools.search is not None:
        why = f"{SEARCH_TOOLS} finds the tools of agent.tools.defer"
        resolved.append(ToolStanding(SEARCH_TOOLS, "offered", why))
    resolved.sort(key=lambda standing: standing.standing != "offered")
    return (
        *resolved,
        *(ToolStanding(name, "left out", why) for name, why in tools.left_out.items()),
        *(ToolStanding(name, "absent", why) for name, why in tools.absent.items()),
        *(ToolStanding(name, "missing", "this host has none") for name in tools.missing),
        *_unlisted(run, {standing.name for standing in resolved}, group="agent"),
    )


def function_standings(run: RuntimeRun, tools: "FunctionTools") -> tuple[ToolStanding, ...]:
    """Every tool that a function runtime names or could name."""
    listed = [
        ToolStanding(name, "callable", _listed_at("function", found.source))
        for name, found in tools.resolved.items()
    ]
    return (
        *listed,
        *(ToolStanding(name, "missing", "this host has none") for name in tools.missing),
        *_unlisted(run, set(tools.resolved), group="function"),
    )


def _of_resolved(
    run: RuntimeRun, name: str, found: RegisteredTool, *, is_offered: bool
) -> tuple[Standing, str]:
    if not is_offered:
        if name == RUNTIME_DONE:
            return "not shown", "a story ends with its prose"
        return "deferred", f"agent.tools.defer hides it until {SEARCH_TOOLS} has found it"
    chosen = run.manifest.agent_settings.tools
    if name == RUNTIME_DONE and name not in chosen.builtin:
        return "offered", _END
    if isinstance(found.tool, ServiceTool):
        offer = found.tool.offered
        contract = offer.service.contract
        return "offered", f"agent.tools.services imports {contract} of {offer.plugin_id}"
    if found.source == "local" and chosen.plugin is None:
        return "offered", "an inline agent gets all of contributes.tools"
    return "offered", _listed_at("agent", found.source)


def _listed_at(group: str, source: str) -> str:
    member = {"local": "plugin", "dataset": "datasets"}.get(source, source)
    return f"{group}.tools.{member} names it"


def _unlisted(run: RuntimeRun, known: set[str], *, group: str) -> Iterator[ToolStanding]:
    why = f"contributes.tools has it, and {group}.tools.plugin does not name it"
    yield from _not_named((*run.contributed_tools,), known, why)
    for name, dataset in run.datasets.items():
        why = f"the data set {name!r} has it, and {group}.tools.datasets does not choose it"
        yield from _not_named(dataset_tools(dataset), known, why)
    why = f"{group}.tools.builtin does not name it"
    yield from _not_named(sorted(FRAMEWORK_TOOL_NAMES), known, why)


def _not_named(names: Iterable[str], known: set[str], why: str) -> Iterator[ToolStanding]:
    return (ToolStanding(name, "not listed", why) for name in names if name not in known)
