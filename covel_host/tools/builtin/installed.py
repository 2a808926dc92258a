"""The builtin tools this host has."""

from collections.abc import Mapping
from typing import Any, Final

from covel_host.tools.builtin.runtime_done import runtime_done
from plugin_sdk.tools import Tool

BUILTIN_TOOLS: Final[Mapping[str, Tool[..., Any]]] = {tool.name: tool for tool in (runtime_done,)}
"""By name; the other framework tools are left out of a run, which says so."""
