"""What a request for a sub-agent may hold, whether a model or code makes it."""

from typing import Any

import pytest

from covel_host.tools.builtin.delegate import delegate, read_delegation
from covel_host.tools.subagents import Delegation
from plugin_sdk.errors import ToolValidationError


def request(**members: Any) -> dict[str, Any]:
    return {"target": {"contract": "scout@1"}, "brief": "Look.", **members}


def test_a_request_is_read_with_all_its_members() -> None:
    given = request(data={"place": "pier"}, maxSteps=3, character=None)
    assert read_delegation(given) == Delegation(
        brief="Look.", contract="scout@1", data={"place": "pier"}, max_steps=3
    )


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"target": {}}, "target"),
        ({"target": {"contract": "a@1", "runtimeId": "b"}}, "target"),
        ({"brief": ""}, "brief"),
        ({"brief": "x" * 20_001}, "brief"),
        ({"data": {"text": "é" * 16_384}}, "data"),
        ({"data": [1]}, "data"),
        ({"data": {"when": object()}}, "data.when"),
        ({"character": "x" * 81}, "character"),
        ({"instruction": "x" * 2_001}, "instruction"),
        ({"maxSteps": 0}, "maxSteps"),
        ({"maxSteps": 1.5}, "maxSteps"),
    ],
)
def test_a_request_beyond_its_limits_is_refused_by_field(
    members: dict[str, Any], path: str
) -> None:
    with pytest.raises(ToolValidationError) as caught:
        read_delegation(request(**members))
    assert [problem.path for problem in caught.value.details] == [path]


def test_it_stages_writes_and_runs_alone() -> None:
    annotations = delegate.annotations
    assert (annotations.read_only, annotations.stages_writes) == (False, True)
    assert (annotations.idempotent, annotations.concurrency_safe) == (False, False)
