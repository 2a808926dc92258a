from pathlib import Path

import pytest

from covel_host.catalog.loading import LoadOutcome
from tests.catalog.builders import (
    entry_source,
    leftovers,
    load_now,
    names,
    only,
    tools_manifest,
    write_package,
)


def load_tools(root: Path, source: str, *declared: str) -> LoadOutcome:
    package = write_package(
        root / "moss-ledger",
        {"server/index.py": source},
        manifest=tools_manifest(*declared) if declared else "",
    )
    outcome = load_now(package)
    assert leftovers("moss-ledger") == []
    return outcome


def returning(value: str) -> str:
    return (
        f"from plugin_sdk import hookimpl, tool\n@hookimpl\ndef register_tools(): return {value}\n"
    )


def test_an_undeclared_tool_is_named_at_its_function(tmp_path: Path) -> None:
    found = only(load_tools(tmp_path, entry_source("count")))
    assert (found.name, found.file, found.line) == (
        "registration-undeclared",
        "server/index.py",
        3,
    )
    assert found.hint == "Add 'count' to `contributes.tools` in PLUGIN.md."


def test_a_missing_tool_is_named_in_the_manifest(tmp_path: Path) -> None:
    found = only(load_tools(tmp_path, entry_source("count"), "count", "gone"))
    assert (found.name, found.file, found.path) == (
        "registration-missing",
        "PLUGIN.md",
        "contributes.tools.1",
    )
    assert found.line == 4


def test_an_entry_without_hooks_lacks_every_declared_tool(tmp_path: Path) -> None:
    assert names(load_tools(tmp_path, "", "count", "gone")) == ["registration-missing"] * 2


def test_a_name_registered_twice_is_a_duplicate(tmp_path: Path) -> None:
    found = only(load_tools(tmp_path, entry_source("count", "count"), "count"))
    assert found.name == "registration-duplicate"
    assert found.message == "The tool 'count' is registered twice."


def test_a_reserved_name_is_refused(tmp_path: Path) -> None:
    source = entry_source("emit_event", "count")
    found = only(load_tools(tmp_path, source, "count"))
    assert (found.name, found.line) == ("registration-reserved", 3)
    assert found.message == "The tool name 'emit-event' belongs to the framework."


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("None", "None"),
        ("5", "5"),
        ("'count'", "'count'"),
        ("{'count': 1}", "{'count': 1}"),
        ("(one for one in [])", "<generator object"),
        ("type('Bad', (), {'__repr__': lambda self: 1 / 0})()", "a value of type 'Bad'"),
        ("'x' * 10_000_000", "'xxx"),
    ],
)
def test_what_is_no_list_is_invalid_and_hides_no_missing_tool(
    tmp_path: Path, value: str, shown: str
) -> None:
    found = only(load_tools(tmp_path, returning(value), "count"))
    assert (found.name, found.line) == ("registration-invalid", 2)
    assert found.message.startswith(f"'register_tools' returned {shown}")
    assert found.message.endswith("; it must return a list of tools.")
    assert len(found.message) < 200


def test_a_plain_function_in_the_list_is_no_tool(tmp_path: Path) -> None:
    source = "def count(): ...\n" + returning("[count, 3]")
    outcome = load_tools(tmp_path, source)
    assert [(found.name, found.line, found.hint) for found in outcome.diagnostics] == [
        ("registration-invalid", 1, "Put @tool above the function."),
        ("registration-invalid", 3, "The list holds what @tool made."),
    ]


@pytest.mark.parametrize("value", ["[count]", "(count,)", "{count}", "frozenset({count})"])
def test_every_collection_of_tools_will_do(tmp_path: Path, value: str) -> None:
    source = entry_source("count").rpartition("[count]")[0] + value
    assert load_tools(tmp_path, source, "count").generation is not None


@pytest.mark.parametrize("error", ["ValueError('no')", "SystemExit(3)", "BaseException('x')"])
def test_a_hook_that_raises_is_invalid_at_its_line(tmp_path: Path, error: str) -> None:
    source = (
        "from plugin_sdk import hookimpl\n"
        "@hookimpl\ndef register_wires(): ...\n"
        f"@hookimpl\ndef register_tools():\n    raise {error}\n"
    )
    outcome = load_tools(tmp_path, source, "count")
    assert [(found.name, found.line) for found in outcome.diagnostics] == [
        ("not-supported-yet", 2),
        ("registration-invalid", 6),
    ]
    assert outcome.diagnostics[1].message.startswith("The hook 'register_tools' failed: ")


@pytest.mark.parametrize("hook", ["register_tools():\n    yield 1", "register_toolz(): return []"])
def test_a_hook_that_was_meant_and_is_wrong_hides_what_would_be_missing(
    tmp_path: Path, hook: str
) -> None:
    source = f"from plugin_sdk import hookimpl\n@hookimpl\ndef {hook}\n"
    only(load_tools(tmp_path, source, "count"))


def test_the_registrar_has_what_the_seed_lists_and_no_store(tmp_path: Path) -> None:
    source = (
        "from plugin_sdk import hookimpl\n"
        "@hookimpl\ndef register_tools(covel):\n"
        "    assert (covel.plugin_id, covel.version) == ('moss-ledger', '1.2.0')\n"
        "    assert not covel.signal.cancelled\n"
        "    assert not hasattr(covel, 'store')\n"
        "    covel.logger.info('loading', count=1)\n"
        "    assert not covel.http.validate_base_url('https://example.org').ok\n"
        "    try:\n        covel.on_dispose(5)\n"
        "    except TypeError:\n        return []\n"
    )
    package = write_package(
        tmp_path / "moss-ledger", {"server/index.py": source}, manifest="version: 1.2.0\n"
    )
    outcome = load_now(package)
    assert outcome.diagnostics == ()
    assert outcome.generation is not None


def test_a_tool_around_a_wrapper_of_a_library_is_found_at_what_it_wraps(tmp_path: Path) -> None:
    source = (
        "import contextlib\nfrom plugin_sdk import hookimpl, tool\n\n"
        "@contextlib.contextmanager\ndef held(): yield\n\n"
        "@tool\n@held()\ndef count() -> int:\n    return 1\n"
        "@hookimpl\ndef register_tools(): return [count]\n"
    )
    found = only(load_tools(tmp_path, source))
    assert (found.name, found.file, found.line) == ("registration-undeclared", "server/index.py", 7)
