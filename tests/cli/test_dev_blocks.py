"""The words of `covel dev` for what a reload came to, without a process."""

import io
from pathlib import Path

import pytest

from covel_host.catalog.catalog import PackageState
from covel_host.catalog.discovery import FoundPackage
from covel_host.catalog.holder import ReloadOutcome
from covel_host.catalog.watching_files import FileChange
from covel_host.catalog.watching_state import PackageChange, PackageEvent
from covel_host.cli.dev_blocks import MAX_FILES_SHOWN, reload_json, reload_text
from covel_host.cli.dev_reload import Reloaded
from covel_host.cli.dev_terminal import DevTerminal
from covel_host.diagnostics.codes import report
from covel_host.manifest.package import read_package


def state(root: Path, *problems: str) -> PackageState:
    """A package without a generation, and what is wrong with it."""
    package = root / "bell"
    package.mkdir(exist_ok=True)
    (package / "PLUGIN.md").write_text("---\ndescription: Rings.\n---\n")
    found = [
        report("entry-import-failed", message, plugin="bell", file="server/index.py")
        for message in problems
    ]
    return PackageState(
        found=FoundPackage("bell", package, "community", root),
        reading=read_package(package),
        status="error" if problems else "discovered",
        diagnostics=tuple(found),
    )


def reloaded(
    before: PackageState | None,
    after: PackageState | None,
    *files: FileChange,
    event: PackageEvent = "changed",
) -> Reloaded:
    outcome = ReloadOutcome(
        plugin_id="bell",
        before=before,
        after=after,
        is_swapped=False,
        diagnostics=() if after is None else after.diagnostics,
        duration_ms=7,
    )
    return Reloaded(change=PackageChange("bell", event, files), outcome=outcome, since_edit_ms=61)


def test_many_files_are_counted(tmp_path: Path) -> None:
    files = [FileChange(f"m{number}.py", "changed") for number in range(MAX_FILES_SHOWN + 3)]
    text = reload_text(reloaded(None, state(tmp_path, "No."), *files), colour=False)
    assert text.startswith("changed bell: m0.py, m1.py, m2.py, m3.py and 3 files more\n")


@pytest.mark.parametrize(("kind", "said"), [("added", "a.py added"), ("removed", "a.py removed")])
def test_files_that_came_or_went_say_so(tmp_path: Path, kind: str, said: str) -> None:
    file = FileChange("a.py", "added" if kind == "added" else "removed")
    text = reload_text(reloaded(None, state(tmp_path), file), colour=False)
    assert text.splitlines()[0] == f"changed bell: {said}"


def test_a_package_that_never_worked_is_not_loaded(tmp_path: Path) -> None:
    found = reloaded(None, state(tmp_path, "It raised."), event="added")
    assert (found.result, found.generation) == ("failed", None)
    lines = reload_text(found, colour=False).splitlines()
    assert lines[0] == "added bell"
    assert "It raised." in lines[1]
    assert lines[-1] == "  not loaded (7 ms, 61 ms after the edit)"


def test_a_package_that_is_gone_says_so(tmp_path: Path) -> None:
    found = reloaded(state(tmp_path), None, event="removed")
    assert found.result == "removed"
    assert reload_text(found, colour=False) == (
        "removed bell\n  gone from the host (7 ms, 61 ms after the edit)\n"
    )


def test_what_packages_wrote_does_not_steer_the_terminal(tmp_path: Path) -> None:
    file = FileChange("\x1b[2J.py", "changed")
    for colour in (False, True):
        text = reload_text(reloaded(None, state(tmp_path, "\x1b[2J"), file), colour=colour)
        assert "\x1b[2J" not in text


def test_the_json_of_a_failure_has_its_diagnostics(tmp_path: Path) -> None:
    document = reload_json(reloaded(None, state(tmp_path, "It raised.")))
    assert document["result"] == "failed"
    assert document["sinceEditMs"] == 61
    (problem,) = document["diagnostics"]  # type: ignore[misc]  # a list, as documents are objects
    assert problem["message"] == "It raised."


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_block_takes_the_place_of_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen()
    terminal = DevTerminal(screen, as_json=False, is_interactive=True)
    terminal.prompt()
    terminal.prompt()
    terminal.show("a block\n")
    terminal.prompt()
    terminal.answered()
    terminal.show("another\n")
    assert screen.getvalue() == "> \r  \ra block\n> another\n"


def test_without_a_person_there_is_no_prompt() -> None:
    for as_json, is_interactive in ((True, True), (False, False)):
        screen = Screen()
        DevTerminal(screen, as_json=as_json, is_interactive=is_interactive).prompt()
        assert screen.getvalue() == ""


def test_objects_and_words_do_not_mix(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    terminal = DevTerminal(screen, as_json=True, is_interactive=True)
    terminal.show("a block\n")
    terminal.say("a note")
    terminal.error("some-code", "It failed.", "Try again.")
    assert screen.getvalue() == (
        '{"type":"error","code":"some-code","message":"It failed.","hint":"Try again."}\n'
    )
    assert capsys.readouterr().err == ""


def test_a_reader_that_goes_away_ends_nothing() -> None:
    class Gone(Screen):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    DevTerminal(Gone(), as_json=True, is_interactive=False).emit({"type": "note"})
