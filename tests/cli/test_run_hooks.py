"""`covel run` where hooks have changed what a call gave, or could not."""

from pathlib import Path

from tests.cli.support import Covel, call, write_package, write_script

BELLS = """\
---
description: Rings.
contributes:
  tools: [ring]
  hooks: [{ event: PostToolUse }]
runtime:
  schedule: { trigger: { type: manual } }
  agent: { tools: { plugin: [ring], builtin: [runtime-done] } }
---
Ring.
"""
CODE = """
from plugin_sdk import ToolError, hookimpl, proceed, tool

@tool
async def ring(loud: bool) -> object:
    '''Ring.'''
    if loud:
        raise ToolError("refused", "The tower sleeps.")
    return {"rang": True}

@hookimpl
def register_tools():
    return [ring]

@hookimpl
async def post_tool_use(call):
    if call.name == "ring":
        return proceed(replace={"result": {"rang": "softly"}})
"""


def test_a_replaced_result_is_shown_and_an_unusable_answer_warned_of(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    write_package(plugins, "bells", BELLS, CODE)
    script = write_script(
        tmp_path / "rings.json",
        {
            "calls": [
                *call("ring", {"loud": False})["calls"],
                *call("ring", {"loud": True})["calls"],
            ]
        },
        call("runtime-done"),
    )
    run = ("run", "bells", "--trust", "bells", "--model", script)
    shown = covel(*run).err.splitlines()
    at = shown.index('< ring {"data":{"rang":true}}')
    assert shown[at + 1] == '< ring, replaced by a hook: {"data":{"rang":"softly"}}'
    told = covel(*run, "--json").json
    quiet, loud, _ = told["toolCalls"]
    assert quiet["result"] == {"rang": "softly"}
    assert loud["error"] == {"code": "refused", "message": "The tower sleeps.", "refused": True}
    (warning,) = told["warnings"]
    assert "'result' cannot be replaced: the call failed (refused)" in warning
