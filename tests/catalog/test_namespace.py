import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from covel_host.catalog.namespace import PackageNamespace


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[list[PackageNamespace]]:
    namespaces: list[PackageNamespace] = []
    yield namespaces
    for namespace in namespaces:
        namespace.close()


def make(
    opened: list[PackageNamespace],
    root: Path,
    *,
    plugin_id: str = "moss-ledger",
    number: int = 1,
    **modules: str,
) -> PackageNamespace:
    files = {
        (name if "/" in name else name.replace("__", "/")) + ".py": text.encode()
        for name, text in modules.items()
    }
    namespace = PackageNamespace(plugin_id, number, root=root, modules=files)
    opened.append(namespace)
    return namespace


def test_relative_imports_work_from_any_folder(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    namespace = make(
        opened,
        tmp_path,
        server__index="from ..tools.notes import NOTE\nfrom .near import NEAR\n",
        server__near="NEAR = __name__",
        tools__notes="NOTE = 'kept'",
    )
    module = namespace.import_module("server/index.py")
    assert module.NOTE == "kept"
    assert module.NEAR == f"{namespace.name}.server.near"
    assert module.__file__ == str(tmp_path / "server/index.py")


def test_two_packages_with_equal_module_names_do_not_meet(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    first = make(opened, tmp_path / "a", plugin_id="a", server__index="WHO = 'a'")
    second = make(opened, tmp_path / "b", plugin_id="b", server__index="WHO = 'b'")
    assert first.import_module("server/index.py").WHO == "a"
    assert second.import_module("server/index.py").WHO == "b"


def test_a_late_import_of_an_old_generation_gets_the_old_file(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    late = "def late():\n    from .helper import VALUE\n    return VALUE\n"
    old = make(opened, tmp_path, number=1, server__index=late, server__helper="VALUE = 1")
    module = old.import_module("server/index.py")
    new = make(opened, tmp_path, number=2, server__index=late, server__helper="VALUE = 2")
    assert new.import_module("server/index.py").late() == 2
    assert module.late() == 1


def test_closing_withdraws_every_module_of_the_generation_only(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    first = make(opened, tmp_path, number=1, server__index="")
    second = make(opened, tmp_path, number=11, server__index="")
    first.import_module("server/index.py")
    kept = second.import_module("server/index.py")
    first.close()
    first.close()
    assert [name for name in sys.modules if name.startswith(first.name + ".")] == []
    assert sys.modules[kept.__name__] is kept
    assert first not in sys.meta_path


def test_the_traceback_shows_the_packages_file_and_line(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    namespace = make(opened, tmp_path, server__index="x = 1\nraise ValueError('broken')\n")
    with pytest.raises(ValueError, match="broken") as caught:
        namespace.import_module("server/index.py")
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (namespace.relative_path(frame.filename), frame.lineno) == ("server/index.py", 2)
    assert namespace.relative_path(__file__) is None


def test_a_missing_file_and_a_missing_module_are_told_apart(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    namespace = make(opened, tmp_path, server__index="from ..tools import gone", tools__notes="")
    with pytest.raises(KeyError):
        namespace.import_module("server/main.py")
    with pytest.raises(ImportError, match="gone"):
        namespace.import_module("server/index.py")
    assert namespace.has_top_level("tools")
    assert not namespace.has_top_level("httpx")


def test_a_package_module_is_never_found_under_its_plain_name(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    namespace = make(opened, tmp_path, server__index="import tools", tools__notes="")
    with pytest.raises(ModuleNotFoundError):
        namespace.import_module("server/index.py")


def test_an_init_file_makes_a_folder_a_package_with_content(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    namespace = make(
        opened,
        tmp_path,
        **{"lib/__init__": "WIDTH = 3", "server/index": "from ..lib import WIDTH"},
    )
    assert namespace.import_module("server/index.py").WIDTH == 3
