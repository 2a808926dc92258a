"""`covel plugins show`: where things are declared and registered, hooks, needs, trust."""

from pathlib import Path

from tests.cli.support import Covel, write_package

MANIFEST = """---
description: Keeps notes.
python: { requires: ">=3.11", dependencies: ["click>=8", "no-such-library-of-anyone"] }
contributes:
  tools:
    - look
    - write
  hooks:
    - { event: PreToolUse, enforce: pre }
    - { event: PreToolUse }
    - { event: TurnStart }
---
"""
CODE = """from plugin_sdk import hookimpl, tool

@tool(read_only=True)
def look() -> str:
    '''Look.'''
    return ""

@tool
def write() -> str:
    '''Write.'''
    return ""

@hookimpl(event="pre_tool_use")
async def second(ctx, call): ...

@hookimpl(event="pre_tool_use", order="pre", timeout_ms=100)
async def first(ctx, call): ...

@hookimpl
async def turn_start(ctx): ...

@hookimpl
def register_tools():
    return [look, write]
"""


def test_each_contribution_has_its_places(covel: Covel, plugins: Path) -> None:
    manifest = MANIFEST.replace(', "no-such-library-of-anyone"', "")
    write_package(plugins, "notes", manifest, CODE)
    shown = covel("plugins", "show", "notes", "--json").json
    assert shown["declared"][:2] == [
        {"group": "tools", "name": "look", "place": {"file": "PLUGIN.md", "line": 6}},
        {"group": "tools", "name": "write", "place": {"file": "PLUGIN.md", "line": 7}},
    ]
    assert (shown["registered"], shown["hooks"]) == ([], [])
    covel("trust", "grant", "notes", "--yes")
    loaded = covel("plugins", "show", "notes", "--load", "--json").json
    assert loaded["registered"] == [
        {"group": "tools", "name": "look", "place": {"file": "server/index.py", "line": 3}},
        {"group": "tools", "name": "write", "place": {"file": "server/index.py", "line": 8}},
        {"group": "hooks", "name": "PreToolUse", "place": {"file": "server/index.py", "line": 13}},
        {"group": "hooks", "name": "PreToolUse", "place": {"file": "server/index.py", "line": 16}},
        {"group": "hooks", "name": "TurnStart", "place": {"file": "server/index.py", "line": 19}},
    ]
    text = covel("plugins", "show", "notes", "--load").out
    assert "  tools  look        PLUGIN.md:6   server/index.py:3\n" in text
    assert "  PLUGIN.md:9   server/index.py:13, server/index.py:16\n" in text
    assert loaded["trustState"] == "loaded"
    assert loaded["contentHash"] in text
    assert loaded["lastLoad"]["durationMs"] >= 0


def test_hooks_stand_in_the_order_of_their_calls(covel: Covel, plugins: Path) -> None:
    manifest = MANIFEST.replace(', "no-such-library-of-anyone"', "")
    write_package(plugins, "notes", manifest, CODE)
    covel("trust", "grant", "notes", "--yes")
    hooks = covel("plugins", "show", "notes", "--load", "--json").json["hooks"]
    assert [(hook["event"], hook["order"], hook["function"]) for hook in hooks] == [
        ("turn_start", "normal", "turn_start"),
        ("pre_tool_use", "pre", "first"),
        ("pre_tool_use", "normal", "second"),
    ]
    assert hooks[1]["timeoutMs"] == 100
    assert hooks[1]["place"] == {"file": "server/index.py", "line": 16}


def test_python_needs_are_met_or_say_what_to_do(covel: Covel, plugins: Path) -> None:
    write_package(plugins, "notes", MANIFEST, CODE)
    needs = covel("plugins", "show", "notes", "--json").json["python"]
    assert [(need["need"], need["isMet"]) for need in needs] == [
        ("Python >=3.11", True),
        ("click>=8", True),
        ("no-such-library-of-anyone", False),
    ]
    text = covel("plugins", "show", "notes").out
    assert "click>=8" in text
    assert "python -m pip install no-such-library-of-anyone" in text


def test_the_state_of_trust_and_why_are_shown(covel: Covel, plugins: Path) -> None:
    package = write_package(plugins, "notes", MANIFEST, CODE)
    assert "trust        discovered" in covel("plugins", "show", "notes").out
    covel("trust", "grant", "notes", "--yes")
    assert "runs: trusted by covel trust grant" in covel("plugins", "show", "notes").out
    (package / "more.py").write_text("", encoding="utf-8")
    assert "it has changed since it was trusted" in covel("plugins", "show", "notes").out
    covel("trust", "revoke", "notes")
    assert "trust        revoked" in covel("plugins", "show", "notes").out
