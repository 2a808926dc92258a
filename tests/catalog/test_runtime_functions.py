"""The functions of handlers and guards, as loading takes them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from covel_host.catalog.loading import LoadOutcome
from covel_host.diagnostics.diagnostic import Diagnostic
from tests.catalog.builders import entry_source, leftovers, load, load_now, write_package

MANUAL = "schedule:\n  trigger: {type: manual}\n"
FUNCTION = f"---\n{MANUAL}function:\n  handler: ./handler.py\n---\n"
GUARDED = "---\nschedule:\n  stage: post-turn\nguard: ./guard.py\n---\nCount.\n"


def package(root: Path, files: dict[str, str], manifest: str = "") -> Path:
    runtimes = {
        file.rpartition("/")[0] + "/RUNTIME.md": FUNCTION if "handler" in file else GUARDED
        for file in files
        if file.startswith("runtimes/")
    }
    return write_package(root / "moss-ledger", {**runtimes, **files}, manifest=manifest)


def failed(root: Path, files: dict[str, str], manifest: str = "") -> LoadOutcome:
    outcome = load_now(package(root, files, manifest))
    assert outcome.generation is None
    assert leftovers("moss-ledger") == []
    return outcome


def only(outcome: LoadOutcome) -> Diagnostic:
    [found] = [found for found in outcome.diagnostics if found.severity == "error"]
    return found


def test_handlers_and_guards_are_loaded_without_an_entry(tmp_path: Path) -> None:
    root = package(
        tmp_path,
        {
            "runtimes/count/handler.py": "async def handle(ctx): return 1\n",
            "runtimes/weigh/handler.py": "def handle(anything): return 2\n",
            "runtimes/look/guard.py": "from ...shared import LIMIT\ndef guard(ctx): return LIMIT\n",
            "shared.py": "LIMIT = 3\n",
        },
    )

    async def run() -> None:
        generation = (await load(root)).generation
        assert generation is not None
        assert await generation.handlers["moss-ledger/count"](None) == 1
        assert generation.handlers["moss-ledger/weigh"](None) == 2
        assert generation.guards["moss-ledger/look"](None) == 3
        assert set(generation.handlers) == {"moss-ledger/count", "moss-ledger/weigh"}
        await generation.dispose()
        assert leftovers("moss-ledger") == []

    asyncio.run(run())


def test_one_module_may_serve_as_entry_handler_and_guard(tmp_path: Path) -> None:
    runtime = f"---\n{MANUAL}guard: ../../server/index.py\n---\nCount.\n"
    handled = f"---\n{MANUAL}function: {{handler: ../../server/index.py}}\n---\n"
    functions = "def handle(ctx): return guard\ndef guard(ctx): return None\n"
    root = write_package(
        tmp_path / "moss-ledger",
        {
            "server/index.py": functions,
            "runtimes/a/RUNTIME.md": runtime,
            "runtimes/b/RUNTIME.md": handled,
        },
    )

    async def run() -> None:
        generation = (await load(root)).generation
        assert generation is not None
        assert generation.handlers["moss-ledger/b"](None) is generation.guards["moss-ledger/a"]
        await generation.dispose()

    asyncio.run(run())


def test_an_inline_runtime_names_its_handler_from_the_package(tmp_path: Path) -> None:
    manifest = (
        "runtime:\n  schedule: {trigger: {type: manual}}\n  function: {handler: ./code/run.py}\n"
    )
    outcome = load_now(
        write_package(
            tmp_path / "moss-ledger",
            {"code/run.py": "def handle(ctx): return 1\n"},
            manifest=manifest,
        )
    )
    assert outcome.generation is not None
    assert list(outcome.generation.handlers) == ["moss-ledger"]


@pytest.mark.parametrize("file", ["handler.py", "guard.py"])
def test_a_module_that_raises_names_exception_file_and_line(file: str, tmp_path: Path) -> None:
    use = file.removesuffix(".py")
    found = only(failed(tmp_path, {f"runtimes/a/{file}": "x = 1\n\nraise SystemExit('no')\n"}))
    assert (found.name, found.file, found.line) == (
        "module-import-failed",
        f"runtimes/a/{file}",
        3,
    )
    assert found.message == (
        f"The {use} 'runtimes/a/{file}' of 'moss-ledger/a' was not imported: SystemExit: no."
    )


def test_a_missing_import_of_a_handler_gets_the_relative_form(tmp_path: Path) -> None:
    found = only(
        failed(
            tmp_path,
            {
                "runtimes/a/handler.py": "from tools.notes import x\ndef handle(ctx): ...\n",
                "tools/notes.py": "x = 1\n",
            },
        )
    )
    assert found.hint == "Modules of the package are imported relatively: from ...tools import …"


def test_a_module_two_runtimes_share_is_told_once(tmp_path: Path) -> None:
    shared = f"---\n{MANUAL}function: {{handler: ../shared.py}}\n---\n"
    outcome = load_now(
        write_package(
            tmp_path / "moss-ledger",
            {
                "runtimes/a/RUNTIME.md": shared,
                "runtimes/b/RUNTIME.md": shared,
                "runtimes/shared.py": "raise ValueError('x')\ndef handle(ctx): ...\n",
            },
        )
    )
    assert only(outcome).name == "module-import-failed"


@pytest.mark.parametrize(
    ("source", "said", "line", "hint"),
    [
        (
            "async def run(ctx): ...\n",
            "has no function 'handle'",
            None,
            "Rename 'run' to 'handle'.",
        ),
        ("x = 1\n", "has no function 'handle'", None, "Add 'async def handle(ctx): …'."),
        ("handle = 5\n", "has a 'handle' that is no function", None, None),
        ("\nclass handle: ...\n", "has a 'handle' that is no function", 2, None),
        ("def handle(ctx):\n    yield 1\n", "has a generator as 'handle'", 1, None),
        ("async def handle(ctx):\n    yield 1\n", "has a generator as 'handle'", 1, None),
        ("def handle(): ...\n", "cannot be called with the context as its only", 1, None),
        ("def handle(ctx, more): ...\n", "cannot be called with the context as", 1, None),
        ("def handle(*, ctx): ...\n", "cannot be called with the context as its only", 1, None),
    ],
)
def test_an_unfit_function_is_told_with_its_place(
    source: str, said: str, line: int | None, hint: str | None, tmp_path: Path
) -> None:
    found = only(failed(tmp_path, {"runtimes/a/handler.py": source}))
    assert (found.name, found.file, found.line) == (
        "runtime-function-invalid",
        "runtimes/a/handler.py",
        line,
    )
    assert said in found.message
    assert found.hint == hint


@pytest.mark.parametrize(
    "source",
    [
        "def handle(ctx, more=1): ...\n",
        "def handle(*args): ...\n",
        "import functools\nhandle = functools.partial(lambda more, ctx: ctx, 1)\n",
        "class Work:\n    async def __call__(self, ctx): ...\nhandle = Work()\n",
    ],
)
def test_whatever_takes_the_context_alone_will_do(source: str, tmp_path: Path) -> None:
    outcome = load_now(package(tmp_path, {"runtimes/a/handler.py": source}))
    assert outcome.generation is not None


def test_problems_of_entry_handlers_and_guards_are_told_in_one_run(tmp_path: Path) -> None:
    outcome = failed(
        tmp_path,
        {
            "server/index.py": entry_source("count"),
            "runtimes/a/handler.py": "raise ValueError('x')\ndef handle(ctx): ...\n",
            "runtimes/b/guard.py": "def guard(): ...\n",
        },
    )
    assert {found.name for found in outcome.diagnostics if found.severity == "error"} == {
        "registration-undeclared",
        "module-import-failed",
        "runtime-function-invalid",
    }


def test_a_broken_entry_hides_what_its_handlers_would_say(tmp_path: Path) -> None:
    outcome = failed(
        tmp_path,
        {
            "server/index.py": "raise ValueError('x')\n",
            "runtimes/a/handler.py": "raise ValueError('y')\ndef handle(ctx): ...\n",
        },
    )
    assert only(outcome).name == "entry-import-failed"


def test_a_module_in_a_folder_that_is_not_read_is_told(tmp_path: Path) -> None:
    runtime = f"---\n{MANUAL}function: {{handler: .hidden/run.py}}\n---\n"
    outcome = load_now(
        write_package(
            tmp_path / "moss-ledger",
            {
                "runtimes/a/RUNTIME.md": runtime,
                "runtimes/a/.hidden/run.py": "def handle(ctx): ...\n",
            },
        )
    )
    found = only(outcome)
    assert (found.name, found.path) == ("file-not-found", "function.handler")


def test_a_handler_that_hangs_is_left_behind_with_its_line(tmp_path: Path, meeting: Any) -> None:
    root = package(
        tmp_path,
        {
            "server/index.py": "x = 1\n",
            "runtimes/a/handler.py": "import meeting\nmeeting.gate.wait(30)\n",
        },
    )
    found = only(load_now(root, limit_s=0.2))
    assert (found.name, found.file, found.line) == ("entry-timeout", "runtimes/a/handler.py", 2)
    assert found.message == (
        "The handler 'runtimes/a/handler.py' of 'moss-ledger/a' did not finish loading within "
        "0.2 s."
    )
    assert leftovers("moss-ledger") == []
