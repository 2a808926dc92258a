import pytest

from covel_host.models.errors import ModelError
from covel_host.models.providers import BUILTIN_PROVIDERS, is_loopback, key_variable, same_origin
from covel_host.models.slots import ApiKey, SlotTable
from tests.models.support import make_slot, make_table, sourced

STORY = make_slot()
FAST = make_slot(name="fast")
IMAGE = make_slot(name="image", tag=sourced("image"))


def test_a_named_slot_answers() -> None:
    assert make_table(STORY, FAST).for_text("fast") is FAST


def test_an_unconfigured_role_falls_to_an_existing_text_slot() -> None:
    default = make_slot(name="default")

    assert make_table(FAST, STORY).for_text("memory") is STORY
    assert make_table(FAST, STORY, default).for_text(None) is default
    assert make_table(IMAGE, FAST).for_text("memory") is FAST


def test_without_a_text_slot_nothing_answers() -> None:
    assert SlotTable({}).for_text("story") is None
    assert make_table(IMAGE).for_text(None) is None


def test_a_task_never_falls_across_tags() -> None:
    with pytest.raises(ModelError, match="never falls back across tags") as caught:
        make_table(IMAGE, STORY).for_text("image")

    assert caught.value.code == "config-error"


def test_an_exact_name_must_exist() -> None:
    with pytest.raises(ModelError) as caught:
        make_table(STORY, FAST).exact("storyy")

    assert "configured are: story, fast" in caught.value.message
    assert caught.value.hint == "Did you mean 'story'?"


@pytest.mark.parametrize(
    ("changes", "code", "word"),
    [
        ({"tag": sourced("image")}, "not-supported-yet", "'image'"),
        (
            {"protocol": sourced("typesafe-systemone-v1")},
            "not-supported-yet",
            "'typesafe-systemone-v1'",
        ),
        ({"needs_key": True, "key": ApiKey("LAB_API_KEY", None)}, "config-error", "LAB_API_KEY"),
    ],
)
def test_a_slot_says_why_it_gives_no_text(changes: dict[str, object], code: str, word: str) -> None:
    problem = make_slot(**changes).problem()

    assert problem is not None
    assert (problem.code, problem.facts.slot) == (code, "story")
    assert word in problem.message


@pytest.mark.parametrize(
    ("requested", "own", "window", "expected"),
    [
        (None, None, None, None),
        (50, None, None, 50),
        (None, 4_000, None, 4_000),
        (None, 40_000, None, 16_384),
        (None, None, 8_000, 4_000),
        (9_000, 4_000, 100_000, 4_000),
        (30_000, None, 1_000_000, 30_000),
    ],
)
def test_output_limits_stay_within_what_is_known(
    requested: int | None, own: int | None, window: int | None, expected: int | None
) -> None:
    slot = make_slot(
        max_output_tokens=own and sourced(own), context_window=window and sourced(window)
    )

    assert slot.output_limit(requested) == expected


def test_built_in_addresses_are_safe() -> None:
    for provider in BUILTIN_PROVIDERS.values():
        assert provider.base_url.startswith("https://") or is_loopback(provider.base_url)


def test_key_variables_follow_the_providers_name() -> None:
    assert key_variable("openai") == "OPENAI_API_KEY"
    assert key_variable("my-lab") == "MY_LAB_API_KEY"


@pytest.mark.parametrize("url", ["https://127.0.0.1.example/v1", "http://10.0.0.1", "https://x"])
def test_other_hosts_are_no_loopback(url: str) -> None:
    assert not is_loopback(url)


def test_an_origin_is_scheme_host_and_port() -> None:
    assert same_origin("https://a.example/v1", "https://A.example/other")
    assert not same_origin("https://a.example/v1", "http://a.example/v1")
    assert not same_origin("https://a.example/v1", "https://a.example:8443/v1")
