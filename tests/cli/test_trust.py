"""`covel trust`: what is granted, for how long, and what an edit or a revocation does to it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import STORY, Covel, copy_echo, write_package

RUN = ("run", "echo-demo", "--model", "offline", "--payload", '{"value": "moss"}')


def states(covel: Covel) -> dict[str, str]:
    listed = covel("trust", "list", "--json").json["packages"]
    return {facts["id"]: facts["state"] for facts in listed}


def rows(shown: str) -> dict[str, str]:
    """The facts that stand before a grant, by name."""
    lines = (line.strip().split(maxsplit=1) for line in shown.splitlines())
    return {line[0]: line[1] for line in lines if len(line) == 2}


def test_a_grant_lets_the_code_run_from_then_on(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    assert states(covel) == {"echo-demo": "discovered"}
    assert "nobody" not in covel("trust", "list").out
    granted = covel("trust", "grant", "echo-demo", "--yes")
    assert granted.code == 0
    assert granted.out.endswith("The code of 'echo-demo' is trusted.\n")
    assert states(covel) == {"echo-demo": "approved"}
    assert covel("plugins", "list", "--load").code == 0
    assert states(covel) == {"echo-demo": "loaded"}


def test_what_is_granted_is_shown_before(covel: Covel, plugins: Path) -> None:
    package = write_package(
        plugins,
        "caller",
        "---\ndescription: Calls.\ncontributes:\n  tools: [look]\nruntime:\n"
        "  schedule: { trigger: { type: manual } }\n"
        "  permissions:\n    http:\n"
        "      - { origin: 'https://example.org', methods: [GET] }\n---\nCall.\n",
        "raise SystemExit('not now')\n",
    )
    (package / "server" / "help.py").write_text("# help\n", encoding="utf-8")
    shown = covel("trust", "grant", "caller", "--yes").out
    assert str(package) in shown
    assert "2 modules" in shown
    assert "server/help.py  7 bytes" in shown
    assert rows(shown)["contributes.tools"] == "look"
    assert "https://example.org (GET)" in shown
    granted = covel("trust", "grant", "caller", "--json").json
    assert granted["hasChanged"] is False
    assert granted["contentHash"] in shown
    assert granted["http"] == [
        {"runtime": "caller", "origin": "https://example.org", "methods": ["GET"]}
    ]


def test_without_a_terminal_nothing_is_granted_unasked(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    refused = covel("trust", "grant", "echo-demo", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "not-confirmed")
    assert "--yes" in refused.json["error"]["hint"]
    assert states(covel) == {"echo-demo": "discovered"}


@pytest.mark.parametrize(("answer", "state"), [("y\n", "approved"), ("\n", "discovered")])
def test_at_a_terminal_a_person_is_asked(
    covel: Covel, plugins: Path, terminal: Callable[[str], None], answer: str, state: str
) -> None:
    copy_echo(plugins)
    terminal(answer)
    done = covel("trust", "grant", "echo-demo")
    assert "may do whatever you may" in done.err
    assert done.code == (0 if state == "approved" else 1)
    assert states(covel) == {"echo-demo": state}


def test_a_package_that_has_changed_is_untrusted_and_says_what_was_trusted(
    covel: Covel, plugins: Path
) -> None:
    package = copy_echo(plugins)
    before = covel("trust", "grant", "echo-demo", "--yes", "--json").json["contentHash"]
    with (package / "server" / "index.py").open("a", encoding="utf-8") as file:
        file.write("open('ran', 'w')\n")
    (facts,) = covel("trust", "list", "--json").json["packages"]
    assert facts["state"] == "discovered"
    assert facts["lastGrant"]["contentHash"] == before
    assert facts["lastGrant"]["grantedAt"][:4].isdigit()
    for place in (
        covel("trust", "list").out,
        covel("plugins", "show", "echo-demo").out,
        covel("doctor").out,
        covel(*RUN).err,
    ):
        assert "it has changed since it was trusted on " in place
        assert before[:12] in place
    assert not Path("ran").exists()
    granted = covel("trust", "grant", "echo-demo", "--yes")
    assert rows(granted.out)["before"].startswith(f"{before}, granted 20")
    assert states(covel) == {"echo-demo": "approved"}


def test_the_old_content_is_trusted_again_when_it_comes_back(covel: Covel, plugins: Path) -> None:
    package = copy_echo(plugins)
    covel("trust", "grant", "echo-demo", "--yes")
    (package / "extra.py").write_text("", encoding="utf-8")
    assert states(covel) == {"echo-demo": "discovered"}
    (package / "extra.py").unlink()
    assert states(covel) == {"echo-demo": "approved"}


def test_a_revoked_grant_is_kept_as_revoked(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    covel("trust", "grant", "echo-demo", "--yes")
    assert covel("trust", "revoke", "echo-demo").out == "The trust in 'echo-demo' is revoked.\n"
    assert states(covel) == {"echo-demo": "revoked"}
    assert "its trust was revoked on" in covel(*RUN).err
    again = covel("trust", "revoke", "echo-demo", "--json")
    assert (again.code, again.json["error"]["code"]) == (1, "not-granted")
    covel("trust", "grant", "echo-demo", "--yes")
    assert states(covel) == {"echo-demo": "approved"}


def test_a_revocation_goes_before_the_setting_and_says_so(
    covel: Covel, plugins: Path, home: Path
) -> None:
    copy_echo(plugins)
    (home / "settings.toml").write_text('trusted = ["echo-demo"]\n', encoding="utf-8")
    assert states(covel) == {"echo-demo": "approved"}
    revoked = covel("trust", "revoke", "echo-demo", "--json").json
    assert (revoked["overrules"], revoked["stillTrustedBy"]) == ("settings.toml", None)
    assert states(covel) == {"echo-demo": "revoked"}
    assert covel(*RUN).code == 1
    covel("trust", "grant", "echo-demo", "--yes")
    assert states(covel) == {"echo-demo": "approved"}


def test_what_still_trusts_after_a_revocation_is_named(
    covel: Covel, plugins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_echo(plugins)
    covel("trust", "grant", "echo-demo", "--yes")
    monkeypatch.setenv("COVEL_TRUST", "echo-demo")
    assert "COVEL_TRUST trusts it all the same" in covel("trust", "revoke", "echo-demo").out
    refused = covel("trust", "revoke", "echo-demo", "--json").json["error"]
    assert (refused["code"], "COVEL_TRUST" in refused["message"]) == ("not-granted", True)


def test_the_grant_of_a_package_that_is_gone_can_be_revoked(covel: Covel, plugins: Path) -> None:
    package = copy_echo(plugins)
    covel("trust", "grant", "echo-demo", "--yes")
    package.rename(package.with_name("moved-away"))
    (facts,) = (
        facts
        for facts in covel("trust", "list", "--json").json["packages"]
        if facts["id"] == "echo-demo"
    )
    assert (facts["path"], facts["refusal"]) == (None, "the package is not here")
    assert covel("trust", "revoke", "echo-demo").code == 0
    assert states(covel)["echo-demo"] == "revoked"


def test_a_copy_of_a_trusted_package_under_another_name_is_not_trusted(
    covel: Covel, plugins: Path
) -> None:
    copy_echo(plugins)
    covel("trust", "grant", "echo-demo", "--yes")
    copy_echo(plugins, "echo-copy")
    assert states(covel)["echo-copy"] == "discovered"


@pytest.mark.parametrize(
    ("plugin_id", "code"),
    [("bundled-one", "bundled-package"), ("teller", "no-code"), ("broken", "package-invalid")],
)
def test_what_needs_no_grant_or_cannot_have_one_is_refused(
    covel: Covel, plugins: Path, tmp_path: Path, plugin_id: str, code: str
) -> None:
    copy_echo(tmp_path / "bundled", "bundled-one")
    write_package(plugins, "teller", STORY)
    write_package(plugins, "broken", "---\ndescription: [\n---\n", "")
    refused = covel("trust", "grant", plugin_id, "--yes", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, code)


@pytest.mark.parametrize("verb", ["grant", "revoke"])
def test_an_unknown_id_names_the_nearest(covel: Covel, plugins: Path, verb: str) -> None:
    copy_echo(plugins)
    refused = covel("trust", verb, "echo-dem")
    assert refused.code == 1
    assert "Did you mean 'echo-demo'?" in refused.err


def test_a_bundled_package_has_no_trust_to_take_back(
    covel: Covel, plugins: Path, tmp_path: Path
) -> None:
    copy_echo(tmp_path / "bundled", "bundled-one")
    refused = covel("trust", "revoke", "bundled-one", "--json").json["error"]
    assert refused["code"] == "bundled-package"
    assert "covel plugins disable bundled-one" in refused["hint"]


def test_an_empty_list_says_so(covel: Covel, plugins: Path) -> None:
    write_package(plugins, "teller", STORY)
    assert "No package here brings code" in covel("trust", "list").out
    assert covel("trust", "list", "--json").json == {"packages": []}


def test_a_damaged_file_of_grants_stops_every_command_and_names_it(
    covel: Covel, plugins: Path, home: Path
) -> None:
    copy_echo(plugins)
    (home / "trust.json").write_text("{", encoding="utf-8")
    for command in (("trust", "list"), ("plugins", "list"), RUN):
        refused = covel(*command, "--json")
        assert (refused.code, refused.json["error"]["code"]) == (1, "trust-file-unusable")
    assert str(home / "trust.json") in covel("doctor").out


def test_an_answer_at_the_terminal_holds_for_what_was_asked_about(
    covel: Covel, plugins: Path, terminal: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = copy_echo(plugins)
    terminal("y\n")

    def edit_and_agree(*_: Any, **__: Any) -> bool:
        (package / "server" / "index.py").write_text("open('ran', 'w')\n", encoding="utf-8")
        return True

    monkeypatch.setattr("covel_host.cli.approval.click.confirm", edit_and_agree)
    assert covel(*RUN).code == 1
    assert not Path("ran").exists()


def test_the_file_is_of_this_person_alone(covel: Covel, plugins: Path, home: Path) -> None:
    copy_echo(plugins)
    covel("trust", "grant", "echo-demo", "--yes")
    assert os.stat(home / "trust.json").st_mode & 0o077 == 0
    assert json.loads((home / "trust.json").read_text(encoding="utf-8"))["version"] == 1
