"""Hostile and damaged archives: each is refused with its code, and nothing is left behind."""

import contextlib
import os
import stat
import struct
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covel_host.catalog.installation import InstallOptions, install_package
from covel_host.catalog.installation_refusals import (
    MAX_ARCHIVE_BYTES,
    MAX_CONTENT_BYTES,
    MAX_ENTRIES,
    REFUSALS,
    InstallationRefused,
)
from covel_host.catalog.sources import read_sources
from tests.catalog.archives import (
    FILES,
    MANIFEST,
    archive_bytes,
    entry,
    with_declared_size,
    with_flags,
    write_archive,
)

ZEROS = bytes(1024 * 1024)


def install(tmp_path: Path, content: bytes, name: str = "moss-ledger.zip") -> Path:
    """The root of the package installed from these bytes."""
    source = write_archive(tmp_path / "downloads" / name, content)
    options = InstallOptions(folder=tmp_path / "home" / "plugins", reserved=("narrator",))
    return install_package(source, options).root


def refusal(tmp_path: Path, content: bytes, name: str = "moss-ledger.zip") -> InstallationRefused:
    """The refusal of these bytes, after a look at what is left of the attempt."""
    before = everything(tmp_path)
    with pytest.raises(InstallationRefused) as caught:
        install(tmp_path, content, name)
    assert everything(tmp_path) - before <= {"downloads", f"downloads/{name}"}
    assert caught.value.code in REFUSALS
    return caught.value


def everything(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_the_files_of_an_archive_become_a_package(tmp_path: Path) -> None:
    root = install(tmp_path, archive_bytes())
    assert everything(root) == {"PLUGIN.md", "notes", "notes/moss.txt"}
    assert (root / "PLUGIN.md").read_text(encoding="utf-8") == MANIFEST
    assert everything(root.parent) == {
        "moss-ledger",
        *(f"moss-ledger/{f}" for f in everything(root)),
    }


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../evil.py", "entry-outside"),
        ("notes/../../evil.py", "entry-outside"),
        ("notes/../fine.py", "entry-outside"),
        ("..\\evil.py", "entry-outside"),
        ("/etc/evil", "entry-outside"),
        ("\\\\server\\share\\evil", "entry-outside"),
        ("C:\\evil.py", "entry-outside"),
        ("c:evil.py", "entry-outside"),
        ("../", "entry-outside"),
        (".git/../../evil", "entry-outside"),
        ("notes/a\nb.txt", "entry-name"),
        ("notes/\x1b[2J.txt", "entry-name"),
        ("notes/a\x7f", "entry-name"),
        ("notes/a\u2028b", "entry-name"),
        ("notes./moss.py", "entry-name"),
        ("notes/moss.py ", "entry-name"),
        ("PLUGIN.md.", "entry-name"),
        ("notes/aux.py", "entry-name"),
        ("NUL", "entry-name"),
        ("notes/moss.py:more", "entry-name"),
        ("notes/what?.py", "entry-name"),
        ("notes/\u202eyp.moss", "entry-name"),
        ("notes/mo\u200bss.py", "entry-name"),
        (".", "entry-name"),
        ("n" * 513, "entry-name"),
        ("n" * 256, "entry-name"),
        ("PLUGIN.md/inner", "entry-duplicate"),
        ("notes/moss.txt", "entry-duplicate"),
        ("./notes//moss.txt", "entry-duplicate"),
        ("notes\\moss.txt", "entry-duplicate"),
        ("plugin.MD", "entry-clash"),
        ("Notes/other.txt", "entry-clash"),
        ("notes/Mo\u017fs.txt", "entry-clash"),
        (".covel-install.json", "reserved-file"),
        ("notes/.covel-install.json", "reserved-file"),
    ],
)
def test_a_hostile_name_is_refused(tmp_path: Path, name: str, code: str) -> None:
    refused = refusal(tmp_path, archive_bytes(more=[(entry(name), b"evil")]))
    assert refused.code == code


def test_a_name_that_is_cut_at_a_nul_by_others_is_refused(tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry("notes/aXb.py"), b"")]).replace(b"aXb.py", b"a\0b.py")
    assert refusal(tmp_path, content).code == "entry-name"


def test_two_spellings_of_an_accent_clash(tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry("caf\u00e9.txt"), b"1"), (entry("cafe\u0301.txt"), b"2")])
    assert refusal(tmp_path, content).code == "entry-clash"


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry("notes/abc"), b"")]).replace(
        b"notes/abc", b"notes/\xff\xfec"
    )
    assert refusal(tmp_path, content).code == "entry-name"


def test_a_name_in_utf_8_without_its_flag_is_read(tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry("notes/abcdef"), b"")])
    content = content.replace(b"notes/abcdef", "notes/苔abc".encode())
    assert (install(tmp_path, content) / "notes" / "苔abc").is_file()


@pytest.mark.parametrize(
    "kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK, stat.S_IFDIR]
)
@pytest.mark.parametrize("system", [3, 0, 19])
def test_what_is_no_regular_file_is_refused(tmp_path: Path, kind: int, system: int) -> None:
    info = entry("notes/link", mode=kind | 0o777)
    info.create_system = system
    content = archive_bytes(more=[(info, b"/etc/passwd")])
    assert refusal(tmp_path, content).code == "entry-not-a-file"


def test_a_folder_that_is_marked_as_a_link_is_refused(tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry("link/", mode=stat.S_IFLNK | 0o777), b"")])
    assert refusal(tmp_path, content).code == "entry-not-a-file"


def test_rights_of_an_archive_are_not_taken_over(tmp_path: Path) -> None:
    script = entry("run.py", mode=stat.S_IFREG | stat.S_ISUID | 0o777)
    root = install(tmp_path, archive_bytes(more=[(script, b"")]))
    assert (root / "run.py").stat().st_mode & 0o7111 == 0


def test_entries_of_folders_are_passed_over(tmp_path: Path) -> None:
    folders = [(entry("empty/", mode=stat.S_IFDIR | 0o755), b""), (entry("./"), b"")]
    root = install(tmp_path, archive_bytes(more=[*folders, (entry("notes/"), b"")]))
    assert everything(root) == {"PLUGIN.md", "notes", "notes/moss.txt"}


def test_hidden_files_are_left_out_and_named(tmp_path: Path) -> None:
    names = (".git/config", "notes/.env", "__MACOSX/._PLUGIN.md", "lib/__pycache__/a.pyc", ".x.py")
    source = write_archive(
        tmp_path / "moss-ledger.zip", archive_bytes(more=[(entry(n), b"x") for n in names])
    )
    done = install_package(source, InstallOptions(folder=tmp_path / "plugins", reserved=()))
    assert done.files == ("PLUGIN.md", "notes/moss.txt")
    assert done.left_out == (".git", ".x.py", "__MACOSX", "lib/__pycache__", "notes/.env")
    assert everything(done.root) == {"PLUGIN.md", "notes", "notes/moss.txt"}


def test_the_hash_is_that_of_the_installed_content(tmp_path: Path) -> None:
    source = write_archive(tmp_path / "moss-ledger.zip", archive_bytes())
    done = install_package(source, InstallOptions(folder=tmp_path / "plugins", reserved=()))
    assert done.checked.content_hash == read_sources(done.root).content_hash


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry("secret.py"), b"x")])
    for flag in (0x1, 0x41):
        assert refusal(tmp_path, with_flags(content, "secret.py", flag)).code == "entry-encrypted"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_compressing_are_refused(tmp_path: Path, method: int) -> None:
    content = archive_bytes(more=[(entry("a.txt", method=method), b"x" * 100)])
    assert refusal(tmp_path, content).code == "entry-compression"


def test_an_archive_over_the_limit_is_refused(tmp_path: Path) -> None:
    content = archive_bytes()
    assert refusal(tmp_path, bytes(MAX_ARCHIVE_BYTES + 1 - len(content)) + content).code == (
        "archive-too-large"
    )


def test_more_entries_than_allowed_are_refused_hidden_ones_too(tmp_path: Path) -> None:
    many = [(entry(f".x/{number}"), b"") for number in range(MAX_ENTRIES - len(FILES))]
    assert install(tmp_path, archive_bytes(more=many)).is_dir()
    many.append((entry("one-more"), b""))
    assert refusal(tmp_path, archive_bytes(more=many), "other.zip").code == "too-many-entries"


def test_a_bomb_is_refused_by_what_it_declares(tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry("bomb.txt"), ZEROS)])
    refused = refusal(tmp_path, content)
    assert refused.code == "expands-too-much"
    declared = with_declared_size(
        archive_bytes(more=[(entry("b.txt"), b"x")]), MAX_CONTENT_BYTES + 1
    )
    assert refusal(tmp_path, declared).code == "too-much-content"


def test_content_over_the_limit_is_refused(tmp_path: Path) -> None:
    # Noise in front, so that the archive does not expand too much.
    noise = (entry("noise.bin", method=zipfile.ZIP_STORED), os.urandom(3 * 1024 * 1024))
    many = [(entry(f"{number}.bin"), ZEROS) for number in range(200)]
    refused = refusal(tmp_path, archive_bytes(more=[noise, *many]))
    assert refused.code == "too-much-content"


def test_a_file_that_holds_more_than_it_declares_is_refused(tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry("liar.txt"), ZEROS)])
    assert refusal(tmp_path, with_declared_size(content, 10)).code == "archive-unreadable"


def test_400_000_empty_entries_are_not_even_listed(tmp_path: Path) -> None:
    header = struct.pack("<4s24xHHH12x", b"PK\x01\x02", 1, 0, 0) + b"a"
    directory = header * 400_000
    end = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, len(directory), 0, 0)
    assert refusal(tmp_path, directory + end).code == "too-many-entries"


def test_zip64_is_refused(tmp_path: Path) -> None:
    content = archive_bytes()
    end = content.rfind(b"PK\x05\x06")
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    assert refusal(tmp_path, content[:end] + locator + content[end:]).code == "archive-unreadable"


def test_a_name_in_one_header_alone_is_refused(tmp_path: Path) -> None:
    content = archive_bytes(more=[(entry("one.py"), b"x")])
    place = content.index(b"one.py")
    assert refusal(tmp_path, content[:place] + b"two.py" + content[place + 6 :]).code == (
        "archive-unreadable"
    )


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    assert refusal(tmp_path, content).code in ("archive-unreadable", "manifest-missing")


def test_a_package_in_a_folder_of_the_archive_is_refused(tmp_path: Path) -> None:
    content = archive_bytes({f"moss-ledger-main/{name}": text for name, text in FILES.items()})
    refused = refusal(tmp_path, content)
    assert refused.code == "nested-root"
    assert "'moss-ledger-main'" in refused.message


def test_an_archive_without_a_manifest_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, archive_bytes({"README.md": ""})).code == "manifest-missing"
    refused = refusal(tmp_path, archive_bytes({"Plugin.md": MANIFEST}))
    assert (refused.code, refused.hint) == (
        "manifest-missing",
        "Plugin.md has to be called PLUGIN.md, in this case.",
    )


@settings(max_examples=150, deadline=None)
@given(place=st.integers(0, 400), value=st.integers(0, 255), cut=st.integers(0, 400))
def test_a_damaged_archive_is_refused_or_installed_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, place: int, value: int, cut: int
) -> None:
    tmp_path = tmp_path_factory.mktemp("damaged")
    content = bytearray(archive_bytes())
    content[place % len(content)] = value
    damaged = bytes(content[: len(content) - (cut if cut < len(content) else 0)])
    with contextlib.suppress(InstallationRefused):
        install(tmp_path, damaged)
        return
    assert everything(tmp_path) == {"downloads", "downloads/moss-ledger.zip"}


def test_an_archive_made_by_zip_is_installed(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (made / "PLUGIN.md").write_text(MANIFEST, encoding="utf-8")
    (made / "苔.txt").write_text("moss", encoding="utf-8")
    try:
        subprocess.run(["zip", "-qr", tmp_path / "moss.zip", "."], cwd=made, check=True)
    except FileNotFoundError:
        pytest.skip("there is no program zip on this machine")
    root = install(tmp_path, (tmp_path / "moss.zip").read_bytes())
    assert everything(root) == {"PLUGIN.md", "苔.txt"}
