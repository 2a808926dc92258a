"""`covel models`: slots, where each setting comes from, test calls; never a key."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.chat_server import ChatServer, chat_server
from tests.cli.support import STORY, Covel, write_package

SLOTS = """\
[covel.story]
provider = "openai"
model = "gpt-story"
contextWindow = 8000

[covel.local]
provider = "ollama"
model = "small"
"""


@pytest.fixture
def slots(home: Path) -> Path:
    home.mkdir()
    file = home / "llm.toml"
    file.write_text(SLOTS, encoding="utf-8")
    return file


@pytest.fixture
def server(home: Path) -> Iterator[ChatServer]:
    """A local OpenAI-compatible server, and a slot that goes to it."""
    with chat_server("Ready, ", "indeed.") as running:
        home.mkdir()
        (home / "llm.toml").write_text(
            f'[covel.story]\nprovider = "here"\nmodel = "m1"\nbaseUrl = "{running.url}"\n',
            encoding="utf-8",
        )
        yield running


def test_without_configuration_the_offline_model_answers_and_that_is_said(covel: Covel) -> None:
    shown = covel("models")
    assert shown.code == 0
    assert "the offline model answers" in shown.out
    assert covel("models", "--json").json["answers"] == "offline"


def test_every_setting_has_its_origin(
    covel: Covel, slots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    shown = covel("models").out
    assert f"{slots}:3" in shown
    assert f"{slots}:4" in shown
    assert "built-in provider table" in shown
    assert "OPENAI_API_KEY, set" in shown
    assert "go to 'story'" in shown


def test_a_key_is_never_shown(covel: Covel, slots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    for arguments in ((), ("--json",)):
        assert "sk-very-secret" not in covel("models", *arguments).out


def test_a_missing_key_is_named_with_what_to_do(covel: Covel, slots: Path) -> None:
    shown = covel("models", "--json").json["slots"]
    story, local = shown
    assert story["key"] == {
        "variable": "OPENAI_API_KEY",
        "isSet": False,
        "isNeeded": True,
        "withheld": None,
    }
    assert story["isReady"] is False
    assert "OPENAI_API_KEY" in story["problem"]["message"]
    assert local["isReady"] is True


def test_a_slot_that_cannot_answer_fails_its_test(covel: Covel, slots: Path) -> None:
    tested = covel("models", "--test", "story", "--json")
    assert tested.code == 1
    assert tested.json["tests"]["story"]["error"]["kind"] == "config"


def test_the_offline_model_can_be_tested(covel: Covel) -> None:
    tested = covel("models", "--test", "--json")
    assert tested.code == 0
    assert tested.json["tests"]["offline"]["isOk"] is True


def test_an_unknown_slot_is_refused_with_the_nearest(covel: Covel, slots: Path) -> None:
    refused = covel("models", "--test", "stori")
    assert refused.code == 1
    assert "Did you mean 'story'?" in refused.err


def test_a_broken_file_is_named_with_its_line(covel: Covel, home: Path) -> None:
    home.mkdir()
    (home / "llm.toml").write_text('[covel.story]\nprovider = "openai"\n', encoding="utf-8")
    refused = covel("models", "--json")
    assert refused.code == 1
    assert "llm.toml" in refused.json["error"]["message"]
    assert "model" in refused.json["error"]["message"]


def test_a_test_call_reaches_the_server_and_shows_its_answer(
    covel: Covel, server: ChatServer
) -> None:
    tested = covel("models", "--test", "story", "--json")
    result = tested.json["tests"]["story"]
    assert tested.code == 0
    assert (result["isOk"], result["text"]) == (True, "Ready, indeed.")
    assert [request["model"] for request in server.requests] == ["m1"]
    assert "ok in " in covel("models", "--test").out


def test_half_a_character_in_an_answer_is_shown_as_unknown(covel: Covel, home: Path) -> None:
    with chat_server("half \ud800") as running:
        home.mkdir()
        (home / "llm.toml").write_text(
            f'[covel.story]\nprovider = "here"\nmodel = "m1"\nbaseUrl = "{running.url}"\n',
            encoding="utf-8",
        )
        tested = covel("models", "--test", "--json")
    assert tested.code == 0
    assert "half \N{REPLACEMENT CHARACTER}" in tested.out


def test_a_server_that_is_gone_fails_the_test_with_its_kind(
    covel: Covel, server: ChatServer
) -> None:
    server.stop()
    tested = covel("models", "--test", "story", "--json")
    assert tested.code == 1
    assert tested.json["tests"]["story"]["error"]["kind"] == "unreachable"
    assert "failed, unreachable" in covel("models", "--test").out


def test_a_run_streams_from_the_configured_server(
    covel: Covel, server: ChatServer, home: Path
) -> None:
    write_package(home / "plugins", "teller", STORY)
    ran = covel("run", "teller")
    assert (ran.code, ran.out) == (0, "Ready, indeed.\n")
    assert "offline" not in ran.err
