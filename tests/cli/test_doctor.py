"""`covel doctor`: each part is looked at, whatever is wrong with the others."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import STORY, Covel, copy_echo, with_entry, write_package


def checks(covel: Covel, *arguments: str) -> dict[str, list[dict[str, Any]]]:
    by_subject: dict[str, list[dict[str, Any]]] = {}
    for check in covel("doctor", "--json", *arguments).json["checks"]:
        by_subject.setdefault(check["subject"], []).append(check)
    return by_subject


def test_a_fresh_installation_has_no_problem(covel: Covel, home: Path) -> None:
    done = covel("doctor")
    assert done.code == 0
    assert done.out.splitlines()[-1] == "0 problems, 1 warning."
    assert "covel models" in done.out
    assert not (home / "covel.db").exists()


def test_python_and_every_library_are_named(covel: Covel) -> None:
    found = checks(covel)
    assert "Python 3." in found["python"][0]["message"]
    (libraries,) = found["libraries"]
    assert libraries["state"] == "ok"
    assert all(name in libraries["message"] for name in ("pydantic 2.", "click 8.", "alembic 1."))


def test_every_package_is_loaded_and_judged(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    write_package(plugins, "teller", STORY)
    with_entry(plugins, "faulty", "raise ValueError('no moon')\n")
    with_entry(plugins, "unread", "open('ran', 'w')\n")
    found = checks(covel, "--trust", "echo-demo", "--trust", "faulty")
    assert found["echo-demo"][0]["message"] == "loaded: echo-value"
    assert found["teller"][0]["state"] == "ok"
    assert found["faulty"][0]["state"] == "problem"
    assert "server/index.py:1" in found["faulty"][0]["message"]
    assert found["unread"][0]["state"] == "warning"
    assert "--trust unread" in found["unread"][0]["advice"]
    assert not Path("ran").exists()


def test_a_problem_is_exit_code_one(covel: Covel, plugins: Path) -> None:
    write_package(plugins, "broken", "---\ndescription: [\n---\n")
    done = covel("doctor")
    assert done.code == 1
    assert "problem  broken" in done.out


def test_a_hidden_package_is_a_warning(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    copy_echo(plugins)
    copy_echo(tmp_path / "bundled")
    assert "is hidden by" in checks(covel)["packages"][0]["message"]


def test_a_database_of_another_program_is_a_problem(covel: Covel, home: Path) -> None:
    home.mkdir()
    (home / "covel.db").write_bytes(b"no database" * 500)
    assert checks(covel)["database"][0]["state"] == "problem"


def test_a_database_in_use_is_fine(covel: Covel, plugins: Path) -> None:
    write_package(plugins, "teller", STORY)
    covel("run", "teller", "--model", "offline")
    assert "schema up to date" in checks(covel)["database"][0]["message"]


def test_a_home_that_is_a_file_is_a_problem(
    covel: Covel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("COVEL_HOME", str(tmp_path / "file"))
    assert checks(covel)["home"][0]["state"] == "problem"


def test_broken_settings_stop_no_other_check(covel: Covel, home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("trusted = 3\n", encoding="utf-8")
    found = checks(covel)
    assert found["settings"][0]["state"] == "problem"
    assert found["python"][0]["state"] == "ok"


def test_broken_model_settings_stop_no_other_check(covel: Covel, home: Path) -> None:
    home.mkdir()
    (home / "llm.toml").write_text("[covel.story]\n", encoding="utf-8")
    found = checks(covel)
    assert found["models"][0]["state"] == "problem"
    assert found["packages"][0]["state"] == "ok"


def test_a_named_folder_that_is_missing_is_a_warning(
    covel: Covel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEL_PLUGINS_DIR", str(tmp_path / "nowhere"))
    assert any("COVEL_PLUGINS_DIR" in check.get("advice", "") for check in checks(covel)["folder"])
