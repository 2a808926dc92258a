"""The pytest plugin, in a pytest of its own."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

from covel_host.testing.plugin import spare_host
from tests.support.kit_package import write_stall

CASES = '[{"name": "counts", "runtimeId": "stall/count"}, {"name": "fails", "runtimeId": "none"}]'


def pytest_of(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    # The other plugins of this environment cost seconds, and may import what they like.
    others = [f"-pno:{name}" for name in ("hypothesispytest", "anyio", "xdist", "cacheprovider")]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *others, "-W", "error", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


def write_test(package: Path, text: str, name: str = "test_it.py") -> None:
    (package / "tests").mkdir(exist_ok=True)
    (package / "tests" / name).write_text(text, encoding="utf-8")


@pytest.fixture
def stall(tmp_path: Path) -> Path:
    return write_stall(tmp_path)


def test_the_plugin_imports_nothing_heavy_before_a_fixture_is_used(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import sys\n"
        "def test_light():\n"
        "    heavy = {'pydantic', 'sqlalchemy', 'covel_host.host', 'plugin_sdk.tools', 'click'}\n"
        "    assert not heavy & set(sys.modules)\n",
        encoding="utf-8",
    )
    done = pytest_of(tmp_path, "-q")
    assert done.returncode == 0, done.stdout


def test_cases_and_tests_of_a_package_are_run_together(stall: Path) -> None:
    wrong = "def test_wrong(covel):\n    covel.tool('no-tool')\n"
    write_test(stall, f"def test_it(covel):\n    assert covel.plugin_id == 'stall'\n\n\n{wrong}")
    write_test(stall, CASES, "runtime-cases.json")
    done = pytest_of(stall)
    assert done.returncode == 1
    assert "2 failed, 2 passed" in done.stdout
    assert "tool-not-found" in done.stdout
    assert "case: fails" in done.stdout
    assert "runtime-not-found" in done.stdout
    assert "Traceback" not in done.stdout
    # A report ends in the test; the kit's own frames say nothing to an author.
    assert "case_items.py" not in done.stdout
    assert "bench.py" not in done.stdout


def test_cases_that_cannot_be_read_are_an_error_with_their_place(stall: Path) -> None:
    write_test(stall, '[{"name": "counts", "llmContent": "x"}]', "runtime-cases.json")
    done = pytest_of(stall)
    assert done.returncode == 2
    assert "tests/runtime-cases.json:1:21: [0].llmContent: this host does not read" in done.stdout


def test_only_the_file_of_a_package_holds_cases(stall: Path, tmp_path: Path) -> None:
    write_test(tmp_path, CASES, "runtime-cases.json")
    assert pytest_of(tmp_path, "tests").returncode == 5
    (stall / "covel.test.json").write_text(CASES, encoding="utf-8")
    assert "1 failed, 1 passed" in pytest_of(stall, ".").stdout


def test_cases_of_another_mode_are_skipped(stall: Path) -> None:
    write_test(stall, '[{"name": "real", "mode": "live"}]', "runtime-cases.json")
    done = pytest_of(stall, "-rs")
    assert done.returncode == 0
    assert "a case of mode 'live'" in done.stdout


def test_a_test_outside_of_every_package_is_told_where_it_belongs(tmp_path: Path) -> None:
    write_test(tmp_path, "def test_it(covel):\n    pass\n")
    done = pytest_of(tmp_path)
    assert done.returncode != 0
    assert "lies in no package" in done.stdout + done.stderr


def test_a_package_that_does_not_load_shows_its_problems_alone(stall: Path) -> None:
    (stall / "server" / "index.py").write_text("import nothing_here\n", encoding="utf-8")
    write_test(stall, "def test_it(covel):\n    pass\n")
    done = pytest_of(stall)
    assert "stall/server/index.py:1" in done.stdout
    assert "private_host.py" not in done.stdout


@pytest.mark.parametrize("written", ["covel(['narrator'])", "covel(companion=['narrator'])"])
def test_a_wrong_marker_is_told(stall: Path, written: str) -> None:
    write_test(stall, f"import pytest\n@pytest.mark.{written}\ndef test_it(covel):\n    pass\n")
    done = pytest_of(stall)
    assert "takes companions, folders, locale, seed by name" in done.stdout + done.stderr


def test_markers_of_a_module_hold_where_a_test_says_nothing_else(stall: Path) -> None:
    write_test(
        stall,
        "import pytest\n"
        "pytestmark = pytest.mark.covel(locale='zh', companions=['narrator'])\n"
        "def test_module(covel):\n"
        "    turn = covel.turn('Hi.', replies=['Hello.'])\n"
        "    assert turn['narrator'].text == 'Hello.'\n"
        "@pytest.mark.covel(companions=[])\n"
        "def test_own(covel):\n"
        "    turn = covel.turn('Hi.')\n"
        "    assert not [run for run in turn.runs if run.runtime_id == 'narrator']\n",
    )
    done = pytest_of(stall)
    assert done.returncode == 0, done.stdout


def test_the_hosts_own_modules_are_not_compiled_anew(pytestconfig: pytest.Config) -> None:
    """An installed host would be: pytest lists what comes with a plugin."""
    hook = pytestconfig.pluginmanager.rewrite_hook
    assert isinstance(hook, AssertionRewritingHook)
    hook._must_rewrite.update({"covel_host", "plugin_sdk"})
    hook._marked_for_rewrite_cache.clear()

    def is_marked(name: str) -> bool:
        return hook._is_marked_for_rewrite(name, SimpleNamespace(trace=print))

    assert is_marked("covel_host.host")
    spare_host(hook)
    assert not is_marked("covel_host.host")
    assert not is_marked("plugin_sdk.tools")
