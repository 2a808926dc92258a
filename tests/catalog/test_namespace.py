import sys
import traceback
from collections.abc import Callable, Iterator
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


def _last_line(function: Callable[[], object]) -> str:
    with pytest.raises(ValueError, match="x") as caught:
        function()
    return traceback.format_tb(caught.value.__traceback__)[-1]


def test_tracebacks_show_what_runs_and_not_what_was_written_since(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    file = tmp_path / "server/index.py"
    file.parent.mkdir()
    kept = "def run():\n    raise ValueError('x')  # {}\n"
    file.write_text(kept.format("in the file"))
    first = make(opened, tmp_path, server__index=kept.format("first"))
    run = first.import_module("server/index.py").run
    assert "# first" in _last_line(run)
    second = make(opened, tmp_path, number=2, server__index=kept.format("second"))
    assert "# second" in _last_line(second.import_module("server/index.py").run)
    second.close()
    assert "# first" in _last_line(run)
    first.close()
    assert "# in the file" in _last_line(run)


def test_a_missing_file_and_a_missing_module_are_told_apart(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    namespace = make(opened, tmp_path, server__index="from ..tools import gone", tools__notes="")
    with pytest.raises(KeyError):
        namespace.import_module("server/main.py")
    with pytest.raises(ImportError, match="gone"):
        namespace.import_module("server/index.py")


def test_an_own_module_has_a_relative_name_from_every_file(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    namespace = make(
        opened,
        tmp_path,
        **{
            "server/index": "",
            "server/near": "",
            "server/deep/__init__": "",
            "server/deep/inner": "",
            "tools/notes": "",
        },
    )
    relative = namespace.relative_import
    assert relative("near", file="server/index.py") == ".near"
    assert relative("tools.notes", file="server/index.py") == "..tools.notes"
    assert relative("tools", file="server/deep/inner.py") == "...tools"
    assert relative("inner", file="server/deep/__init__.py") == ".inner"
    assert relative("server", file="main.py") == ".server"
    assert relative("httpx", file="server/index.py") is None


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


def test_a_dot_in_a_folders_name_is_no_step_down(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    namespace = make(
        opened,
        tmp_path,
        **{
            "runtimes/my-run.v1.2/helper": "from .near import x\nfrom ..v1 import y",
            "runtimes/my-run.v1.2/near": "x = 1",
            "runtimes/v1": "y = 2",
        },
    )
    module = namespace.import_module("runtimes/my-run.v1.2/helper.py")
    assert (module.x, module.y) == (1, 2)


def test_a_folders_init_file_stands_before_a_file_of_its_name(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    namespace = make(
        opened, tmp_path, **{"lib": "W = 1", "lib/__init__": "W = 2", "main": "from .lib import W"}
    )
    assert namespace.import_module("main.py").W == 2
    with pytest.raises(KeyError):
        namespace.import_module("lib.py")


def test_a_closed_namespace_imports_nothing_any_more(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    late = "def late():\n    from .helper import VALUE\n    return VALUE\n"
    namespace = make(opened, tmp_path, server__index=late, server__helper="VALUE = 1")
    module = namespace.import_module("server/index.py")
    namespace.close()
    with pytest.raises(ImportError, match="has ended"):
        namespace.import_module("server/index.py")
    with pytest.raises(ModuleNotFoundError):
        module.late()
    assert [name for name in vars(sys.modules["covel_packages"]) if "moss_ledger" in name] == []


def test_two_namespaces_of_one_number_are_apart(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    first = make(opened, tmp_path, server__index="WHO = 1")
    second = make(opened, tmp_path, server__index="WHO = 2")
    assert first.import_module("server/index.py").WHO == 1
    assert second.import_module("server/index.py").WHO == 2


def test_a_file_put_beside_later_is_never_imported(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    source = "def late():\n    from . import added\n"
    namespace = make(opened, tmp_path, **{"server/__init__": "", "server/index": source})
    module = namespace.import_module("server/index.py")
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "added.py").write_text("")
    with pytest.raises(ImportError):
        module.late()


def test_texts_lose_private_names_and_paths(opened: list[PackageNamespace], tmp_path: Path) -> None:
    namespace = make(opened, tmp_path, server__index="")
    text = f"no {namespace.name}.server in {namespace.name} ({tmp_path}/server/index.py)"
    assert namespace.without_names(text) == "no server in the package (server/index.py)"


def test_the_source_of_a_module_is_the_one_that_runs(
    opened: list[PackageNamespace], tmp_path: Path
) -> None:
    source = "# -*- coding: latin-1 -*-\nx = 'ä'\n"
    namespace = PackageNamespace(
        "moss-ledger", 1, root=tmp_path, modules={"index.py": source.encode("latin-1")}
    )
    opened.append(namespace)
    module = namespace.import_module("index.py")
    assert module.x == "ä"
    assert namespace.get_source(module.__name__) == source
