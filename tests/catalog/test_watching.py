"""The watcher over real folders; each test waits for what is told, with a generous limit."""

import ctypes
import errno
import queue
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from covel_host.catalog import watching as watching_module
from covel_host.catalog import watching_native, watching_pending
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.watching import ChangeBatch, PluginWatcher
from covel_host.catalog.watching_state import PackageChange
from tests.catalog.watched import LIMIT_S, Watched, package, watching


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    folder = tmp_path / "plugins"
    folder.mkdir()
    return folder


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A longer quiet: on a loaded machine the steps of one save may lie far apart."""
    monkeypatch.setattr(watching_pending, "QUIET_S", 0.25)
    monkeypatch.setattr(watching_pending, "LONGEST_S", 5.0)


def told_only_of_the_next_edit(watched: Watched, other: Path) -> None:
    """Nothing was told before: an edit of `other` is the first that is."""
    (other / "PLUGIN.md").write_text("---\ndescription: told\n---\n")
    assert watched.summary() == f"changed {other.name} c:PLUGIN.md"


def test_an_edit_names_package_and_file(plugins: Path) -> None:
    echo = package(plugins, "echo", index="a = 1\n")
    with watching(plugins) as watched:
        (echo / "index.py").write_text("a = 2\n")
        assert watched.summary() == "changed echo c:index.py"


def test_an_edit_deep_in_a_new_folder_is_noticed(plugins: Path) -> None:
    echo = package(plugins, "echo")
    with watching(plugins) as watched:
        (echo / "runtimes" / "a").mkdir(parents=True)
        (echo / "runtimes" / "a" / "RUNTIME.md").write_text("---\n---\nGo.\n")
        assert watched.summary() == "changed echo a:runtimes/a/RUNTIME.md"
        (echo / "runtimes" / "a" / "RUNTIME.md").write_text("---\n---\nNo.\n")
        assert watched.summary() == "changed echo c:runtimes/a/RUNTIME.md"


@pytest.mark.usefixtures("patient")
def test_a_folder_dropped_in_is_added_and_one_taken_out_removed(
    plugins: Path, tmp_path: Path
) -> None:
    draft = package(tmp_path / "drafts", "echo", index="a = 1\n")
    with watching(plugins) as watched:
        shutil.move(draft, plugins / "echo")
        assert watched.summary() == "added echo a:PLUGIN.md a:index.py"
        shutil.move(plugins / "echo", draft)
        assert watched.summary() == "removed echo r:PLUGIN.md r:index.py"


def test_a_folder_moved_out_and_in_again_is_still_watched(plugins: Path, tmp_path: Path) -> None:
    echo = package(plugins, "echo", index="a = 1\n")
    with watching(plugins) as watched:
        for turn in range(3):
            shutil.move(echo, tmp_path / "away")
            assert watched.change().event == "removed"
            shutil.move(tmp_path / "away", echo)
            assert watched.change().event == "added"
            (echo / "index.py").write_text(f"a = 'turn {turn}'\n")
            assert watched.summary() == "changed echo c:index.py"


def test_another_folder_in_the_place_of_one_that_was_moved_out_is_watched(
    plugins: Path, tmp_path: Path
) -> None:
    echo = package(plugins, "echo")
    with watching(plugins) as watched:
        shutil.move(echo, tmp_path / "away")
        assert watched.change().event == "removed"
        package(plugins, "echo", "two")
        assert watched.change().event == "added"
        (tmp_path / "away" / "PLUGIN.md").write_text("---\ndescription: far away\n---\n")
        told_only_of_the_next_edit(watched, echo)


@pytest.mark.usefixtures("patient")
def test_a_renamed_package_leaves_and_comes(plugins: Path) -> None:
    echo = package(plugins, "echo")
    with watching(plugins) as watched:
        echo.rename(plugins / "bell")
        assert [(found.event, found.plugin_id) for found in watched.batch().changes] == [
            ("added", "bell"),
            ("removed", "echo"),
        ]
        (plugins / "bell" / "PLUGIN.md").write_text("---\ndescription: rings\n---\n")
        assert watched.summary() == "changed bell c:PLUGIN.md"


def test_the_mark_disables_and_enables(plugins: Path) -> None:
    echo = package(plugins, "echo")
    with watching(plugins) as watched:
        (echo / "PLUGIN.md.disabled").touch()
        assert watched.summary() == "removed echo r:PLUGIN.md"
        (echo / "PLUGIN.md.disabled").unlink()
        assert watched.summary() == "added echo a:PLUGIN.md"


def save_in_place(path: Path, text: str) -> None:
    path.write_text(text)


def save_by_rename(path: Path, text: str) -> None:
    """As editors and `os.replace` users do: the name is never missing."""
    draft = path.with_name(f".{path.name}.tmp")
    draft.write_text(text)
    draft.replace(path)


def save_like_vim(path: Path, text: str) -> None:
    """The old file becomes a backup, the new one is written, the backup goes."""
    backup = path.with_name(path.name + "~")
    path.with_name("4913").touch()
    path.with_name("4913").unlink()
    path.rename(backup)
    path.write_text(text)
    backup.unlink()


def save_by_delete(path: Path, text: str) -> None:
    path.unlink()
    path.write_text(text)


def save_through_a_link(path: Path, text: str) -> None:
    target = path.with_name(f"real_{len(text)}_{path.name}.txt")
    target.write_text(text)
    path.unlink()
    path.symlink_to(target.name)


Save: TypeAlias = Callable[[Path, str], None]
SAVES: list[Save] = [
    save_in_place,
    save_by_rename,
    save_like_vim,
    save_by_delete,
    save_through_a_link,
]


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("save", SAVES, ids=lambda save: save.__name__)
def test_every_way_of_saving_is_one_change_of_one_file(plugins: Path, save: Save) -> None:
    echo = package(plugins, "echo", index="a = 1\n")
    with watching(plugins) as watched:
        for number in range(3):
            save(echo / "index.py", f"a = {number + 2}\n")
            assert watched.summary() == "changed echo c:index.py"


def test_edits_of_equal_length_in_quick_succession_end_on_the_last(plugins: Path) -> None:
    echo = package(plugins, "echo", index="a = 0000\n")
    with watching(plugins) as watched:
        for number in range(1, 40):
            (echo / "index.py").write_text(f"a = {number:04}\n")
            # The next edit comes as soon as the one before was told, at any moment of a tick.
            assert watched.summary() == "changed echo c:index.py"


def test_who_asks_is_answered_once_everything_until_then_was_told(plugins: Path) -> None:
    echo = package(plugins, "echo", index="a = 1\n")
    told: queue.SimpleQueue[str] = queue.SimpleQueue()
    watcher = PluginWatcher(
        [PluginFolder(plugins, "community")],
        on_batch=lambda batch: told.put(batch.changes[0].plugin_id),
        on_note=told.put,
    )
    watcher.start()
    try:
        watcher.look_at("echo", lambda: told.put("nothing to tell"))
        assert told.get(timeout=LIMIT_S) == "nothing to tell"
        (echo / "index.py").write_text("a = 2\n")
        watcher.look_at("echo", lambda: told.put("looked at echo"))
        watcher.look_at("unknown", lambda: told.put("looked at nothing"))
        answers = [told.get(timeout=LIMIT_S) for _ in range(3)]
        assert sorted(answers) == ["echo", "looked at echo", "looked at nothing"]
        assert answers.index("echo") < answers.index("looked at echo")
    finally:
        watcher.close()


def test_what_changes_nothing_is_not_told(plugins: Path) -> None:
    echo, other = package(plugins, "echo", index="a = 1\n"), package(plugins, "other")
    with watching(plugins) as watched:
        (echo / "index.py").touch()
        (echo / "index.py").write_text("a = 1\n")
        (echo / "index.py").chmod(0o600)
        (echo / "PLUGIN.md").read_text()
        told_only_of_the_next_edit(watched, other)


@pytest.mark.parametrize(
    "name",
    [
        "__pycache__/index.cpython-311.pyc", "__pycache__/index.py", ".git/x.py", ".index.py.swp",
        "index.py~", "#index.py#", ".#index.py", "index.py___jb_tmp___", "4913", "README.md",
        "notes.txt", "node_modules/x.json", "sub/PLUGIN.md.disabled",
    ],
)  # fmt: skip
def test_files_that_decide_nothing_are_not_told(plugins: Path, name: str) -> None:
    echo, other = package(plugins, "echo"), package(plugins, "other")
    with watching(plugins) as watched:
        (echo / name).parent.mkdir(exist_ok=True)
        (echo / name).write_text("x")
        told_only_of_the_next_edit(watched, other)


@pytest.mark.parametrize(
    "name",
    ["a/b.py", "PLUGIN.zh.md", "runtimes/a/RUNTIME.zh.md", "schemas/a.json", "locales/x.yaml"],
)
def test_files_that_decide_something_are_told(plugins: Path, name: str) -> None:
    echo = package(plugins, "echo")
    with watching(plugins) as watched:
        (echo / name).parent.mkdir(parents=True, exist_ok=True)
        (echo / name).write_text("x")
        assert watched.summary() == f"changed echo a:{name}"


@pytest.mark.usefixtures("patient")
def test_hundreds_of_files_at_once_are_one_change_for_each_package(plugins: Path) -> None:
    roots = [package(plugins, f"p{number}") for number in range(3)]
    for root in roots:
        for number in range(100):
            (root / f"m{number}.py").write_text("a = 1\n")
    with watching(plugins) as watched:
        for root in roots:
            for number in range(100):
                # As git does: the old file goes, the new one comes.
                save_by_delete(root / f"m{number}.py", "b = 22\n")
        told: list[PackageChange] = []
        while len(told) < 3:
            told += watched.batch().changes
        assert sorted(found.plugin_id for found in told) == ["p0", "p1", "p2"]
        assert {file.kind for found in told for file in found.files} == {"changed"}
        assert sum(len(found.files) for found in told) == 300


def test_a_folder_that_appears_later_is_watched(tmp_path: Path) -> None:
    plugins = tmp_path / "home" / "deep" / "plugins"
    with watching(plugins) as watched:
        package(plugins, "echo")
        assert watched.summary() == "added echo a:PLUGIN.md"
        told_only_of_the_next_edit(watched, plugins / "echo")


def test_a_folder_moved_out_takes_its_packages_and_brings_them_back(tmp_path: Path) -> None:
    plugins = tmp_path / "plugins"
    package(plugins, "echo")
    package(plugins, "bell")
    with watching(plugins) as watched:
        for _ in range(2):
            plugins.rename(tmp_path / "away")
            assert {found.event for found in watched.batch().changes} == {"removed"}
            (tmp_path / "away").rename(plugins)
            assert {found.event for found in watched.batch().changes} == {"added"}
        told_only_of_the_next_edit(watched, plugins / "echo")


@pytest.mark.usefixtures("patient")
def test_a_folder_deleted_and_made_anew_is_watched(tmp_path: Path) -> None:
    plugins = tmp_path / "plugins"
    package(plugins, "echo")
    with watching(plugins) as watched:
        shutil.rmtree(plugins)
        assert watched.change().event == "removed"
        package(plugins, "bell")
        assert watched.change().event == "added"
        told_only_of_the_next_edit(watched, plugins / "bell")


def test_one_package_named_by_its_folder_is_watched_alone(tmp_path: Path) -> None:
    echo = package(tmp_path, "echo")
    other = package(tmp_path, "other")
    with watching(PluginFolder(tmp_path, "community", only="echo")) as watched:
        (other / "PLUGIN.md").write_text("---\ndescription: unseen\n---\n")
        told_only_of_the_next_edit(watched, echo)
        shutil.move(echo, tmp_path / "away")
        assert watched.change().event == "removed"
        shutil.move(tmp_path / "away", echo)
        assert watched.change().event == "added"
        (echo / "PLUGIN.md").write_text("---\ndescription: back\n---\n")
        assert watched.summary() == "changed echo c:PLUGIN.md"


def test_a_package_beside_a_folder_of_packages_does_not_make_it_deaf(tmp_path: Path) -> None:
    echo = package(tmp_path, "echo", index="a = 1\n")
    other = package(tmp_path, "other", index="a = 1\n")
    only = PluginFolder(tmp_path, "community", only="echo")
    with watching(only, tmp_path) as watched:
        for path in (other / "index.py", echo / "index.py"):
            path.write_text("a = 2\n")
            assert watched.summary() == f"changed {path.parent.name} c:index.py"


@pytest.mark.usefixtures("patient")
def test_a_linked_package_is_watched_where_it_lies(plugins: Path, tmp_path: Path) -> None:
    first = package(tmp_path / "a", "first")
    second = package(tmp_path / "b", "second", "other")
    with watching(plugins) as watched:
        (plugins / "echo").symlink_to(first)
        assert watched.summary() == "added echo a:PLUGIN.md"
        (first / "PLUGIN.md").write_text("---\ndescription: edited\n---\n")
        assert watched.summary() == "changed echo c:PLUGIN.md"
        (plugins / "echo").unlink()
        (plugins / "echo").symlink_to(second)
        assert watched.summary() == "changed echo c:PLUGIN.md"
        (second / "PLUGIN.md").write_text("---\ndescription: edited too\n---\n")
        assert watched.summary() == "changed echo c:PLUGIN.md"


def test_a_folder_that_is_a_link_is_watched(tmp_path: Path) -> None:
    echo = package(tmp_path / "real", "echo")
    (tmp_path / "plugins").symlink_to(tmp_path / "real")
    with watching(tmp_path / "plugins") as watched:
        told_only_of_the_next_edit(watched, echo)


def test_the_package_behind_a_hidden_one_takes_its_place(tmp_path: Path) -> None:
    first = package(tmp_path / "a", "echo", "first")
    package(tmp_path / "b", "echo", "second")
    with watching(tmp_path / "a", tmp_path / "b") as watched:
        shutil.rmtree(first)
        assert watched.summary() == "changed echo c:PLUGIN.md"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "inotify watch limit reached"), "max_user_watches"),
        (OSError(errno.EMFILE, "inotify instance limit reached"), "max_user_instances"),
        (OSError(errno.EIO, "Input/output error"), "(Input/output error)"),
        (ImportError("no watchdog here"), "(no watchdog here)"),
        (RuntimeError("can't start new thread"), "(can't start new thread)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value,
)
def test_where_the_system_cannot_watch_the_files_are_looked_at(
    plugins: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    def refuse() -> None:
        raise error

    monkeypatch.setattr(watching_native, "_new_observer", refuse)
    echo = package(plugins, "echo", index="a = 1\n")
    with watching(plugins) as watched:
        note = watched.notes.get(timeout=LIMIT_S)
        assert told in note
        assert "looked at every 0.25 s" in note
        for number in range(3):
            (echo / "index.py").write_text(f"a = {number + 2}\n")
            assert watched.summary() == "changed echo c:index.py"
        shutil.rmtree(echo)
        assert watched.change().event == "removed"


def test_a_folder_deep_in_a_tree_that_cannot_be_watched_is_seen_by_the_probe(
    plugins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from watchdog.observers import inotify_c

    package(plugins, "echo")
    limit = {"left": 3}
    add = inotify_c.inotify_add_watch

    def add_until_full(descriptor: int, path: bytes, mask: int) -> int:
        limit["left"] -= 1
        if limit["left"] < 0:
            ctypes.set_errno(errno.ENOSPC)
            return -1
        return add(descriptor, path, mask)

    monkeypatch.setattr(inotify_c, "inotify_add_watch", add_until_full)
    with watching(plugins) as watched:
        assert "max_user_watches" in watched.notes.get(timeout=LIMIT_S)
        told_only_of_the_next_edit(watched, plugins / "echo")


def test_a_network_file_system_is_looked_at_as_well(
    plugins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching_module, "silent_file_system", lambda folders: "nfs4")
    with watching(plugins) as watched:
        assert watched.notes.get(timeout=LIMIT_S) == (
            "A plugin folder lies on nfs4, which does not tell what other machines change: "
            "the files are looked at every 0.25 s as well."
        )


def test_what_was_not_noticed_is_found_by_looking(
    plugins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching_module, "SAFETY_S", 0.05)
    monkeypatch.setattr(PluginWatcher, "_notice", lambda *_: None)
    echo = package(plugins, "echo", index="a = 1\n")
    with watching(plugins) as watched:
        (echo / "index.py").write_text("a = 2\n")
        assert watched.summary() == "changed echo c:index.py"


def test_a_listener_that_fails_does_not_end_the_watching(plugins: Path) -> None:
    echo = package(plugins, "echo")
    told: list[ChangeBatch] = []
    twice = threading.Event()

    def fail(batch: ChangeBatch) -> None:
        told.append(batch)
        if len(told) == 2:
            twice.set()
        (echo / "PLUGIN.md").write_text("---\ndescription: again\n---\n")
        raise ValueError("no")

    watcher = PluginWatcher(
        [PluginFolder(plugins, "community")], on_batch=fail, on_note=lambda note: None
    )
    watcher.start()
    (echo / "PLUGIN.md").write_text("---\ndescription: first\n---\n")
    assert twice.wait(LIMIT_S)
    watcher.close()


def test_closing_ends_every_thread_and_may_be_repeated(plugins: Path) -> None:
    before = set(threading.enumerate())
    package(plugins, "echo")
    watcher = PluginWatcher(
        [PluginFolder(plugins, "community")], on_batch=print, on_note=lambda note: None
    )
    watcher.start()
    started = set(threading.enumerate()) - before
    assert started
    assert all(thread.daemon for thread in started)
    watcher.close()
    watcher.close()
    assert not {thread for thread in started if thread.is_alive()}


def test_a_watcher_that_was_never_started_closes(plugins: Path) -> None:
    PluginWatcher([], on_batch=print, on_note=lambda note: None).close()
