"""What a protocol needs that may not be there."""

import importlib.util
from typing import Any

import pytest

from covel_host.models.providers import missing_extra
from tests.models.support import make_slot, sourced


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    real = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> Any:
        if name in missing:
            return None
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(name)
        return real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)


@pytest.mark.parametrize(
    ("protocol", "module", "extra"),
    [
        ("anthropic-messages-v1", "anthropic", "anthropic"),
        ("google-generative-ai-v1", "google.genai", "google"),
        ("google-generative-ai-v1", "google", "google"),
    ],
)
def test_a_missing_extra_is_named_with_its_install_command(
    monkeypatch: pytest.MonkeyPatch, protocol: Any, module: str, extra: str
) -> None:
    without(monkeypatch, module)
    problem = make_slot(protocol=sourced(protocol)).problem()

    assert problem is not None
    assert problem.code == "config-error"
    assert "'story'" in problem.message
    assert problem.hint == f"Run: pip install 'covel-host[{extra}]'"


@pytest.mark.parametrize("protocol", ["openai-chat-v1", "openai-responses-v1"])
def test_openais_formats_need_no_extra(monkeypatch: pytest.MonkeyPatch, protocol: Any) -> None:
    without(monkeypatch, "anthropic", "google")

    assert missing_extra(protocol, slot_name="story") is None


@pytest.mark.parametrize("protocol", ["anthropic-messages-v1", "google-generative-ai-v1"])
def test_vectors_come_in_openais_format_alone(protocol: Any) -> None:
    problem = make_slot(tag=sourced("embedding"), protocol=sourced(protocol)).problem()

    assert problem is not None
    assert "not served for the tag 'embedding'" in problem.message
