"""Every code and every reserved name can be explained, and a slip is led to the nearest one."""

import pytest

from covel_host.diagnostics.codes import ALL_CODES, CodeInfo
from covel_host.diagnostics.explain import explain, suggestions
from covel_host.diagnostics.reserved_names import reserved_names
from covel_host.manifest.kernel_contracts import EXTENSION_POINTS, UI_SLOTS
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES, LIFE_CYCLE_HOOKS


def explained(subject: str) -> str | None:
    return explain(subject, extension_points=EXTENSION_POINTS, ui_slots=UI_SLOTS)


def test_a_code_and_its_name_have_one_explanation_with_an_example() -> None:
    text = explained("cov021")
    assert text is not None
    assert text == explained(" yaml-unquoted-colon ")
    assert text.startswith("COV021 yaml-unquoted-colon (error; keeps the package from")
    assert "Wrong:\n\n    description: Herbs: a list\n" in text
    assert 'Right:\n\n    description: "Herbs: a list"\n' in text


@pytest.mark.parametrize("info", ALL_CODES, ids=lambda info: info.code)
def test_every_code_is_explained_in_lines_a_terminal_shows(info: CodeInfo) -> None:
    text = explained(info.code)
    assert text is not None
    assert max(map(len, text.splitlines())) <= 100


def test_a_code_without_example_is_explained_without() -> None:
    text = explained("entry-timeout")
    assert text is not None
    assert "Wrong:" not in text


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "a tool of the framework") for name in FRAMEWORK_TOOL_NAMES),
        *((name, "a life-cycle hook") for name in LIFE_CYCLE_HOOKS),
        *((event, "a life-cycle event") for event in LIFE_CYCLE_HOOKS.values()),
        ("register_tools", "a registration hook"),
        ("on_load", "a hook for a package's own resources"),
        ("covel:", "a reserved beginning of action names"),
        ("framework-open", "a reserved beginning of action names"),
        ("_jobs", "a namespace of the framework"),
        ("_hidden.herbs", "the beginning of hidden namespaces"),
        ("_other", "a reserved beginning of namespaces"),
        ("ui.slot@1", "a contract of the host, an extension point"),
        ("stage.cast@1", "a contract of the host, a UI slot"),
    ],
)
def test_a_reserved_name_is_explained(name: str, kind: str) -> None:
    text = explained(name)
    assert text is not None
    assert text.split("\n")[0].endswith(f": {kind}")


def test_no_reserved_name_is_there_twice() -> None:
    names = [
        name.name for name in reserved_names(extension_points=EXTENSION_POINTS, ui_slots=UI_SLOTS)
    ]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("slip", "near"),
    [
        ("yaml-unqoted-colon", "yaml-unquoted-colon"),
        ("COV0021", "COV021"),
        ("emit-events", "emit-event"),
    ],
)
def test_a_slip_is_led_to_the_nearest_name(slip: str, near: str) -> None:
    assert explained(slip) is None
    assert near in suggestions(slip)


def test_nonsense_has_no_neighbours() -> None:
    assert suggestions("qqqqqqqq") == []
