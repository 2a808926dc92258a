from covel_host.tools.builtin.installed import BUILTIN_TOOLS
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES
from plugin_sdk.tools import check_tool


def test_every_framework_name_but_that_of_the_loop_is_installed_and_no_other_is() -> None:
    assert sorted([*BUILTIN_TOOLS, "search-tools"]) == sorted(FRAMEWORK_TOOL_NAMES)


def test_no_definition_has_annotations_or_limits_that_a_package_could_not_have() -> None:
    for name, tool in BUILTIN_TOOLS.items():
        assert tool.name == name
        assert tool.description
        check_tool(name, annotations=tool.annotations, timeout_ms=tool.timeout_ms)
        assert tool.input_schema["type"] == "object"
