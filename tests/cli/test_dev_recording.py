"""A recording of `covel dev` over a rename-save, a syntax error, its repair, a manifest error."""

import os
from pathlib import Path

from tests.cli.dev_process import DevProcess, covel_dev, without_times
from tests.cli.support import ROOT, copy_echo

RECORDING = ROOT / "tests" / "golden" / "dev" / "recording.txt"
GUIDE = ROOT / "docs" / "developing.md"
ENTRY, MANIFEST = "server/index.py", "PLUGIN.md"

# `UPDATE_GOLDEN=1 pytest …` rewrites the recording; the difference is then reviewed.
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


def save(path: Path, old: str, new: str) -> None:
    """As most editors do: the new text is written beside the file and renamed over it."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text.replace(old, new, 1), encoding="utf-8")
    draft.replace(path)


STEPS = (
    ("a parameter is added, saved by renaming", ENTRY, "\n) -> ", "\n    times: int = 1,\n) -> "),
    ("a syntax error", ENTRY, "return {", "return ({"),
    ("its repair", ENTRY, "return ({", "return {"),
    ("a manifest error", MANIFEST, "maxSteps: 2", "maxSteps: two"),
    ("its repair", MANIFEST, "maxSteps: two", "maxSteps: 3"),
    ("another prompt", MANIFEST, "`echo-value` once", "`echo-value` twice"),
    ("a tool that is registered and not declared", MANIFEST, "  tools: [echo", "  forms: [echo"),
)


def block(title: str, dev: DevProcess) -> str:
    lines = dev.until("after the edit")
    return "".join(f"{line}\n" for line in [f"# {title}", *lines])


def recorded(dev: DevProcess, package: Path) -> str:
    blocks = [f"{dev.line()}\n"]
    for title, file, old, new in STEPS:
        save(package / file, old, new)
        blocks.append(block(title, dev))
    (package / "PLUGIN.md.disabled").touch()
    blocks.append(block("the package is disabled", dev))
    return without_times("\n".join(blocks))


def test_the_recording_is_what_was_reviewed(home: Path, tmp_path: Path) -> None:
    package = copy_echo(tmp_path / "drafts")
    with covel_dev(package) as dev:
        shown = recorded(dev, package)
        assert dev.end() == 0
    if UPDATE:
        RECORDING.parent.mkdir(exist_ok=True)
        RECORDING.write_text(shown, encoding="utf-8")
    assert shown == RECORDING.read_text(encoding="utf-8")


def test_the_guide_shows_blocks_of_the_recording() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    blocks = guide.split("```text\n")[1:]
    shown = [block.split("```")[0] for block in blocks if block.startswith("# ")]
    assert shown
    recording = RECORDING.read_text(encoding="utf-8")
    for block in shown:
        assert block in recording
