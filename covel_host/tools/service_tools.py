"""Services that an agent imports, as tools (seed: 导入的服务工具)."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from covel_host.base.json_text import parse_json
from covel_host.manifest.agent import ServiceImport
from covel_host.services.directory import NoProvider, OfferedService, ServiceDirectory
from covel_host.tools.envelope_texts import AbsentReason, absent_import_text
from covel_host.tools.registry import RegisteredTool
from plugin_sdk.context import ToolContext
from plugin_sdk.rules.keys import import_tool_name
from plugin_sdk.services import ServiceKind
from plugin_sdk.tools import ToolAnnotations
from plugin_sdk.values import JsonValue

IMPORT_TIMEOUT_MS: Final = 15_000
"""How long one call of an imported tool waits for the provider."""

_ANNOTATIONS: Final[Mapping[ServiceKind, ToolAnnotations]] = {
    "read": ToolAnnotations(
        read_only=True, stages_writes=False, idempotent=True, concurrency_safe=True
    ),
    "write": ToolAnnotations(),
}
_LOG = logging.getLogger(__name__)


class ServiceTool:
    """One imported service under its tool name.

    The time limit is that of the wait for the provider, so the tool has none of its own.
    """

    is_async = True
    timeout_ms: int | None = None

    def __init__(self, name: str, offered: OfferedService) -> None:
        self.name = name
        self.description = offered.service.description
        self.annotations = _ANNOTATIONS[offered.service.kind]
        self.input_schema: dict[str, Any] = offered.service.input_schema
        self.offered = offered

    def __repr__(self) -> str:
        return f"<ServiceTool {self.name!r} of {self.offered.service.contract!r}>"

    def parse(self, text: str) -> dict[str, object]:
        """The input that one JSON text holds.

        It is checked here, so that the model is told of each field, and handed on as it came: the
        provider reads it once more for its function, and what that changes is changed once.

        Raises:
            ToolValidationError: not JSON, or a shape that does not fit.
        """
        self.offered.service.parse(text)
        return {"input": parse_json(text)}

    async def invoke(self, context: ToolContext, arguments: dict[str, object]) -> JsonValue:
        """What the provider answers.

        Raises:
            ServiceFailed, ServiceTimeout: see spec/manifest.md 10.4.
        """
        value: Any = arguments["input"]
        return await context.services.call(self.offered.offer, value, timeout_ms=IMPORT_TIMEOUT_MS)


@dataclass(frozen=True, slots=True)
class ImportedTools:
    """The tools of a run's imports, by name; `absent` are those it has to do without, and why."""

    tools: Mapping[str, RegisteredTool]
    absent: Mapping[str, str]


def imported_tools(
    imports: Iterable[ServiceImport],
    directory: ServiceDirectory,
    *,
    runtime_id: str,
    may_write: bool,
) -> ImportedTools:
    """The imports of one run as tools, in declared order (seed: 不在的工具).

    Each is looked up once, at the start of the run. `may_write` says whether the run can change
    data. The sentence about an absent one names no package; the log has it for the author.
    """
    tools: dict[str, RegisteredTool] = {}
    absent: dict[str, str] = {}
    for wanted in imports:
        name = import_tool_name(wanted.contract, alias=wanted.tool_name)
        found = directory.for_models(wanted.contract)
        reason = _absence(found, may_write=may_write)
        if isinstance(found, OfferedService) and reason is None:
            tools[name] = RegisteredTool(ServiceTool(name, found), "local")
        elif reason is not None:
            absent[name] = absent_import_text(name, wanted.contract, reason)
            _LOG.info("%s: %s%s", runtime_id, absent[name], _owners(found))
    return ImportedTools(tools, absent)


def _absence(found: OfferedService | NoProvider, *, may_write: bool) -> AbsentReason | None:
    if isinstance(found, NoProvider):
        return found.reason
    return "not-allowed" if found.service.kind == "write" and not may_write else None


def _owners(found: OfferedService | NoProvider) -> str:
    ids = found.plugin_ids if isinstance(found, NoProvider) else (found.plugin_id,)
    return f" (Provider: {', '.join(ids)}.)" if ids else ""
