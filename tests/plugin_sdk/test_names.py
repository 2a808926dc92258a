"""Names the framework keeps."""

import re

import pytest

from plugin_sdk.names import (
    CONTRACT_PATTERN,
    FRAMEWORK_TOOL_NAMES,
    LIFE_CYCLE_HOOKS,
    REGISTRATION_HOOKS,
    TOOL_NAME_PATTERN,
    is_reserved_action,
    is_reserved_namespace,
)


def test_the_framework_tools_are_those_of_the_seed() -> None:
    assert set(FRAMEWORK_TOOL_NAMES) == {
        "create-choices",
        "create-form",
        "create-notification",
        "delegate",
        "emit-event",
        "get-character",
        "list-characters",
        "memory-search",
        "render-ui",
        "runtime-done",
        "search-tools",
        "suspend",
        "sync-characters",
        "world-dimension-get",
        "world-dimension-list",
    }
    assert len(FRAMEWORK_TOOL_NAMES) == 15
    assert all(re.fullmatch(TOOL_NAME_PATTERN, name) for name in FRAMEWORK_TOOL_NAMES)


def test_hook_names_are_fixed() -> None:
    assert len(REGISTRATION_HOOKS) == 7
    assert len(LIFE_CYCLE_HOOKS) == 16
    assert LIFE_CYCLE_HOOKS["pre_llm_call"] == "PreLLMCall"


@pytest.mark.parametrize(
    ("action", "reserved"),
    [
        ("covel:plugin-server-code", True),
        ("runtime:x", True),
        ("framework-x", True),
        ("runtime-x", False),
        ("open-bag", False),
    ],
)
def test_reserved_actions_are_told_by_their_beginning(action: str, reserved: bool) -> None:
    assert is_reserved_action(action) is reserved


@pytest.mark.parametrize(
    ("namespace", "reserved"),
    [("_logs", True), ("_hidden.notes", True), ("_", True), ("notes", False), ("no_tes", False)],
)
def test_namespaces_with_an_underscore_first_are_reserved(namespace: str, reserved: bool) -> None:
    assert is_reserved_namespace(namespace) is reserved


@pytest.mark.parametrize(
    ("contract", "fits"),
    [("inventory.items@1", True), ("a@12", True), ("a@0", False), ("A@1", False), ("a/b@1", False)],
)
def test_contracts_are_lower_case_with_a_version(contract: str, fits: bool) -> None:
    assert bool(re.fullmatch(CONTRACT_PATTERN, contract)) is fits
