"""The builtin tools this host has."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from covel_host.proposals.world_view import WorldView
from covel_host.tools.builtin.characters import get_character, list_characters
from covel_host.tools.builtin.create_choices import create_choices
from covel_host.tools.builtin.create_form import create_form
from covel_host.tools.builtin.create_notification import create_notification
from covel_host.tools.builtin.delegate import delegate
from covel_host.tools.builtin.dimensions import world_dimension_get, world_dimension_list
from covel_host.tools.builtin.emit_event import EmitEvent
from covel_host.tools.builtin.memory_search import MemorySearchTool
from covel_host.tools.builtin.render_ui import render_ui
from covel_host.tools.builtin.runtime_done import runtime_done
from covel_host.tools.builtin.suspend import suspend
from covel_host.tools.builtin.sync_characters import SyncCharacters
from covel_host.tools.event_directory import NO_EVENTS, EventDirectory
from covel_host.tools.memory_search import NO_MEMORY, MemorySearch
from covel_host.tools.registry import CallableTool

_ALWAYS: Final = (
    create_form,
    create_choices,
    create_notification,
    render_ui,
    list_characters,
    get_character,
    world_dimension_get,
    world_dimension_list,
    suspend,
    runtime_done,
    delegate,
)


def builtin_tools(
    *,
    events: EventDirectory = NO_EVENTS,
    world: WorldView | None = None,
    memory: MemorySearch = NO_MEMORY,
) -> dict[str, CallableTool]:
    """The framework's tools by name, for the time of one run.

    `emit-event` lists the topics of `events`, `sync-characters` the types and fields of `world`,
    those of a session without a schema where there is none. `memory-search` searches `memory`.
    """
    tools: list[CallableTool] = [
        *_ALWAYS,
        SyncCharacters(WorldView() if world is None else world),
        EmitEvent(events),
        MemorySearchTool(memory),
    ]
    return {tool.name: tool for tool in tools}


BUILTIN_TOOLS: Final[Mapping[str, CallableTool]] = MappingProxyType(builtin_tools())
"""The tools of every session, by name, as they are where the session has nothing of its own."""
