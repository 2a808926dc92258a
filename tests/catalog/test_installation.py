"""Packages installed from folders, replaced, refused, and removed; whole or not at all."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from covel_host.catalog import installation_staging
from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.installation import Installed, InstallOptions, install_package
from covel_host.catalog.installation_exchange import exchange
from covel_host.catalog.installation_lock import FolderBusyError, locked_folder
from covel_host.catalog.installation_refusals import MAX_ENTRIES, InstallationRefused
from covel_host.catalog.installation_removal import installed_place, remove_package
from tests.catalog.archives import MANIFEST, archive_bytes, write_archive
from tests.catalog.builders import write_package


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    return tmp_path / "plugins"


def install(
    source: Path, plugins: Path, *, plugin_id: str | None = None, replaces: bool = False
) -> Installed:
    options = InstallOptions(
        folder=plugins, reserved=("narrator",), plugin_id=plugin_id, replaces=replaces
    )
    return install_package(source, options)


def refusal(
    source: Path, plugins: Path, *, plugin_id: str | None = None, replaces: bool = False
) -> InstallationRefused:
    """The refusal, after a look whether the folder of packages is as it was."""
    before = snapshot(plugins)
    with pytest.raises(InstallationRefused) as caught:
        install(source, plugins, plugin_id=plugin_id, replaces=replaces)
    assert snapshot(plugins) == before
    return caught.value


def snapshot(folder: Path) -> dict[str, bytes | None] | None:
    if not folder.exists():
        return None
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def found(plugins: Path) -> list[str]:
    return [each.plugin_id for each in discover([PluginFolder(plugins, "community")]).packages]


def test_a_folder_becomes_a_package_of_its_name(tmp_path: Path, plugins: Path) -> None:
    source = write_package(tmp_path / "moss-ledger", {"server/index.py": "raise SystemExit\n"})
    os.chmod(source / "server" / "index.py", 0o777)
    done = install(source, plugins)
    assert (done.plugin_id, done.root, done.has_replaced) == (
        ("moss-ledger", plugins / "moss-ledger", False)
    )
    assert snapshot(done.root) == snapshot(source)
    assert (done.root / "server" / "index.py").stat().st_mode & 0o111 == 0
    assert found(plugins) == ["moss-ledger"]


def test_the_id_is_the_one_asked_for_then_the_written_one_then_the_name(
    tmp_path: Path, plugins: Path
) -> None:
    plain = write_package(tmp_path / "some-folder", {})
    written = write_package(tmp_path / "other-folder", {}, manifest="id: moss-ledger\n")
    assert install(plain, plugins, plugin_id="wanted").plugin_id == "wanted"
    assert install(plain, plugins).plugin_id == "some-folder"
    assert install(written, plugins).plugin_id == "moss-ledger"
    refused = refusal(written, plugins, plugin_id="another")
    assert refused.code == "package-invalid"
    assert [each.path for each in refused.diagnostics] == ["id"]


@pytest.mark.parametrize(
    "plugin_id", ["Moss", "../moss", "moss/ledger", "x" * 101, ".moss", "moss\n"]
)
def test_what_is_no_id_is_refused(tmp_path: Path, plugins: Path, plugin_id: str) -> None:
    source = write_package(tmp_path / "moss", {})
    assert refusal(source, plugins, plugin_id=plugin_id).code == "id-invalid"


def test_an_archive_whose_name_is_no_id_needs_one(tmp_path: Path, plugins: Path) -> None:
    source = write_archive(tmp_path / "moss 1.2.zip", archive_bytes())
    assert refusal(source, plugins).code == "id-invalid"
    assert install(source, plugins, plugin_id="moss").plugin_id == "moss"


def test_the_id_of_a_bundled_package_is_refused(tmp_path: Path, plugins: Path) -> None:
    source = write_package(tmp_path / "narrator", {})
    assert refusal(source, plugins).code == "id-reserved"
    assert refusal(source, plugins, replaces=True).code == "id-reserved"


def test_a_package_with_errors_is_refused_with_all_of_them(tmp_path: Path, plugins: Path) -> None:
    source = write_package(tmp_path / "moss", {}, manifest="kind: rock\nversion: 1.0\n")
    refused = refusal(source, plugins)
    assert (refused.code, len(refused.diagnostics)) == ("package-invalid", 2)
    assert refused.reading is not None


def test_a_package_for_another_host_is_refused(tmp_path: Path, plugins: Path) -> None:
    source = write_package(tmp_path / "moss", {}, manifest='covel: ">=99.0.0"\n')
    assert [each.name for each in refusal(source, plugins).diagnostics] == ["host-version-unfit"]


def test_python_needs_that_are_not_met_are_told_and_refuse_nothing(
    tmp_path: Path, plugins: Path
) -> None:
    needs = 'python: { dependencies: ["no-such-library-of-anyone"] }\n'
    done = install(write_package(tmp_path / "moss", {}, manifest=needs), plugins)
    assert "python-requirement-unmet" in [each.name for each in done.checked.diagnostics]


def test_a_source_file_that_could_not_be_read_later_is_refused(
    tmp_path: Path, plugins: Path
) -> None:
    source = write_package(tmp_path / "moss", {})
    (source / "big.py").write_bytes(b"#" * (10 * 1024 * 1024 + 1))
    refused = refusal(source, plugins)
    assert (refused.code, "'big.py'" in refused.message) == ("package-invalid", True)


def test_hidden_files_of_a_folder_stay_where_they_are(tmp_path: Path, plugins: Path) -> None:
    hidden = {".git/HEAD": "x", "lib/.cache/a": "x", "node_modules/a/b.js": "x", ".env": "KEY=1"}
    source = write_package(tmp_path / "moss", {**hidden, "lib/a.py": ""})
    (source / ".git" / "link").symlink_to("/")
    done = install(source, plugins)
    assert done.files == ("PLUGIN.md", "lib/a.py")
    assert done.left_out == (".env", ".git", "lib/.cache", "node_modules")


def link(path: Path) -> None:
    path.symlink_to("PLUGIN.md")


def folder_link(path: Path) -> None:
    path.symlink_to("/etc")


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        os.chdir(path.parent)
        made.bind(path.name)


@pytest.mark.parametrize("make", [link, folder_link, os.mkfifo, unix_socket])
def test_what_is_no_regular_file_is_refused(
    tmp_path: Path, plugins: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = write_package(tmp_path / "moss", {"notes/a.txt": ""})
    make(source / "notes" / "special")
    assert refusal(source, plugins).code == "entry-not-a-file"


def test_a_file_that_becomes_a_pipe_meanwhile_does_not_hang(
    tmp_path: Path, plugins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_package(tmp_path / "moss", {"a.txt": ""})
    seen = Path.lstat

    def lstat(path: Path) -> os.stat_result:
        status = seen(path)
        if path.name == "a.txt" and path.parent == source:
            path.unlink()
            os.mkfifo(path)
        return status

    monkeypatch.setattr(Path, "lstat", lstat)
    assert refusal(source, plugins).code == "entry-not-a-file"


@pytest.mark.parametrize("name", ["a\nb.txt", "a\\b.txt", "\udcff.txt"])
def test_a_hostile_name_in_a_folder_is_refused(tmp_path: Path, plugins: Path, name: str) -> None:
    source = write_package(tmp_path / "moss", {})
    (source / name).touch()
    assert refusal(source, plugins).code == "entry-name"


def test_names_that_clash_elsewhere_are_refused(tmp_path: Path, plugins: Path) -> None:
    source = write_package(tmp_path / "moss", {"notes/A.txt": "", "notes/a.txt": ""})
    if len(list((source / "notes").iterdir())) == 1:
        pytest.skip("this file system does not tell case apart")
    assert refusal(source, plugins).code == "entry-clash"


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, plugins: Path) -> None:
    source = write_package(tmp_path / "moss", {})
    for number in range(MAX_ENTRIES):
        (source / f"{number}.txt").touch()
    assert refusal(source, plugins).code == "too-many-entries"
    (source / "0.txt").unlink()
    assert len(install(source, plugins).files) == MAX_ENTRIES


def test_a_folder_without_manifest_or_of_packages_is_refused(tmp_path: Path, plugins: Path) -> None:
    write_package(tmp_path / "many" / "one", {})
    refused = refusal(tmp_path / "many", plugins)
    assert (refused.code, "'one'" in refused.message) == ("nested-root", True)
    write_package(tmp_path / "many" / "two", {})
    assert refusal(tmp_path / "many", plugins).code == "manifest-missing"
    (tmp_path / "bare").mkdir()
    assert refusal(tmp_path / "bare", plugins).code == "manifest-missing"


def test_a_source_that_is_not_there_is_refused(tmp_path: Path, plugins: Path) -> None:
    assert refusal(tmp_path / "nothing", plugins).code == "source-unreadable"
    os.mkfifo(tmp_path / "pipe.zip")
    assert refusal(tmp_path / "pipe.zip", plugins).code == "source-unreadable"


def test_what_is_there_is_replaced_only_when_asked(tmp_path: Path, plugins: Path) -> None:
    first = write_package(tmp_path / "a" / "moss", {"old.py": ""})
    second = write_package(tmp_path / "b" / "moss", {"new.py": ""})
    install(first, plugins)
    assert refusal(second, plugins).code == "already-installed"
    done = install(second, plugins, replaces=True)
    assert done.has_replaced
    assert snapshot(plugins / "moss") == snapshot(second)
    assert [path.name for path in plugins.iterdir()] == ["moss"]


def test_a_refused_replacement_leaves_the_old_one(tmp_path: Path, plugins: Path) -> None:
    install(write_package(tmp_path / "a" / "moss", {}), plugins)
    faulty = write_package(tmp_path / "b" / "moss", {}, manifest="kind: rock\n")
    assert refusal(faulty, plugins, replaces=True).code == "package-invalid"


def test_an_installed_package_is_not_installed_over_itself(plugins: Path) -> None:
    write_package(plugins / "moss", {})
    assert refusal(plugins / "moss", plugins, replaces=True).code == "already-installed"


def test_a_linked_checkout_is_replaced_and_stays(tmp_path: Path, plugins: Path) -> None:
    checkout = write_package(tmp_path / "checkout" / "moss", {"mine.py": ""})
    plugins.mkdir()
    (plugins / "moss").symlink_to(checkout)
    install(write_archive(tmp_path / "moss.zip", archive_bytes()), plugins, replaces=True)
    assert not (plugins / "moss").is_symlink()
    assert (checkout / "mine.py").is_file()


def test_without_an_exchange_the_old_one_comes_back_after_a_failure(
    tmp_path: Path, plugins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation_staging, "exchange", lambda first, second: False)
    old = write_package(tmp_path / "a" / "moss", {"old.py": ""})
    new = write_package(tmp_path / "b" / "moss", {"new.py": ""})
    install(old, plugins)
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    assert refusal(new, plugins, replaces=True).code == "place-unusable"
    monkeypatch.setattr(Path, "rename", rename)
    install(new, plugins, replaces=True)
    assert snapshot(plugins) == {
        "moss": None,
        **{f"moss/{k}": v for k, v in (snapshot(new) or {}).items()},
    }


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_a_crash_leaves_nothing_behind(
    tmp_path: Path, plugins: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    install(write_package(tmp_path / "a" / "moss", {"old.py": ""}), plugins)
    before = snapshot(plugins)

    def crash(*_: object) -> None:
        raise error

    monkeypatch.setattr("covel_host.catalog.installation.check_content", crash)
    with pytest.raises(error):
        install(write_package(tmp_path / "b" / "moss", {}), plugins, replaces=True)
    assert snapshot(plugins) == before


KILLED = """
import os, signal, sys
from pathlib import Path
from covel_host.catalog import installation_staging as staging
from covel_host.catalog.installation import InstallOptions, install_package
source, folder, moment = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
rename = Path.rename
def dying(path, target):
    if path.name == "new": die()
    return rename(path, target)
if moment == "unpacked":
    staging.put_in_place = die
    import covel_host.catalog.installation as installation
    installation.put_in_place = die
elif moment == "between":
    staging.exchange = lambda first, second: False
    Path.rename = dying
else:
    staging._remove = die
install_package(source, InstallOptions(folder=folder, reserved=(), replaces=True))
"""


@pytest.mark.parametrize(
    ("moment", "kept"), [("unpacked", "old"), ("between", "old"), ("moved", "new")]
)
def test_what_a_killed_process_left_is_put_right_by_the_next_one(
    tmp_path: Path, plugins: Path, moment: str, kept: str
) -> None:
    old = write_package(tmp_path / "a" / "moss", {"old.py": ""})
    new = write_package(tmp_path / "b" / "moss", {"new.py": ""})
    install(old, plugins)
    arguments = [sys.executable, "-c", KILLED, str(new), str(plugins), moment]
    assert subprocess.run(arguments, timeout=60).returncode == -9
    assert len(list(plugins.glob(".covel-install-*"))) == 1
    other = write_package(tmp_path / "c" / "herbs", {})
    install(other, plugins)
    assert sorted(path.name for path in plugins.iterdir()) == ["herbs", "moss"]
    assert snapshot(plugins / "moss") == snapshot(old if kept == "old" else new)


def test_one_process_at_a_time_installs(tmp_path: Path, plugins: Path) -> None:
    with (
        locked_folder(plugins),
        pytest.raises(FolderBusyError),
        locked_folder(plugins, limit_s=0.05),
    ):
        pass
    with locked_folder(plugins, limit_s=0.05):
        assert list(plugins.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "plugins").write_text("a file")
    source = write_package(tmp_path / "moss", {})
    with pytest.raises(InstallationRefused) as caught:
        install(source, tmp_path / "plugins")
    assert caught.value.code == "place-unusable"


def test_a_package_is_removed_with_all_it_has(tmp_path: Path, plugins: Path) -> None:
    package = write_package(plugins / "moss", {"lib/a.py": "", "PLUGIN.md.disabled": ""})
    os.chmod(package / "lib", 0o500)
    remove_package(installed_place("moss", plugins, reserved=()))
    assert list(plugins.iterdir()) == []


def test_of_a_linked_checkout_only_the_link_goes(tmp_path: Path, plugins: Path) -> None:
    checkout = write_package(tmp_path / "moss", {})
    plugins.mkdir()
    (plugins / "moss").symlink_to(checkout)
    place = installed_place("moss", plugins, reserved=())
    assert place.is_link
    remove_package(place)
    assert list(plugins.iterdir()) == []
    assert (checkout / "PLUGIN.md").read_text(encoding="utf-8") == MANIFEST


@pytest.mark.parametrize(
    ("plugin_id", "code"),
    [
        ("narrator", "bundled-package"),
        ("other", "not-installed"),
        ("no-package", "not-installed"),
        ("../plugins/moss", "not-installed"),
        ("..", "not-installed"),
        ("", "not-installed"),
    ],
)
def test_what_was_not_installed_is_not_removed(plugins: Path, plugin_id: str, code: str) -> None:
    write_package(plugins / "moss", {})
    (plugins / "no-package").mkdir()
    with pytest.raises(InstallationRefused) as caught:
        installed_place(plugin_id, plugins, reserved=("narrator",))
    assert caught.value.code == code


def test_two_folders_change_places_or_stay_as_they_are(tmp_path: Path) -> None:
    first = write_package(tmp_path / "first", {"one.py": ""})
    second = write_package(tmp_path / "second", {"two.py": ""})
    before = snapshot(first), snapshot(second)
    is_swapped = exchange(first, second)
    assert (snapshot(first), snapshot(second)) == (before[::-1] if is_swapped else before)
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError) if is_swapped else contextlib.nullcontext():
        exchange(first, missing)
    assert not missing.exists()
