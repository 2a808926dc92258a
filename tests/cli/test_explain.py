"""`covel explain`: codes, names and reserved names, offline."""

import pytest

from covel_host.diagnostics.codes import ALL_CODES
from tests.cli.support import Covel


@pytest.mark.parametrize("subject", ["COV101", "cov101", "unknown-field"])
def test_a_code_and_its_name_mean_the_same(covel: Covel, subject: str) -> None:
    told = covel("explain", subject)
    assert told.code == 0
    assert told.out.startswith("COV101 unknown-field (error; keeps the package from being loaded")
    assert "Wrong:" in told.out


@pytest.mark.parametrize("subject", ["runtime-done", "pre_tool_use", "prompt.segment@1"])
def test_a_reserved_name_is_explained(covel: Covel, subject: str) -> None:
    told = covel("explain", subject)
    assert told.code == 0
    assert told.out.startswith(f"{subject}: ")


def test_every_code_is_explained(covel: Covel) -> None:
    for info in ALL_CODES:
        told = covel("explain", info.code, "--json").json
        assert (told["kind"], told["name"]) == ("diagnostic", info.name)
        assert told["documentation"] == info.documentation
        assert set(told["example"] or {}) <= {"wrong", "right"}


def test_json_of_a_reserved_name_says_what_kind_it_is(covel: Covel) -> None:
    told = covel("explain", "delegate", "--json").json
    assert told["kind"] == "reserved-name"
    assert told["text"].startswith("delegate: ")


def test_an_unknown_word_is_wrong_usage_with_the_nearest_names(covel: Covel) -> None:
    refused = covel("explain", "unknown-feild")
    assert refused.code == 2
    assert "'unknown-field'" in refused.err
    assert covel("explain", "zzzzzz", "--json").json["error"]["code"] == "usage"
