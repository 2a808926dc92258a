"""`covel plugins resolve`: the active set and every rejection, from manifests alone."""

from pathlib import Path

from tests.cli.support import STORY, Covel, copy_echo, write_package


def package(folder: Path, name: str, fields: str = "") -> Path:
    return write_package(folder, name, f"---\ndescription: One of several.\n{fields}---\n")


def test_requested_packages_bring_their_providers(covel: Covel, plugins: Path) -> None:
    package(plugins, "book", "requires: [ink@1]\n")
    package(plugins, "ink-pot", "provides: [ink@1]\n")
    package(plugins, "unasked")
    resolved = covel("plugins", "resolve", "book")
    assert (resolved.code, resolved.err) == (0, "")
    assert resolved.out == (
        "Active (2):\n  book     requested\n  ink-pot  provider   provides ink@1 for book\n"
    )


def test_each_rejection_has_code_message_and_candidates(covel: Covel, plugins: Path) -> None:
    package(plugins, "book", "requires: [ink@1]\n")
    for name in ("black", "blue"):
        package(plugins, name, "provides: [ink@1]\n")
    resolved = covel("plugins", "resolve", "book", "--json")
    assert resolved.code == 1
    assert resolved.json == {
        "active": [],
        "autoAdded": [],
        "rejected": [
            {
                "pluginId": "book",
                "code": "ambiguous-provider",
                "reason": "Package 'book' requires 'ink@1', which several packages provide: "
                "black, blue. Request one of them.",
                "candidates": ["black", "blue"],
            }
        ],
        "unusable": [],
    }
    text = covel("plugins", "resolve", "book").out
    assert "No package is active." in text
    assert "  book: ambiguous-provider\n" in text
    assert "    candidates: black, blue\n" in text


def test_an_excluded_package_stays_out(covel: Covel, plugins: Path) -> None:
    package(plugins, "book", "requires: [ink@1]\n")
    for name in ("black", "blue"):
        package(plugins, name, "provides: [ink@1]\n")
    resolved = covel("plugins", "resolve", "book", "--exclude", "black", "--json")
    assert resolved.code == 0
    assert [one["pluginId"] for one in resolved.json["active"]] == ["book", "blue"]
    assert resolved.json["autoAdded"] == ["blue"]
    assert resolved.json["active"][1]["neededBy"] == {"ink@1": ["book"]}


def test_core_packages_come_unasked(covel: Covel, plugins: Path) -> None:
    package(plugins, "base", "kind: core\n")
    package(plugins, "book")
    resolved = covel("plugins", "resolve", "book", "--json").json
    assert {one["pluginId"]: one["why"] for one in resolved["active"]} == {
        "book": "requested",
        "base": "core",
    }


def test_without_names_every_package_is_asked_for(covel: Covel, plugins: Path) -> None:
    package(plugins, "book", "conflicts: [ink@1]\n")
    package(plugins, "ink-pot", "provides: [ink@1]\n")
    resolved = covel("plugins", "resolve")
    assert resolved.code == 0
    assert "  ink-pot: conflict\n" in resolved.out


def test_untrusted_code_needs_approval_and_says_how(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    write_package(plugins, "story", STORY)
    resolved = covel("plugins", "resolve")
    assert "  story  requested\n" in resolved.out
    assert "  echo-demo: approval-required\n" in resolved.out
    assert "    allow its code: --trust echo-demo\n" in resolved.out
    trusted = covel("plugins", "resolve", "--trust", "echo-demo", "--json")
    assert trusted.json["rejected"] == []


def test_an_unknown_name_and_a_package_with_errors_are_told_apart(
    covel: Covel, plugins: Path
) -> None:
    package(plugins, "broken", "licence: MIT\n")
    resolved = covel("plugins", "resolve", "broken", "nowhere")
    assert resolved.code == 1
    assert "  nowhere: unknown-plugin\n" in resolved.out
    assert "  broken  1 error  covel plugins show broken\n" in resolved.out
    assert "broken: " not in resolved.out
    as_json = covel("plugins", "resolve", "broken", "--json").json
    assert as_json["unusable"] == [{"pluginId": "broken", "errors": 1}]
