from plugin_sdk import ToolCall
from plugin_sdk.testing import make_hook_context, resolved


def tool_call(text):
    return ToolCall(id="call-1", name="keep", arguments={"text": text})


def test_only_long_arguments_are_looked_at(covel):
    is_long = covel.module("server/index.py").is_long
    assert not is_long(tool_call("short"))
    assert is_long(tool_call("x" * 4_001))


def test_a_long_call_is_stopped_with_a_reason_for_the_model(covel):
    hook = covel.module("server/index.py").pre_tool_use
    result = resolved(hook(make_hook_context("PreToolUse"), tool_call("x" * 4_001)))
    assert "Shorten them" in result.reason
