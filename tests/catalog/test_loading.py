import asyncio
import gc
import logging
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from covel_host.catalog.loading import LoadOutcome
from covel_host.manifest.validation import validate_folder
from tests.catalog.builders import (
    entry_source,
    leftovers,
    load,
    load_entry,
    load_now,
    names,
    only,
    tools_manifest,
    write_package,
)


@pytest.fixture(autouse=True)
def _nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test does, a failed load leaves nothing in the interpreter."""
    yield
    assert leftovers("moss-ledger") == []


RUNTIME = "---\nschedule:\n  trigger: {type: manual}\nio:\n  payloadSchema: ../../types.json\n---\n"


async def ended(outcome: LoadOutcome) -> None:
    assert outcome.generation is not None
    await outcome.generation.dispose()


def test_a_package_is_loaded_with_its_tools(tmp_path: Path) -> None:
    root = write_package(
        tmp_path / "moss-ledger",
        {"server/index.py": entry_source("count", "total")},
        manifest=tools_manifest("count", "total"),
    )

    async def run() -> None:
        outcome = await load(root)
        assert outcome.diagnostics == ()
        assert outcome.duration_ms >= 0
        assert outcome.generation is not None
        assert list(outcome.generation.tools) == ["count", "total"]
        assert outcome.generation.tools["total"]() == 1
        await outcome.generation.dispose()

    asyncio.run(run())


def test_a_package_without_code_is_loaded(tmp_path: Path) -> None:
    outcome = load_now(write_package(tmp_path / "moss-ledger", {}))
    assert outcome.generation is not None
    assert outcome.generation.entry is None


def test_tools_without_an_entry_are_missing(tmp_path: Path) -> None:
    root = write_package(tmp_path / "moss-ledger", {}, manifest=tools_manifest("count"))
    found = only(load_now(root))
    assert (found.name, found.path) == ("registration-missing", "contributes.tools.0")


def test_several_problems_are_reported_in_one_run(tmp_path: Path) -> None:
    body = "@hookimpl\ndef register_wires(): return []\n\n@hookimpl\ndef on_laod(): ...\n"
    root = write_package(
        tmp_path / "moss-ledger",
        {
            "server/index.py": entry_source("count", "other", body=body),
            "runtimes/gather/RUNTIME.md": RUNTIME,
            "types.json": '{"type": 3}',
        },
        manifest=tools_manifest("count", "gone"),
    )
    assert names(load_now(root)) == [
        "not-supported-yet",
        "registration-missing",
        "registration-undeclared",
        "schema-unusable",
        "unknown-hook",
    ]


def test_needs_that_are_not_met_are_reported_together_and_no_code_runs(tmp_path: Path) -> None:
    root = write_package(
        tmp_path / "moss-ledger",
        {"server/index.py": "raise SystemExit"},
        manifest=(
            "covel: '>=99.0.0'\npython:\n  dependencies: [no-such-library-here]\n"
            "contributes:\n  wires: [loud]\n"
        ),
    )
    assert names(load_now(root)) == [
        "host-version-unfit",
        "not-supported-yet",
        "python-requirement-unmet",
    ]


def test_a_failed_import_names_exception_message_file_and_line(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, "x = 1\n\nraise ValueError('no moss.')\n"))
    assert found.name == "entry-import-failed"
    assert found.message == "The entry 'server/index.py' was not imported: ValueError: no moss."
    assert (found.file, found.line) == ("server/index.py", 3)


def test_an_error_in_a_helper_three_levels_deep_lands_in_that_helper(tmp_path: Path) -> None:
    outcome = load_entry(
        tmp_path,
        "from .one import x\n",
        one="from .two import x\n",
        two="from .three import x\n",
        three="\nx = {}['key']\n",
    )
    found = only(outcome)
    assert (found.file, found.line) == ("server/three.py", 2)
    assert "KeyError: 'key'." in found.message


def test_an_error_inside_a_library_lands_on_the_packages_own_line(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, "import json\n\njson.loads('{')\n"))
    assert (found.file, found.line) == ("server/index.py", 3)
    assert "JSONDecodeError: " in found.message


@pytest.mark.parametrize(
    ("source", "line", "text"),
    [
        ("x = 1\ndef broken(:\n", 2, "SyntaxError: invalid syntax"),
        ("if True:\nx = 1\n", 2, "IndentationError: expected an indented block"),
        ("x = 'open\n", 1, "SyntaxError: unterminated string literal"),
    ],
)
def test_a_syntax_error_lands_on_its_line(
    tmp_path: Path, source: str, line: int, text: str
) -> None:
    found = only(load_entry(tmp_path, "from . import helper\n", helper=source))
    assert (found.file, found.line) == ("server/helper.py", line)
    assert text in found.message


@pytest.mark.parametrize("content", [b"x = 1\nname = '\xff'\n", b"x = 1\n\x00\n"])
def test_a_module_that_is_no_text_is_reported(tmp_path: Path, content: bytes) -> None:
    root = write_package(tmp_path / "moss-ledger", {"server/index.py": ""})
    (root / "server/index.py").write_bytes(content)
    found = only(load_now(root))
    assert (found.name, found.file) == ("entry-import-failed", "server/index.py")


def test_a_wrong_definition_lands_on_the_authors_line(tmp_path: Path) -> None:
    source = (
        "from plugin_sdk import tool\n\n"
        "@tool(read_only=True, stages_writes=True)\ndef count() -> int:\n    return 1\n"
    )
    found = only(load_entry(tmp_path, "from .tools import count\n", tools=source))
    assert (found.file, found.line) == ("server/tools.py", 3)
    assert 'DefinitionError: Tool "count": read_only and stages_writes exclude' in found.message


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import sys\nsys.exit('bye')\n", "SystemExit: bye"),
        ("raise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("raise BaseException('base')\n", "BaseException: base"),
        ("import asyncio\nraise asyncio.CancelledError\n", "CancelledError"),
        ("raise GeneratorExit\n", "GeneratorExit"),
        ("raise StopIteration\n", "StopIteration"),
        ("raise TimeoutError('slow')\n", "TimeoutError: slow"),
        ("def f():\n    f()\nf()\n", "RecursionError: maximum recursion depth exceeded"),
        ("raise ExceptionGroup('two', [ValueError()])\n", "ExceptionGroup: two (1 sub-exception)"),
    ],
)
def test_whatever_an_entry_raises_is_a_diagnostic(tmp_path: Path, source: str, told: str) -> None:
    found = only(load_entry(tmp_path, source))
    assert found.name == "entry-import-failed"
    assert told in found.message
    assert found.line is not None


def test_an_error_whose_text_cannot_be_had_is_still_reported(tmp_path: Path) -> None:
    source = (
        "class Mute(Exception):\n    def __str__(self):\n        raise RuntimeError\nraise Mute\n"
    )
    found = only(load_entry(tmp_path, source))
    assert "Mute, and its text cannot be had (RuntimeError)." in found.message
    assert found.line == 4


def test_a_huge_text_is_cut_and_control_characters_are_replaced(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, r"raise ValueError('\x1b[31m\ud800\n' + 'x' * 10_000_000)"))
    assert len(found.message) < 500
    assert found.message.isprintable()
    assert found.message.endswith("….")


def test_an_absolute_import_of_an_own_module_gets_the_relative_form(tmp_path: Path) -> None:
    root = write_package(
        tmp_path / "moss-ledger",
        {
            "server/index.py": "from . import near",
            "server/near.py": "import os\nfrom tools.notes import x\n",
            "tools/notes.py": "x = 1\n",
        },
    )
    found = only(load_now(root))
    assert (found.file, found.line) == ("server/near.py", 2)
    assert found.hint is not None
    assert found.hint == "Modules of the package are imported relatively: from ..tools import …"


def test_an_absolute_import_of_a_neighbour_gets_one_dot(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, "import helper\n", helper=""))
    assert found.hint is not None
    assert "from .helper import …" in found.hint


def test_a_dot_too_few_is_told(tmp_path: Path) -> None:
    root = write_package(
        tmp_path / "moss-ledger",
        {"server/index.py": "from .tools.herbs import x\n", "tools/herbs.py": "x = 1\n"},
    )
    found = only(load_now(root))
    assert found.hint == "Modules of the package are imported relatively: from ..tools import …"


def test_the_packages_own_id_is_no_import_name(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, "from moss_ledger.tools import x\n"))
    assert found.hint is not None
    assert "imported relatively: from ..folder.module import …" in found.hint


def test_a_missing_library_gets_the_install_command(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, "import no_such_lib.part\n"))
    assert "No module named 'no_such_lib'" in found.message
    assert found.hint is not None
    assert found.hint.endswith("python -m pip install no_such_lib")


def test_a_missing_part_of_a_library_gets_no_install_command(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, "import plugin_sdk.nothing\n"))
    assert "No module named 'plugin_sdk.nothing'" in found.message
    assert found.hint is None


def test_threads_of_an_entry_do_not_keep_the_process_alive(tmp_path: Path, meeting: Any) -> None:
    source = (
        "import meeting, threading\n"
        "threading.Thread(target=meeting.gate.wait, args=(30,), name='of the entry').start()\n"
    )
    assert load_entry(tmp_path, source).generation is not None
    [thread] = [each for each in threading.enumerate() if each.name == "of the entry"]
    assert thread.daemon


def test_a_missing_own_module_gets_the_nearest_name(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, "from .helpr import x\n", helper="x = 1\n"))
    assert "ModuleNotFoundError: No module named 'server.helpr'" in found.message
    assert found.hint == "Did you mean 'server.helper'?"


def test_a_missing_name_is_told_without_private_names_and_paths(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, "from .helper import gone\n", helper=""))
    assert found.message.endswith(
        "ImportError: cannot import name 'gone' from 'server.helper' (server/helper.py)."
    )


def test_importing_the_host_is_refused_before_the_module_runs(tmp_path: Path) -> None:
    outcome = load_entry(
        tmp_path,
        "from . import inner\n",
        inner="raise ValueError\n\ndef late():\n    from covel_host.base import clock\n",
    )
    found = only(outcome)
    assert (found.name, found.file, found.line) == ("entry-import-failed", "server/inner.py", 4)
    assert found.hint == "A package imports plugin_sdk and nothing else of the host."


def test_an_entry_may_speak_of_the_host(tmp_path: Path) -> None:
    root = write_package(
        tmp_path / "moss-ledger",
        {
            "server/index.py": "from .covel_host import x\n# import covel_host\n",
            "server/covel_host.py": "x = 1\n",
        },
    )
    assert load_now(root).generation is not None


def test_an_entry_in_a_hidden_folder_is_not_found(tmp_path: Path) -> None:
    root = write_package(
        tmp_path / "moss-ledger", {".server/index.py": ""}, manifest="entry: .server/index.py\n"
    )
    assert only(load_now(root)).name == "entry-not-found"


def test_a_linked_entry_imports_from_where_the_link_stands(tmp_path: Path) -> None:
    root = write_package(
        tmp_path / "moss-ledger", {"real/main.py": "from .near import x\n", "server/near.py": "x=1"}
    )
    (root / "server/index.py").symlink_to("../real/main.py")
    assert load_now(root).diagnostics == ()


@pytest.mark.parametrize("entry", ["run/v1.2/my-entry.py", "__init__.py", "./main.py"])
def test_folders_and_files_may_have_any_name(tmp_path: Path, entry: str) -> None:
    root = write_package(
        tmp_path / "moss-ledger",
        {
            "run/v1.2/my-entry.py": "from .helper import x\nfrom ..v2 import y\n",
            "run/v1.2/helper.py": "x = 1\n",
            "run/v2.py": "y = 1\n",
            "__init__.py": "from .run import v2\n",
            "main.py": "from .run import v2\n",
        },
        manifest=f"entry: {entry}\n",
    )
    assert load_now(root).diagnostics == ()


def test_a_hanging_entry_is_left_behind_with_the_line_where_it_hangs(
    tmp_path: Path, meeting: Any
) -> None:
    source = "import meeting\n\n\nmeeting.gate.wait(30)\n"
    root = write_package(
        tmp_path / "moss-ledger",
        {"server/index.py": "from . import slow\n", "server/slow.py": source},
    )
    found = only(load_now(root, limit_s=0.2))
    assert found.name == "entry-timeout"
    assert found.message == "The entry 'server/index.py' did not finish loading within 0.2 s."
    assert (found.file, found.line) == ("server/slow.py", 4)


def test_an_entry_that_comes_back_late_publishes_nothing(tmp_path: Path, meeting: Any) -> None:
    source = (
        "import meeting\nfrom plugin_sdk import hookimpl\n\n"
        "@hookimpl\ndef on_load(covel):\n"
        "    meeting.gate.wait(30)\n"
        "    try:\n        covel.on_dispose(print)\n"
        "    except RuntimeError as error:\n        meeting.seen.append(str(error))\n"
        "    meeting.done.set()\n"
    )
    root = write_package(tmp_path / "moss-ledger", {"server/index.py": source})
    assert only(load_now(root, limit_s=0.2)).name == "entry-timeout"
    meeting.gate.set()
    assert meeting.done.wait(10)
    assert meeting.seen == ["This generation of the package has ended."]


def test_a_cancelled_load_leaves_nothing(tmp_path: Path, meeting: Any) -> None:
    source = "import meeting\nmeeting.entered.set()\nmeeting.gate.wait(30)\n"
    root = write_package(tmp_path / "moss-ledger", {"server/index.py": source})

    async def run() -> None:
        task = asyncio.ensure_future(load(root))
        await asyncio.wait({task}, timeout=0)
        assert await asyncio.to_thread(meeting.entered.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


CLEAN_UPS = (
    "def first(): covel_events.append('first')\n"
    "async def second(): covel_events.append(f'second {COVEL.signal.cancelled}')\n"
    "def third(): raise SystemExit('third')\n"
    "@hookimpl\ndef on_load(covel):\n"
    "    global COVEL\n    COVEL = covel\n"
    "    for fn in (first, second, third): covel.on_dispose(fn)\n"
)


@pytest.fixture
def events() -> Iterator[list[str]]:
    import builtins

    kept: list[str] = []
    vars(builtins)["covel_events"] = kept
    yield kept
    del vars(builtins)["covel_events"]


def test_clean_ups_run_in_reverse_after_a_failed_on_load(
    tmp_path: Path, events: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    body = CLEAN_UPS + (
        "    raise ValueError('no shelf')\n"
        "@hookimpl\ndef on_unload(): covel_events.append('unload')\n"
    )
    root = write_package(
        tmp_path / "moss-ledger",
        {"server/index.py": entry_source("count", body=body)},
        manifest=tools_manifest("count"),
    )
    found = only(load_now(root))
    assert found.name == "load-hook-failed"
    assert found.message == "'on_load' failed: ValueError: no shelf."
    assert found.file == "server/index.py"
    assert events == ["second True", "first"]
    assert [record.message for record in caplog.records] == ["A clean-up of 'moss-ledger' failed."]


def test_clean_ups_of_a_registration_hook_run_when_registration_fails(
    tmp_path: Path, events: list[str]
) -> None:
    source = (
        "from plugin_sdk import hookimpl\n\n"
        "@hookimpl\ndef register_tools(covel):\n"
        "    covel.on_dispose(lambda: covel_events.append(covel.signal.reason))\n"
        "    return 5\n"
        "@hookimpl\ndef on_load(): covel_events.append('on_load')\n"
    )
    assert only(load_entry(tmp_path, source)).name == "registration-invalid"
    assert events == ["loading failed"]


def test_a_generation_that_ends_runs_on_unload_first(tmp_path: Path, events: list[str]) -> None:
    body = CLEAN_UPS + "@hookimpl\ndef on_unload(covel): covel_events.append('unload')\n"
    root = write_package(
        tmp_path / "moss-ledger",
        {"server/index.py": entry_source("count", body=body)},
        manifest=tools_manifest("count"),
    )

    async def run() -> None:
        outcome = await load(root)
        assert events == []
        assert outcome.generation is not None
        await outcome.generation.dispose()
        await outcome.generation.dispose()

    asyncio.run(run())
    assert events == ["unload", "second True", "first"]


def test_the_same_hold_for_every_phase_that_fails(tmp_path: Path) -> None:
    phases = {
        "import": "raise ValueError",
        "hooks": "from plugin_sdk import hookimpl\n@hookimpl\nasync def on_load(): ...",
        "registration": (
            "from plugin_sdk import hookimpl\n@hookimpl\ndef register_tools(): raise ValueError"
        ),
        "comparison": entry_source("count"),
        "start": "from plugin_sdk import hookimpl\n@hookimpl\ndef on_load(): raise ValueError",
    }
    for phase, source in phases.items():
        outcome = load_entry(tmp_path / phase, "from . import near\n" + source, near="")
        assert outcome.generation is None, phase
        assert leftovers("moss-ledger") == [], phase


def test_prints_go_to_the_packages_log_and_input_is_at_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    source = (
        "import sys\nprint('one', end='')\nprint(' line\\ntwo')\nsys.stdout.write('three')\n"
        "assert sys.stdin.read() == ''\n"
        "try:\n    input('name? ')\nexcept EOFError:\n    print('nobody')\n"
    )
    root = write_package(tmp_path / "moss-ledger", {"server/index.py": source})
    with caplog.at_level(logging.INFO, logger="covel.packages.moss-ledger"):
        assert load_now(root).diagnostics == ()
    assert capsys.readouterr().out == ""
    assert [
        record.message.removeprefix("printed while loading: ") for record in caplog.records
    ] == [
        "one line",
        "two",
        "threename? nobody",
    ]


def test_an_entry_that_asks_a_person_fails_at_once(tmp_path: Path) -> None:
    found = only(load_entry(tmp_path, "\nname = input()\n"))
    assert "EOFError" in found.message
    assert found.line == 2
    assert found.hint == "Nothing can be read from standard input while a package is loaded."


def test_streams_are_back_after_loads_beside_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sys.stdout, sys.stdin

    async def run() -> None:
        roots = [
            write_package(tmp_path / f"p{number}", {"server/index.py": "print('in')\n"})
            for number in range(8)
        ]
        loads = [asyncio.ensure_future(load(root)) for root in roots]
        print("out")
        for outcome in await asyncio.gather(*loads):
            await ended(outcome)

    asyncio.run(run())
    assert (sys.stdout, sys.stdin) == before
    assert capsys.readouterr().out == "out\n"


PYDANTIC = '''
from __future__ import annotations

import contextvars
import logging
import threading
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, Field

from plugin_sdk import hookimpl, tool
from plugin_sdk.context import ToolContext

from ..shapes.notes import Note

class Sentinel:
    def held(self): return SENTINEL

SENTINEL = Sentinel()
LOG = logging.getLogger(__name__)
LOG.info("loading")
T = TypeVar("T")

class Page(BaseModel, Generic[T]):
    items: list[T]
    after: Page[T] | None = None

    def held(self): return SENTINEL

class Notes(BaseModel):
    page: Page[Note]

class Other(Generic[T]):
    def held(self): return SENTINEL

Alias = dict[str, Other[Sentinel]]
CURRENT = contextvars.ContextVar("current")
CURRENT.set(SENTINEL)
LOCAL = threading.local()
LOCAL.value = SENTINEL
THREAD = threading.Thread(target=lambda: SENTINEL)
THREAD.start()

@tool(parameters=Notes)
async def keep(ctx: ToolContext, notes: Notes) -> Page[Note]:
    """Keeps notes."""
    return notes.page

@tool
def look(ctx: ToolContext, key: Annotated[str, Field(title="Key")], n: Note | None = None) -> int:
    """Looks."""
    return 1

@hookimpl
def register_tools(covel):
    THREAD.join()
    return [keep, look]
'''


def _pydantic_package(root: Path) -> Path:
    notes = "from pydantic import BaseModel\n\nclass Note(BaseModel):\n    text: str\n"
    return write_package(
        root / "moss-ledger",
        {"server/index.py": PYDANTIC, "shapes/notes.py": notes},
        manifest=tools_manifest("keep", "look"),
    )


def test_postponed_annotations_and_models_work_inside_a_package(tmp_path: Path) -> None:
    async def run() -> None:
        outcome = await load(_pydantic_package(tmp_path))
        assert outcome.diagnostics == ()
        assert outcome.generation is not None
        keep = outcome.generation.tools["keep"]
        arguments: Any = keep.parse('{"page": {"items": [{"text": "moss"}]}}')
        assert arguments["notes"].page.items[0].text == "moss"
        await outcome.generation.dispose()

    asyncio.run(run())


def test_old_modules_go_with_their_generation(tmp_path: Path) -> None:
    root = _pydantic_package(tmp_path)
    sentinels: list[weakref.ref[object]] = []
    earlier = set(threading.enumerate())

    async def one(number: int) -> None:
        outcome = await load(root, number=number)
        assert outcome.generation is not None
        keep: Any = outcome.generation.tools["keep"]
        keep.parse('{"page": {"items": [{"text": "moss"}]}}')
        sentinels.append(weakref.ref(keep.function.__globals__["SENTINEL"]))
        await outcome.generation.dispose()

    async def run() -> None:
        for number in range(1, 31):
            await one(number)

    asyncio.run(run())
    for thread in set(threading.enumerate()) - earlier:
        thread.join(10)
    gc.collect()
    assert sum(sentinel() is not None for sentinel in sentinels) == 0
    assert [name for name in logging.root.manager.loggerDict if "moss_ledger" in name] == []


def test_modules_of_a_failed_load_go_too(tmp_path: Path) -> None:
    import builtins

    kept: list[weakref.ref[object]] = []
    earlier = set(threading.enumerate())
    vars(builtins)["covel_events"] = kept
    source = (
        "import weakref\nclass Sentinel: ...\nSENTINEL = Sentinel()\n"
        "covel_events.append(weakref.ref(SENTINEL))\nraise ValueError('x')\n"
    )
    try:
        only(load_entry(tmp_path, source))
    finally:
        del vars(builtins)["covel_events"]
    for thread in set(threading.enumerate()) - earlier:
        thread.join(10)
    gc.collect()
    assert kept[0]() is None


def test_two_generations_of_one_number_do_not_share_modules(tmp_path: Path) -> None:
    root = write_package(
        tmp_path / "moss-ledger",
        {"server/index.py": entry_source("count")},
        manifest=tools_manifest("count"),
    )

    async def run() -> None:
        first, second = await load(root), await load(root)
        assert first.generation is not None
        assert second.generation is not None
        assert first.generation.tools["count"] is not second.generation.tools["count"]
        await ended(first)
        await ended(second)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("runtime", "files", "name", "path"),
    [
        ("function: {handler: gone.py}", {}, "file-not-found", "function.handler"),
        ("function: {handler: run.py}", {"run.py": "def ("}, "python-syntax", ""),
        ("guard: gone.py", {}, "file-not-found", "guard"),
        ("guard: g.py", {"g.py": "def ("}, "python-syntax", ""),
        ("io: {output: {schema: s.json}}", {"s.json": "{"}, "json-syntax", "io.output.schema"),
        ("io: {payloadSchema: s.json}", {}, "file-not-found", "io.payloadSchema"),
    ],
)
def test_a_file_that_cannot_be_used_refuses_loading_in_the_words_of_the_validator(
    runtime: str, files: dict[str, str], name: str, path: str, tmp_path: Path
) -> None:
    manifest = f"---\nschedule: {{stage: audit}}\n{runtime}\n---\nCount.\n"
    beside = {f"runtimes/a/{file}": content for file, content in files.items()}
    root = write_package(tmp_path / "moss-ledger", {"runtimes/a/RUNTIME.md": manifest, **beside})
    outcome = load_now(root)
    errors = [found for found in outcome.diagnostics if found.severity == "error"]
    assert outcome.generation is None
    assert [(found.name, found.path) for found in errors] == [(name, path)]
    assert set(errors) <= set(validate_folder(root).diagnostics)
