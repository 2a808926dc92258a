"""The model-facing projection and the instruction language.

Their vectors run with the envelopes.
"""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk.rules.instruction_locale import instruction_locale_for
from plugin_sdk.rules.model_facing import model_facing_json

UUID = "3f2b8c1e-9d4a-4c7b-8a6e-1f0d2c3b4a59"
KEYS = ["id", "ownerId", "memberIds", "sessionId", "timestamp", "createdAt", "name", "paid", "Id"]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(UUID)
    | st.just("2024-05-01T10:00:00Z")
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
)


@given(JSON)
def test_a_projected_value_is_its_own_projection(value: Any) -> None:
    before = json.dumps(value)
    projected = model_facing_json(value)
    assert model_facing_json(projected) == projected
    assert json.dumps(value) == before


@given(JSON)
def test_nothing_but_members_is_left_out(value: Any) -> None:
    def check(full: Any, shown: Any) -> None:
        if isinstance(full, dict):
            assert set(shown) <= set(full)
            for key, item in shown.items():
                check(full[key], item)
        elif isinstance(full, list):
            assert len(full) == len(shown)
            for left, right in zip(full, shown, strict=True):
                check(left, right)
        else:
            assert full is shown

    check(value, model_facing_json(value))


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("id", UUID.upper(), False),
        ("id", f"npc-{UUID}", True),
        ("rowId", [UUID], False),
        ("rowIds", [], True),
        ("rowIds", [UUID, "npc-a"], True),
        ("rowIds", UUID, False),
        ("paid", UUID, True),
        ("createdAt", "2024-05-01T10:00", False),
        ("createdAt", "2024-05-01T10:00:00.123456+08:00", False),
        ("createdAt", "2024-05-01", True),
        ("createdAt", 1714557600000, True),
        ("At", "2024-05-01T10:00:00Z", False),
        ("format", "2024-05-01T10:00:00Z", True),
        ("session_id", "x", True),
    ],
)
def test_member(key: str, value: Any, kept: bool) -> None:
    assert (key in model_facing_json({key: value})) == kept  # type: ignore[operator]


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("zh", "zh"),
        ("zh_CN", "zh"),
        ("ZH-hans", "zh"),
        ("zh-Hans-TW", "zh"),
        ("zh-SG", "zh"),
        ("zh-Hant", "en"),
        ("zh-Hant-CN", "en"),
        ("zh-Latn", "en"),
        ("zh-HK", "en"),
        ("zh_MO", "en"),
        ("zha", "en"),
        ("ja-JP", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_instruction_language(locale: str | None, language: str) -> None:
    assert instruction_locale_for(locale, {}) == language


@pytest.mark.parametrize(
    ("forced", "language"), [(" ZH ", "zh"), ("en", "en"), ("fr", "zh"), ("", "zh")]
)
def test_the_variable_forces_a_language_it_knows(forced: str, language: str) -> None:
    assert instruction_locale_for("zh", {"COVEL_INSTRUCTION_LOCALE": forced}) == language
