from pathlib import Path

import pytest

from covel_host.diagnostics.diagnostic import Diagnostic
from tests.catalog.builders import leftovers, load_entry, names, only

HEAD = "from plugin_sdk import hookimpl, tool\n\n"


def problem(root: Path, source: str, **files: str) -> Diagnostic:
    found = only(load_entry(root, HEAD + source, **files))
    assert leftovers("moss-ledger") == []
    return found


def test_an_unknown_hook_gets_the_nearest_name(tmp_path: Path) -> None:
    found = problem(tmp_path, "@hookimpl\ndef register_tolls(): return []\n")
    assert (found.name, found.line) == ("unknown-hook", 3)
    assert found.message == (
        "'register_tolls' is marked as a hook, and the host has no hook of that name."
    )
    assert found.hint == "Did you mean 'register_tools'?"


def test_a_hook_like_none_gets_all_names(tmp_path: Path) -> None:
    found = problem(tmp_path, "@hookimpl\ndef zzz(): return []\n")
    assert found.hint is not None
    assert found.hint.startswith("Hooks: register_tools, ")


@pytest.mark.parametrize("name", ["register_tools", "on_unload", "pre_tool_use"])
def test_an_unmarked_function_named_like_a_hook_is_reported(tmp_path: Path, name: str) -> None:
    found = problem(tmp_path, f"def {name}(): return []\n")
    assert (found.name, found.line) == ("unknown-hook", 3)
    assert found.message == (
        f"{name!r} is named like a hook and not marked with @hookimpl, so it is never called."
    )


def test_an_unmarked_function_under_the_name_of_a_hook_is_reported(tmp_path: Path) -> None:
    found = problem(tmp_path, "def make(): return []\nregister_tools = make\n")
    assert "'register_tools' is named like a hook" in found.message


def test_an_unmarked_helper_from_elsewhere_is_none_of_the_packages(tmp_path: Path) -> None:
    source = (
        "import sys, types\n"
        "elsewhere = types.FunctionType(compile('def session_start(): ...', 'lib.py', 'exec')"
        ".co_consts[0], globals(), 'session_start')\n"
        "session_start = elsewhere\n"
        "@hookimpl\ndef register_tools(): raise ValueError('reached')\n"
    )
    assert "reached" in problem(tmp_path, source).message


def test_a_marked_alias_counts_once(tmp_path: Path) -> None:
    source = (
        "@hookimpl\ndef register_tools(): raise ValueError('called')\n\nanother = register_tools\n"
    )
    assert "called" in problem(tmp_path, source).message


def test_a_second_name_does_not_make_a_hook(tmp_path: Path) -> None:
    found = problem(tmp_path, "@hookimpl\ndef make_all(): return []\nregister_tools = make_all\n")
    assert found.name == "unknown-hook"
    wanted = "A second name does not count: give the function itself the name 'register_tools'."
    assert found.hint == wanted


def test_a_hook_imported_from_another_module_counts(tmp_path: Path) -> None:
    found = problem(
        tmp_path,
        "from .hooks import register_tools\n",
        hooks=HEAD + "@hookimpl\ndef register_tools(): raise ValueError('called')\n",
    )
    assert (found.file, found.line) == ("server/hooks.py", 4)


@pytest.mark.parametrize(
    ("head", "wrong"),
    [
        ("def register_tools(ctx):", "takes 'ctx'; it takes 'covel' or nothing"),
        ("def register_tools(covel, more):", "takes 'covel', 'more'; it takes 'covel' or nothing"),
        ("def register_tools(*, covel):", "takes 'covel' by keyword only"),
        ("def register_tools(*covel):", "takes 'covel' by keyword only"),
        ("def register_tools(covel=None):", "gives 'covel' a default value"),
        ("async def register_tools(covel):", "is asynchronous; it must be a plain function"),
        ("async def on_load(covel):", "is asynchronous; it must be a plain function"),
    ],
)
def test_a_hook_of_the_wrong_shape_is_invalid(tmp_path: Path, head: str, wrong: str) -> None:
    found = problem(tmp_path, f"@hookimpl\n{head}\n    return []\n")
    assert (found.name, found.file, found.line) == ("registration-invalid", "server/index.py", 3)
    assert wrong in found.message


@pytest.mark.parametrize("head", ["def register_tools():", "async def register_tools():"])
def test_a_generator_is_invalid(tmp_path: Path, head: str) -> None:
    found = problem(tmp_path, f"@hookimpl\n{head}\n    yield []\n")
    assert found.message == ("The hook 'register_tools' is a generator; it must return a list.")


def test_a_positional_only_argument_is_right(tmp_path: Path) -> None:
    source = "@hookimpl\ndef register_tools(covel, /): raise ValueError(covel.plugin_id)\n"
    assert "ValueError: moss-ledger" in problem(tmp_path, source).message


def test_event_does_not_name_a_registration_hook(tmp_path: Path) -> None:
    found = problem(tmp_path, "@hookimpl(event='register_tools')\ndef mine(): return []\n")
    assert found.message == (
        "The hook 'register_tools' is none of the hooks that `event` names; "
        "call the function 'register_tools' itself."
    )


def test_two_functions_for_one_hook_are_a_duplicate(tmp_path: Path) -> None:
    found = problem(
        tmp_path,
        "from .one import register_tools as first\n@hookimpl\ndef register_tools(): return []\n",
        one=HEAD + "@hookimpl\ndef register_tools(): return []\n",
    )
    assert (found.name, found.line) == ("registration-duplicate", 4)


def test_hooks_for_other_contributions_are_refused_and_never_called(tmp_path: Path) -> None:
    found = problem(tmp_path, "@hookimpl\ndef register_wires(): raise ValueError\n")
    assert found.message == (
        "The hook 'register_wires' is not served by this version of the host yet."
    )


def test_an_option_no_registration_hook_has_fails_on_its_line(tmp_path: Path) -> None:
    found = problem(tmp_path, "\n@hookimpl(order='pre')\ndef register_tools(): return []\n")
    assert (found.name, found.line) == ("entry-import-failed", 4)
    assert 'DefinitionError: Hook "register_tools"' in found.message


def test_every_hook_is_looked_at_in_one_run(tmp_path: Path) -> None:
    source = (
        "@hookimpl\ndef register_tolls(): ...\n"
        "@hookimpl\ndef turn_start(weather): ...\n"
        "@hookimpl\ndef register_forms(): ...\n"
        "@hookimpl\nasync def on_load(): ...\n"
        "def on_unload(): ...\n"
    )
    assert names(load_entry(tmp_path, HEAD + source)) == [
        "registration-invalid",
        "registration-invalid",
        "unknown-hook",
        "unknown-hook",
        "unknown-hook",
    ]


def test_values_that_pretend_to_be_something_else_are_left_alone(tmp_path: Path) -> None:
    source = (
        "class Lazy:\n"
        "    @property\n    def __class__(self): raise RuntimeError('asked')\n"
        "register_wires = Lazy()\n"
        "@hookimpl\ndef register_tools(): raise ValueError('reached')\n"
    )
    assert "reached" in problem(tmp_path, source).message


def test_a_module_that_replaces_itself_is_reported(tmp_path: Path) -> None:
    found = problem(tmp_path, "import sys\nsys.modules[__name__] = object()\n")
    assert found.name == "entry-import-failed"
