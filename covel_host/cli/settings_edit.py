"""One list of `settings.toml` changed, everything else left as it was written."""

import contextlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from covel_host.base.errors import HostError
from covel_host.base.json_text import dump_json
from covel_host.catalog.installation_lock import locked_folder
from covel_host.settings import SettingsError, parse_settings, read_settings_file


class SettingsNotChanged(HostError):
    """The file cannot be changed by a program; the hint says what to write in it."""


def set_disabled(path: Path, plugin_id: str, *, is_disabled: bool) -> bool:
    """Put the ID in the list `disabled` of the settings file, or take it out; whether that changed.

    Raises:
        SettingsError: the file holds something that cannot be used.
        SettingsNotChanged: it cannot be written, or not without changing more than the list.
        FolderBusyError: another process kept its folder.
    """
    try:
        with locked_folder(path.parent):
            before = read_settings_file(path).disabled
            if (plugin_id in before) is is_disabled:
                return False
            kept = [name for name in before if name != plugin_id]
            names = [*kept, plugin_id] if is_disabled else kept
            _write(path, _with_disabled(path, names))
    except OSError as error:
        raise _not_changed(path, str(error.strerror or error), plugin_id) from error
    return True


def _with_disabled(path: Path, names: Sequence[str]) -> str:
    """The file's text with this list; proven to say the same otherwise."""
    text = path.read_bytes().decode("utf-8") if path.exists() else ""
    line = f"disabled = [{', '.join(dump_json(name) for name in names)}]\n"
    start, end = _place(text)
    if start == end and text and not text.endswith("\n"):
        line = f"\n{line}"
    changed = text[:start] + line + text[end:]
    wanted = replace(parse_settings(text, str(path)), disabled=tuple(names))
    try:
        is_right = parse_settings(changed, str(path)) == wanted
    except SettingsError:
        is_right = False
    if not is_right:
        raise _not_changed(path, "the list `disabled` is written in an unusual way", *names)
    return changed


def _place(text: str) -> tuple[int, int]:
    """Where the list `disabled` is written, with its line end; the end of the text without one.

    The file has no tables, so the key stands at the beginning of a line, and its value ends with
    the first line up to which the text is TOML of its own.
    """
    import tomllib

    start = 0
    lines = text.splitlines(keepends=True)
    for place, line in enumerate(lines):
        key, equals, _ = line.partition("=")
        if equals and key.strip().strip("\"'") == "disabled":
            end = start
            for more in lines[place:]:
                end += len(more)
                with contextlib.suppress(tomllib.TOMLDecodeError):
                    tomllib.loads(text[start:end])
                    return start, end
        start += len(line)
    return len(text), len(text)


def _write(path: Path, text: str) -> None:
    # A link stays one: what it leads to is replaced.
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o644)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _not_changed(path: Path, why: str, *names: str) -> SettingsNotChanged:
    listed = ", ".join(dump_json(name) for name in names)
    return SettingsNotChanged(
        f"{str(path)!r} was not changed: {why}.",
        code="settings-not-changed",
        hint=f"Change the list `disabled` in it by hand, such as disabled = [{listed}].",
    )
