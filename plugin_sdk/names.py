"""Names the framework fixes or keeps for itself; registration and validation use these."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

PLUGGY_PROJECT: Final = "covel"
"""The pluggy project name of hook markers and specifications."""

FRAMEWORK_TOOL_NAMES: tuple[str, ...] = (
    "create-form",
    "create-choices",
    "create-notification",
    "render-ui",
    "sync-characters",
    "list-characters",
    "get-character",
    "world-dimension-get",
    "world-dimension-list",
    "emit-event",
    "suspend",
    "runtime-done",
    "delegate",
    "search-tools",
    "memory-search",
)
"""Tool names no package may register (seed: 概览), in the seed's order."""

REGISTRATION_HOOKS: tuple[str, ...] = (
    "register_tools",
    "register_actions",
    "register_services",
    "register_form_validators",
    "register_datasets",
    "register_extensions",
    "register_wires",
)
"""Hooks whose results are what a package contributes (spec/decisions.md 3)."""

PACKAGE_HOOKS: tuple[str, ...] = ("on_load", "on_unload")
"""Hooks for a package's own resources; their results are ignored."""

LIFE_CYCLE_HOOKS: Mapping[str, str] = MappingProxyType(
    {
        "session_start": "SessionStart",
        "turn_start": "TurnStart",
        "pre_compaction": "PreCompaction",
        "post_compaction": "PostCompaction",
        "pre_schedule": "PreSchedule",
        "pre_runtime": "PreRuntime",
        "post_context_assembly": "PostContextAssembly",
        "pre_llm_call": "PreLLMCall",
        "post_llm_response": "PostLLMResponse",
        "post_runtime": "PostRuntime",
        "pre_tool_use": "PreToolUse",
        "post_tool_use": "PostToolUse",
        "pre_state_commit": "PreStateCommit",
        "post_state_commit": "PostStateCommit",
        "turn_stop": "TurnStop",
        "session_end": "SessionEnd",
    }
)
"""Hook function name to the event name of `contributes.hooks` (spec/manifest.md 10.5)."""

RESERVED_ACTION_PREFIXES: tuple[str, ...] = ("covel:", "runtime:", "framework-")
"""An action name may not begin with one of these (spec/decisions.md 2)."""

RESERVED_NAMESPACE_PREFIX: Final = "_"
"""Plugin-data namespaces that begin so belong to the framework (seed: 不能到达的命名空间)."""

HIDDEN_NAMESPACE_PREFIX: Final = "_hidden."
"""Hidden world data of a namespace; only a package's own function runtimes reach it."""

FRAMEWORK_NAMESPACES: tuple[str, ...] = (
    "_jobs",
    "_runtime_jobs",
    "_runtime_job_control",
    "_logs",
    "_dimensions",
    "_dimension-settlements",
)
"""Namespaces in which the framework keeps its own records (spec/storage.md 3)."""

TOOL_NAME_PATTERN: Final = r"[A-Za-z0-9_-]{1,64}"
"""The whole of a tool name: letters, digits, `_` and `-`, at most 64 (seed: 导入的服务工具)."""

CONTRACT_PATTERN: Final = r"[a-z][a-z0-9.-]*@[1-9][0-9]*"
"""The whole of a contract, service or extension point ID (spec/manifest.md 4.2)."""

EXTENSION_ID_PATTERN: Final = r"[a-zA-Z0-9][A-Za-z0-9_.-]*"
"""The whole of an extension ID (spec/manifest.md 4.6)."""


def is_reserved_namespace(namespace: str) -> bool:
    """Whether plugin code is refused to write `namespace`."""
    return namespace.startswith(RESERVED_NAMESPACE_PREFIX)


def is_reserved_action(action: str) -> bool:
    """Whether `action` could pass for a framework approval key."""
    return action.startswith(RESERVED_ACTION_PREFIXES)
