"""`covel test-runtime`: cases of a package, or one runtime."""

import json
from pathlib import Path

import pytest

from tests.cli.support import Covel, write_package
from tests.support.kit_package import write_stall

PRICE = {"name": "price", "arguments": {"thing": "salt", "crowns": 3}}
CASES = {
    "cases": [
        {"name": "counts", "runtimeId": "stall/count"},
        {
            "name": "sells",
            "runtimeId": "stall/sell",
            "llmResponses": [{"calls": [PRICE]}, {"text": "Sold."}],
            "expect": {"pluginData": [{"namespace": "prices", "field": "tea"}]},
        },
        {"name": "really sells", "runtimeId": "stall/sell", "mode": "live"},
    ]
}


@pytest.fixture
def stall(plugins: Path) -> Path:
    package = write_stall(plugins)
    (package / "tests").mkdir()
    path = package / "tests" / "runtime-cases.json"
    path.write_text(json.dumps(CASES), encoding="utf-8")
    return package


def test_the_cases_of_the_mode_are_played_and_told(covel: Covel, stall: Path) -> None:
    called = covel("test-runtime", "stall", "--trust", "stall")
    assert called.code == 1
    assert called.out.splitlines() == [
        "passed  counts",
        "FAILED  sells",
        "    stall prices/tea: no such record is stored. Its namespace has: salt.",
    ]
    assert "1 case passed, 1 failed." in called.err


def test_one_case_is_chosen_by_its_name(covel: Covel, stall: Path) -> None:
    called = covel("test-runtime", str(stall), "--trust", "stall", "--case", "counts")
    assert (called.code, called.out) == (0, "passed  counts\n")
    called = covel("test-runtime", "stall", "--trust", "stall", "--case", "count")
    assert called.code == 1
    assert "There is no case 'count'." in called.err
    assert "Did you mean 'counts'?" in called.err


def test_what_has_no_file_of_cases_has_none_to_choose(covel: Covel, stall: Path) -> None:
    call = ("test-runtime", "stall", "--trust", "stall", "--case", "counts")
    beside = covel(*call, "--payload", "{}")
    assert beside.code == 2
    assert "make a case of their own" in beside.err
    (stall / "tests" / "runtime-cases.json").unlink()
    none = covel(*call)
    assert none.code == 2
    assert "'stall' has no 'tests/runtime-cases.json'" in " ".join(none.err.split())


def test_json_has_what_became_of_each_case(covel: Covel, stall: Path) -> None:
    document = covel("test-runtime", "stall", "--trust", "stall", "--json").json
    assert (document["pluginId"], document["passed"]) == ("stall", False)
    counts, sells = document["cases"]
    assert (counts["name"], counts["passed"], counts["commitStatus"]) == (
        "counts",
        True,
        "committed",
    )
    assert sells["problems"]
    assert sells["runtimeResults"][0]["toolCalls"][0]["name"] == "price"
    assert sells["jobs"] == []


def test_one_runtime_runs_with_what_the_options_give(covel: Covel, stall: Path) -> None:
    call = ("test-runtime", "stall/sell", "--trust", "stall", "--json")
    replies = json.dumps([{"calls": [PRICE]}, {"text": "Sold."}])
    (case,) = covel(*call, "--replies", replies, "--message", "Salt!").json["cases"]
    assert case["runtimeResults"][0]["text"] == "Sold."
    (case,) = covel(*call).json["cases"]
    assert case["runtimeResults"][0]["text"] == "Mock reply."
    (case,) = covel(*call, "--expects-background-follower").json["cases"]
    assert "follower-not-emitted" in case["problems"][0]
    called = covel(*call, "--replies", '[{"tone": 1}]')
    assert called.code == 1
    assert "llmResponses[0].tone" in called.json["error"]["message"]


def test_cases_touch_nothing_of_the_persons(covel: Covel, stall: Path, home: Path) -> None:
    covel("test-runtime", "stall", "--trust", "stall")
    assert not (home / "covel.db").exists()


def test_code_that_nobody_trusts_does_not_run(covel: Covel, stall: Path) -> None:
    (stall / "server" / "index.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    called = covel("test-runtime", "stall")
    assert called.code == 1
    assert "code-not-trusted" in called.out
    assert "covel trust grant stall" in called.out


def test_a_wrong_file_is_told_with_its_places(covel: Covel, stall: Path) -> None:
    path = stall / "tests" / "runtime-cases.json"
    path.write_text('[{"name": "one", "llmContent": "x"}]', encoding="utf-8")
    called = covel("test-runtime", "stall", "--trust", "stall")
    assert called.code == 1
    assert "stall/tests/runtime-cases.json:1:18: [0].llmContent: this host does" in called.err


def write_word(folder: Path) -> None:
    """A package without code, whose only runtime says a word."""
    write_package(
        folder,
        "note",
        "---\ndescription: Says a word.\nruntime:\n  schedule: { trigger: { type: manual } }\n"
        "  agent: {}\n---\nSay a word.\n",
    )


def test_companions_are_further_packages_of_the_session(covel: Covel, stall: Path) -> None:
    write_word(stall.parent)
    call = ("test-runtime", "stall/count", "--trust", "stall")
    assert covel(*call, "--with", "note").code == 0
    called = covel(*call, "--with-plugin", "nobody")
    assert called.code == 1
    assert "'nobody'" in called.err


def test_without_cases_the_only_runtime_runs(covel: Covel, plugins: Path) -> None:
    write_word(plugins)
    called = covel("test-runtime", "note")
    assert (called.code, called.out) == (0, "passed  note\n")


def test_live_cases_ask_the_configured_models(
    covel: Covel, stall: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    home.mkdir(exist_ok=True)
    (home / "llm.toml").write_text(
        '[covel.default]\nprovider = "openai"\nmodel = "gpt-x"\n', encoding="utf-8"
    )
    called = covel("test-runtime", "stall", "--trust", "stall", "--mode", "live", "--json")
    names = {case["name"]: case for case in called.json["cases"]}
    assert set(names) == {"counts", "sells", "really sells"}
    assert "OPENAI_API_KEY" in names["really sells"]["problems"][0]
