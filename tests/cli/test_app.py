"""The program as a whole: names, help, errors, exit codes."""

import asyncio
import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from covel_host import __version__
from covel_host.base.errors import HostError
from covel_host.cli import app
from tests.cli.support import SCRIPT, Covel, copy_echo, covel_process


@pytest.mark.parametrize("name", app.COMMANDS)
def test_each_command_says_what_the_table_of_commands_says(name: str) -> None:
    command = importlib.import_module(f"covel_host.cli.{name.replace('-', '_')}").command
    assert command.name == name
    assert command.help == app.COMMANDS[name]


@pytest.mark.parametrize("name", app.COMMANDS)
def test_each_command_has_short_help_and_json(name: str) -> None:
    command = importlib.import_module(f"covel_host.cli.{name.replace('-', '_')}").command
    leaves = command.commands.values() if isinstance(command, click.Group) else [command]
    for leaf in leaves:
        options = [option for parameter in leaf.params for option in parameter.opts]
        # A game is for a person at a terminal.
        assert "--json" in options or leaf.name == "play", leaf.name


def test_help_names_every_command(covel: Covel) -> None:
    shown = covel("-h")
    assert shown.code == 0
    assert all(name in shown.out for name in app.COMMANDS)


def test_a_misspelt_command_is_a_usage_error_that_names_the_nearest(covel: Covel) -> None:
    refused = covel("plugin", "list")
    assert refused.code == 2
    assert "Did you mean 'plugins'?" in refused.err
    assert refused.out == ""


def test_with_json_a_usage_error_is_a_document_too(covel: Covel) -> None:
    refused = covel("plugins", "list", "--json", "--nonsense")
    assert refused.code == 2
    assert refused.json["error"]["code"] == "usage"
    assert "--nonsense" in refused.json["error"]["message"]


def test_version_states_host_and_python(covel: Covel) -> None:
    assert covel("version").out.startswith(f"covel {__version__} (Python 3.")
    assert covel("version", "--json").json["covel"] == __version__


def raising(error: BaseException) -> click.Command:
    def fail(*, as_json: bool) -> None:
        raise error

    options = [click.Option(["--json", "as_json"], is_flag=True)]
    return click.Command("version", callback=fail, params=list(options))


def use(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    monkeypatch.setattr("covel_host.cli.version.command", raising(error))


def test_an_error_is_shown_with_its_advice(covel: Covel, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, HostError("It is wrong.", code="wrong", hint="Mend it."))
    refused = covel("version")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == "error: It is wrong.\n  Mend it.\n"


def test_an_error_as_json_has_code_message_and_hint(
    covel: Covel, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, HostError("It is wrong.", code="wrong", hint="Mend it."))
    assert covel("version", "--json").json == {
        "error": {"code": "wrong", "message": "It is wrong.", "hint": "Mend it."}
    }


def test_an_internal_error_goes_to_the_log_and_names_it(
    covel: Covel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, KeyError("lost"))
    refused = covel("version", "--json")
    log = home / "logs" / "crash.log"
    assert refused.code == 3
    assert "Traceback" not in refused.err
    assert str(log) in refused.err
    assert refused.json["error"]["code"] == "internal-error"
    assert "Traceback" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("error", [SystemExit(5), GeneratorExit(), asyncio.CancelledError()])
def test_what_is_no_exception_is_an_internal_error_too(
    covel: Covel, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    use(monkeypatch, error)
    refused = covel("version", "--json")
    assert refused.code == 3
    assert refused.json["error"]["code"] == "internal-error"


@pytest.mark.parametrize(
    "command",
    [("validate-plugin", "."), ("dev", "."), ("plugins", "list", "--plugins-dir", ".")],
    ids=" ".join,
)
def test_a_working_directory_that_is_gone_is_said_to_be(
    covel: Covel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    failed = covel(*command, "--json")
    assert (failed.code, failed.json["error"]["code"]) == (1, "working-directory-gone")


@pytest.mark.parametrize("command", ["install", "run", "dev"])
def test_a_home_of_nobody_is_no_internal_error(covel: Covel, command: str) -> None:
    assert covel(command, "~no-such-person/moss").code in (1, 2)


def test_an_internal_error_that_cannot_be_kept_is_still_told(
    covel: Covel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(error: BaseException) -> Path:
        raise RuntimeError("nothing can be opened")

    monkeypatch.setattr("covel_host.cli.crash_log.write_crash", fail)
    use(monkeypatch, KeyError("lost"))
    refused = covel("version", "--json")
    assert refused.code == 3
    assert refused.json["error"]["hint"] == "The details could not be kept (RuntimeError)."


def test_a_key_never_reaches_the_crash_log(
    covel: Covel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_API_KEY", "sk-0123456789")
    use(monkeypatch, KeyError("sk-0123456789"))
    assert covel("version").code == 3
    assert "[key]" in (home / "logs" / "crash.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()], ids=["ctrl-c", "abort"])
def test_a_person_may_end_a_command(
    covel: Covel, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    use(monkeypatch, error)
    ended = covel("version", "--json")
    assert ended.code == 1
    assert ended.json["error"]["code"] == "aborted"


def test_the_installed_program_answers(home: Path) -> None:
    shown = covel_process("version")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("covel ")


def test_a_reader_that_goes_away_is_no_error(plugins: Path) -> None:
    for number in range(30):
        copy_echo(plugins, f"echo-{number}")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(
            [SCRIPT, "plugins", "list"], stdout=closed, stderr=subprocess.PIPE, timeout=60
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_without_utf_8_is_no_error(plugins: Path) -> None:
    manifest = copy_echo(plugins) / "PLUGIN.md"
    manifest.write_text(manifest.read_text().replace("Echoes", "Écho ☃ echoes"), encoding="utf-8")
    shown = subprocess.run(
        [SCRIPT, "plugins", "show", "echo-demo"],
        env={**os.environ, "PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0"},
        capture_output=True,
        timeout=60,
    )
    assert (shown.returncode, shown.stderr) == (0, b"")


def test_the_module_can_be_run_from_any_interpreter(home: Path) -> None:
    code = "from covel_host.cli.app import main; main(['version'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 0


def test_a_name_that_is_no_text_is_an_error_like_any_other(covel: Covel) -> None:
    for arguments in (("plugins", "show", "\udcff"), ("run", "./\udcff"), ("tools", "a\x1b[2J")):
        refused = covel(*arguments, "--json")
        assert refused.code == 1
        assert refused.json["error"]["code"] == "package-not-found"
        assert "\x1b" not in refused.err
