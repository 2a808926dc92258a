"""Nothing secret is kept, nothing else is lost."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.base.json_text import dump_json
from covel_host.trace import redaction
from covel_host.trace.redaction import REDACTED, is_secret_key, redact, redact_members


@pytest.mark.parametrize(
    "key",
    [
        "apiKey",
        "api_key",
        "X-Api-Key",
        "OPENAI_API_KEY",
        "Authorization",
        "proxy-authorization",
        "Set-Cookie",
        "password",
        "dbPassword",
        "clientSecret",
        "accessToken",
        "token",
        "private_key",
        "credentials",
    ],
)
def test_members_that_name_a_credential_are_redacted(key: str) -> None:
    assert redact({key: "value"}) == {key: REDACTED}
    assert redact({"headers": [{key: {"deep": 1}}]}) == {"headers": [{key: REDACTED}]}


@pytest.mark.parametrize(
    "key",
    [
        "inputTokens",
        "maxOutputTokens",
        "summaryTokens",
        "tokenUsage",
        "key",
        "keys",
        "firstTokenTimeoutMs",
        "secretary",
        "author",
        "authorizedTools",
    ],
)
def test_members_that_only_sound_like_one_are_kept(key: str) -> None:
    assert not is_secret_key(key)
    assert redact({key: 12}) == {key: 12}


@pytest.mark.parametrize("value", [None, True, False, ""])
def test_whether_a_credential_is_set_stays_visible(value: object) -> None:
    assert redact({"apiKey": value}) == {"apiKey": value}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Authorization: Bearer abcdefgh12345678\nAccept: */*", "\nAccept: */*"),
        ("sent x-api-key: 12345 to it", "sent x-api-key: "),
        ("the header was Bearer abcdefghijklmnop.", "the header was Bearer "),
        ("key sk-proj-abcdefghijklmnop1234 is wrong", " is wrong"),
        ("https://user:pass@example.org/x", "https://"),
        ("Cookie: a=b; c=d", "Cookie: "),
    ],
)
def test_header_like_parts_of_a_text_are_redacted(text: str, kept: str) -> None:
    redacted = redact(text)
    assert isinstance(redacted, str)
    assert REDACTED in redacted
    assert kept in redacted
    for secret in ("abcdefgh", "12345", "user:pass", "a=b"):
        assert secret not in redacted


@pytest.mark.parametrize(
    "text",
    [
        "The bearer of bad news",
        "A basic lamp",
        "She authorized it",
        "http://example.org:8080/a@b",
        "sk-8",
        "https://example.org/path:x@y",
    ],
)
def test_ordinary_texts_are_kept(text: str) -> None:
    assert redact(text) == text


def test_configured_secrets_appear_nowhere() -> None:
    value = {"sesame-seed-open": ["say sesame-seed-open", {"a": "sesame-seed"}]}
    assert redact(value, secrets=["sesame-seed", "sesame-seed-open", ""]) == {
        REDACTED: [f"say {REDACTED}", {"a": REDACTED}]
    }


def test_odd_values_become_texts_that_name_their_type() -> None:
    class Broken:
        def model_dump(self, **_: Any) -> object:
            raise ZeroDivisionError

    assert redact({"a": {1, 2}, "b": float("nan"), 3: b"x", "d": Broken()}) == {
        "a": "[not JSON: set]",
        "b": "[not JSON: float]",
        "3": "[not JSON: bytes]",
        "d": "[not JSON: Broken, ZeroDivisionError]",
    }
    assert redact(datetime(2026, 1, 1, tzinfo=UTC)) == "2026-01-01T00:00:00+00:00"


def test_a_value_that_contains_itself_ends() -> None:
    loop: dict[str, Any] = {"n": 1}
    loop["a"] = loop["b"] = loop["c"] = [loop, loop]
    redacted = redact(loop)
    assert isinstance(redacted, dict)
    assert redacted["n"] == 1
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert "nested too deeply" in dump_json(redact(deep))


def test_a_value_used_twice_is_no_cycle() -> None:
    part = {"a": 1}
    assert redact([part, part]) == [part, part]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    )
)
def test_any_value_is_redacted_to_json_and_redacting_again_changes_nothing(value: object) -> None:
    once = redact(value)
    dump_json(once)
    assert redact(once) == once


def test_the_dummy_key_of_a_local_server_blanks_out_no_words() -> None:
    assert redact({"ok": "a test"}, secrets=["k", "test"]) == {"ok": "a test"}
    assert redact("my test-key-1", secrets=["test-key-1"]) == f"my {REDACTED}"


_SIGNS = "Author ization Api-Key cookie x-auth-token basic BEARER :// a:b@ sk- AIza ghp xoxb task"
_PIECES = st.sampled_from([*_SIGNS.split(), ": ", "=", " ", "\n", "é", "q" * 16])


@given(st.lists(_PIECES, max_size=8).map("".join))
def test_what_is_not_searched_by_pattern_holds_nothing_to_find(text: str) -> None:
    expected = text
    for _, pattern, replacement in redaction._SECRET_TEXTS:
        expected = pattern.sub(replacement, expected)
    assert redact(text) == expected


_TEXTS = st.sampled_from(
    [
        "",
        "plain",
        "ask the desk",
        "Bearer abcdefgh12345678",
        "sk-" + "a1" * 12,
        "hunter2-key",
        "港口\ud800",
    ]
) | st.text(max_size=12)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS | st.just(object),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(
            st.sampled_from(["text", "token", "hunter2-key"]) | _TEXTS, inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["callId", "apiKey", "result"]) | _TEXTS, _VALUES, max_size=4),
    st.sampled_from([(), ("hunter2-key",)]),
)
def test_members_of_an_event_are_redacted_as_any_value(
    members: dict[str, Any], secrets: tuple[str, ...]
) -> None:
    assert redact_members(members, secrets) == redact(members, secrets=secrets)


def test_members_of_an_event_are_a_copy() -> None:
    rows = [{"a": [1]}]
    shown: Any = redact_members({"rows": rows}, ())
    shown["rows"][0]["a"].append(2)
    assert rows == [{"a": [1]}]
