"""Closed, narrow and full standard streams, and packages that write to them behind the host."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.support import SCRIPT, copy_echo, with_entry

RUN = ("run", "echo-demo", "--trust", "echo-demo", "--payload", '{"value": "x"}')
ECHO = (
    "from plugin_sdk import hookimpl, tool\n"
    "{at_import}\n"
    "@tool(name='echo-value')\n"
    "async def echo_value(value: str) -> object:\n"
    "    '''Echo.'''\n"
    "    {in_tool}\n"
    "    return value\n"
    "@hookimpl\n"
    "def register_tools():\n"
    "    return [echo_value]\n"
)


def through_shell(redirection: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """One call of the program whose streams a shell changes, as in `covel … >&-`."""
    return subprocess.run(
        ["sh", "-c", f'"$0" "$@" {redirection}', SCRIPT, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=60,
    )


def log_text(home: Path) -> str:
    return (home / "logs" / "covel.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_closed_streams_stop_no_run(
    plugins: Path, redirection: str, options: Sequence[str]
) -> None:
    copy_echo(plugins)
    done = through_shell(redirection, *RUN, *options)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [("version",), ("--help",), ("plugins", "list", "--json"), RUN, (*RUN, "--json")]
)
def test_an_output_that_cannot_be_written_is_said_in_one_line(
    plugins: Path, arguments: Sequence[str]
) -> None:
    # A run without text prints its result only where there is one.
    with_entry(plugins, "echo-demo", ECHO.format(at_import="", in_tool="pass"))
    done = through_shell(">/dev/full", *arguments)
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    if arguments != RUN:
        assert done.returncode == 1
        assert "error: Standard output cannot be written: No space left" in done.stderr


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-"])
def test_without_standard_error_the_document_and_the_exit_code_are_the_same(
    plugins: Path, redirection: str
) -> None:
    copy_echo(plugins)
    done = through_shell(redirection, *RUN, "--json")
    assert (done.returncode, json.loads(done.stdout)["committed"]) == (0, True)
    refused = through_shell(redirection, "run", "nowhere", "--json")
    assert (refused.returncode, json.loads(refused.stdout)["error"]["code"]) == (
        1,
        "package-not-found",
    )
    misused = through_shell(redirection, "run", "--nonsense", "--json")
    assert (misused.returncode, json.loads(misused.stdout)["error"]["code"]) == (2, "usage")


def test_a_reader_of_standard_error_that_goes_away_changes_no_exit_code(plugins: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(
            [SCRIPT, "run", "nowhere", "--json"],
            stdout=subprocess.PIPE,
            stderr=closed,
            timeout=60,
        )
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "package-not-found"


@pytest.mark.parametrize("encoding", ["latin-1:strict", "cp1252", "ascii"])
def test_a_document_is_utf_8_and_a_text_can_always_be_shown(
    plugins: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    manifest = copy_echo(plugins) / "PLUGIN.md"
    manifest.write_text(manifest.read_text().replace("Echoes", "☃ 😀 echoes"), encoding="utf-8")
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    shown = subprocess.run([SCRIPT, "plugins", "show", "echo-demo"], capture_output=True)
    assert (shown.returncode, shown.stderr) == (0, b"")
    listed = subprocess.run([SCRIPT, "plugins", "show", "echo-demo", "--json"], capture_output=True)
    assert "☃ 😀" in json.dumps(json.loads(listed.stdout.decode("utf-8")), ensure_ascii=False)


BEHIND = {
    "descriptor": "__import__('os').write(1, b'JUNK\\n')",
    "original": "print('JUNK', file=__import__('sys').__stdout__, flush=True)",
    "program": "__import__('subprocess').run(['echo', 'JUNK'])",
    "at-exit": "__import__('atexit').register(print, 'JUNK')",
}


@pytest.mark.parametrize("place", ["at_import", "in_tool"])
@pytest.mark.parametrize("code", BEHIND.values(), ids=BEHIND)
def test_what_packages_write_to_standard_output_spoils_no_document(
    plugins: Path, code: str, place: str
) -> None:
    fields = {"at_import": "", "in_tool": "", place: code}
    with_entry(plugins, "echo-demo", ECHO.format(**fields))
    done = through_shell("", *RUN, "--json")
    assert (done.returncode, json.loads(done.stdout)["committed"]) == (0, True)
    assert "JUNK" not in done.stdout + done.stderr


def test_what_programs_of_packages_print_is_in_the_log(plugins: Path, home: Path) -> None:
    with_entry(plugins, "echo-demo", ECHO.format(at_import=BEHIND["program"], in_tool=""))
    assert through_shell("", *RUN).returncode == 0
    assert "JUNK\n" in log_text(home)


@pytest.mark.parametrize("code", ["os.close(1)", "sys.__stdout__.close()", "sys.stdout.close()"])
def test_a_package_that_closes_standard_output_closes_its_own(plugins: Path, code: str) -> None:
    with_entry(plugins, "echo-demo", ECHO.format(at_import=f"import os, sys; {code}", in_tool=""))
    done = through_shell("", *RUN, "--json")
    assert (done.returncode, json.loads(done.stdout)["committed"]) == (0, True)


STRAY = {
    "thread": "__import__('threading').Thread(target=lambda: 1 / 0).start()",
    "warning": "__import__('warnings').warn('ZeroDivisionError \\x1b[2J')",
    "del": "type('A', (), {'__del__': lambda self: 1 / 0})()",
}


@pytest.mark.parametrize("code", STRAY.values(), ids=STRAY)
def test_errors_that_nobody_can_catch_go_to_the_log(plugins: Path, home: Path, code: str) -> None:
    with_entry(plugins, "echo-demo", ECHO.format(at_import=code, in_tool=""))
    done = through_shell("", *RUN, "--json")
    assert done.returncode == 0
    assert "ZeroDivisionError" not in done.stderr
    assert "ZeroDivisionError" in log_text(home)


def test_an_error_at_the_end_of_the_process_goes_to_the_crash_log(
    plugins: Path, home: Path
) -> None:
    code = "__import__('atexit').register(lambda: 1 / 0)"
    with_entry(plugins, "echo-demo", ECHO.format(at_import=code, in_tool=""))
    done = through_shell("", *RUN, "--json")
    assert "Traceback" not in done.stderr
    assert "ZeroDivisionError" in (home / "logs" / "crash.log").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments", [(*RUN, "--json"), ("models", "--json"), ("doctor", "--json")]
)
def test_a_working_folder_that_is_gone_is_no_error(
    plugins: Path, tmp_path: Path, arguments: Sequence[str]
) -> None:
    copy_echo(plugins)
    gone = tmp_path / "gone"
    gone.mkdir()
    leave = f'cd "{gone}"; rmdir "{gone}"; exec "$0" "$@"'
    done = subprocess.run(["sh", "-c", leave, SCRIPT, *arguments], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
