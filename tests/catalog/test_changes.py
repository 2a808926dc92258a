"""What differs between two generations of a package, in words."""

import asyncio
from pathlib import Path

import pytest

from covel_host.catalog.catalog import PackageState
from covel_host.catalog.changes import Change, package_changes
from covel_host.catalog.discovery import FoundPackage
from covel_host.manifest.package import read_package
from tests.catalog.builders import entry_source, load, tools_manifest, write_package

RUNTIME = (
    "---\nschedule: {{ trigger: {{ type: manual }} }}\nio: {{ visibility: {visibility} }}\n---\n"
    "{body}\n"
)


def runtime(body: str = "Say one line.", *, visibility: str = "story") -> str:
    return RUNTIME.format(body=body, visibility=visibility)


def state(root: Path, files: dict[str, str], *, manifest: str = "") -> PackageState:
    """The package with `files` and nothing else, loaded."""
    package = root / "moss-ledger"
    for old in sorted(package.rglob("*"), reverse=True):
        old.rmdir() if old.is_dir() else old.unlink()
    write_package(package, files, manifest=manifest)

    async def loaded() -> PackageState:
        outcome = await load(package)
        assert outcome.generation is not None, [
            *outcome.diagnostics,
            *read_package(package).diagnostics,
        ]
        await outcome.generation.dispose()
        return PackageState(
            found=FoundPackage("moss-ledger", package, "community", root),
            reading=read_package(package),
            status="loaded",
            generation=outcome.generation,
        )

    return asyncio.run(loaded())


def lines(before: PackageState | None, after: PackageState | None) -> list[str]:
    return [change.line for change in package_changes(before, after)]


def test_nothing_differs_between_equal_packages(tmp_path: Path) -> None:
    files = {"server/index.py": entry_source("log"), "runtimes/a/RUNTIME.md": runtime()}
    first = state(tmp_path, files, manifest=tools_manifest("log"))
    assert lines(first, first) == []
    assert lines(first, state(tmp_path, files, manifest=tools_manifest("log"))) == []


def test_tools_come_and_go_and_change(tmp_path: Path) -> None:
    code = (
        "from plugin_sdk import hookimpl, tool\n"
        "@tool(name='log', timeout_ms={limit}, read_only={read_only})\n"
        "def log({parameters}) -> int:\n    '''{text}'''\n    return 1\n"
        "@hookimpl\ndef register_tools():\n    return [log]\n"
    )
    before = state(
        tmp_path,
        {
            "server/index.py": code.format(
                limit=500, read_only=False, parameters="a: int, b: int", text="Old."
            )
        },
        manifest=tools_manifest("log"),
    )
    after = state(
        tmp_path,
        {
            "server/index.py": code.format(
                limit=900, read_only=True, parameters="b: str, c: int = 1", text="New."
            )
        },
        manifest=tools_manifest("log"),
    )
    assert lines(before, after) == [
        (
            "tool log: description from Old. to New., side effects changed, time limit from 500 to "
            "900, parameter a removed, parameter b changed, parameter c added"
        )
    ]
    two = state(
        tmp_path,
        {"server/index.py": entry_source("count", "list")},
        manifest=tools_manifest("count", "list"),
    )
    assert lines(before, two) == ["tool count: added", "tool list: added", "tool log: removed"]


def test_runtimes_and_prompts_are_told_apart(tmp_path: Path) -> None:
    before = state(
        tmp_path, {"runtimes/a/RUNTIME.md": runtime(), "runtimes/b/RUNTIME.md": runtime()}
    )
    after = state(
        tmp_path,
        {
            "runtimes/a/RUNTIME.md": runtime("Say two lines."),
            "runtimes/a/RUNTIME.zh.md": "说一句。\n",
            "runtimes/c/RUNTIME.md": runtime(),
        },
    )
    assert lines(before, after) == [
        "runtime moss-ledger/b: removed",
        "runtime moss-ledger/c: added",
        "prompt runtimes/a/RUNTIME.md: text changed",
        "prompt runtimes/a/RUNTIME.zh.md: added",
        "prompt runtimes/b/RUNTIME.md: removed",
        "prompt runtimes/c/RUNTIME.md: added",
    ]


def test_a_field_of_a_runtime_is_named(tmp_path: Path) -> None:
    before = state(tmp_path, {"runtimes/a/RUNTIME.md": runtime()})
    after = state(tmp_path, {"runtimes/a/RUNTIME.md": runtime(visibility="system")})
    assert lines(before, after) == ["runtime moss-ledger/a: io.visibility from story to system"]


def test_a_schema_of_a_runtime_is_named(tmp_path: Path) -> None:
    manifest = runtime().replace("visibility: story", "payloadSchema: ../../p.json")
    before = state(tmp_path, {"runtimes/a/RUNTIME.md": manifest, "p.json": '{"type": "object"}'})
    after = state(tmp_path, {"runtimes/a/RUNTIME.md": manifest, "p.json": '{"type": "string"}'})
    assert lines(before, after) == ["schema payload of moss-ledger/a: content changed"]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("version: 0.1.0\n", "version: 0.2.0\n", "manifest PLUGIN.md: version from 0.1.0 to 0.2.0"),
        ("", "license: MIT\n", "manifest PLUGIN.md: license added"),
        (
            "contributes:\n  settings: [{key: pace, type: toggle, default: true, label: Pace}]\n",
            "contributes:\n  settings: [{key: pace, type: toggle, default: false, label: Pace}]\n",
            "setting pace: default from true to false",
        ),
        (
            "",
            "contributes:\n  settings: [{key: pace, type: toggle, label: Pace}]\n",
            "setting pace: added",
        ),
    ],
)
def test_what_manifests_alone_say_is_compared(
    tmp_path: Path, old: str, new: str, line: str
) -> None:
    assert lines(state(tmp_path, {}, manifest=old), state(tmp_path, {}, manifest=new)) == [line]


def test_a_package_that_comes_or_goes_brings_or_takes_everything(tmp_path: Path) -> None:
    found = state(
        tmp_path, {"server/index.py": entry_source("log")}, manifest=tools_manifest("log")
    )
    assert lines(None, found) == ["manifest PLUGIN.md: added", "tool log: added"]
    assert lines(found, None) == ["manifest PLUGIN.md: removed", "tool log: removed"]
    assert lines(None, None) == []


def test_other_insides_are_no_change(tmp_path: Path) -> None:
    def files(value: str) -> dict[str, str]:
        code = entry_source("log").replace("return 0", f"return {value}")
        return {"server/index.py": code}

    before = state(tmp_path, files("1"), manifest=tools_manifest("log"))
    after = state(tmp_path, files("2"), manifest=tools_manifest("log"))
    assert lines(before, after) == []


def test_a_change_is_one_line() -> None:
    assert Change("tool", "log", "changed", ("a added", "b removed")).line == (
        "tool log: a added, b removed"
    )
