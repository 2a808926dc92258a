"""`covel jobs`: what waits, running it, cancelling, trying again."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import Covel
from tests.support.casts import cast, function

HEARS = {"trigger": {"type": "event", "topic": "bell.rung"}, "background": True}
RINGS = {"events": [{"topic": "bell.rung", "schema": "./any.json", "description": "It rang."}]}
RING = 'return success(1, effects=Effects(events=[Event("bell.rung", {})]))'
HEAR = """
if await ctx.plugin_data.get("notes", "heard") is None:
    pass
return failed("Too \\u001b[31mloud.")
"""


@pytest.fixture
def session_id(covel: Covel, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A session in which a run by hand has queued a job."""
    monkeypatch.setenv("COVEL_TRUST", "bell")
    cast(
        home,
        "bell",
        {
            "ring": function(RING, schedule={"trigger": {"type": "manual"}}),
            "hear": function(HEAR, schedule=HEARS),
        },
        contributes=RINGS,
    )
    ran = covel("run", "bell/ring", "--json")
    assert ran.code == 0, ran.err
    return str(json.loads(ran.out)["sessionId"])


def items(covel: Covel, session_id: str) -> list[dict[str, Any]]:
    listed = covel("jobs", "list", session_id, "--json")
    assert listed.code == 0, listed.err
    found: list[dict[str, Any]] = json.loads(listed.out)["items"]
    return found


def test_jobs_are_listed_and_run(covel: Covel, session_id: str) -> None:
    (job,) = items(covel, session_id)
    assert (job["state"], job["activation"], job["runtimeId"]) == ("queued", "event", "bell/hear")
    assert job["id"] in covel("jobs", "list", session_id).out
    ran = covel("jobs", "run", session_id)
    assert ran.code == 1
    assert f"job {job['id']} of bell/hear: failed" in ran.err
    assert "\x1b" not in ran.err
    (ended,) = items(covel, session_id)
    assert ended["failure"]["code"] == "runtime-reported-failure"
    assert ended["turnId"] is not None
    assert covel("jobs", "run", session_id).out == "No job waits.\n"


def test_a_job_is_tried_again_as_a_new_one(covel: Covel, session_id: str) -> None:
    (job,) = items(covel, session_id)
    early = covel("jobs", "retry", session_id, job["id"])
    assert (early.code, "is queued" in early.err) == (1, True)
    covel("jobs", "run", session_id)
    again = covel("jobs", "retry", session_id, job["id"], "--json")
    assert again.code == 0, again.err
    made = json.loads(again.out)
    assert (made["state"], made["retryOf"]) == ("queued", job["id"])
    assert [one["id"] for one in items(covel, session_id)] == [made["id"], job["id"]]


def test_a_job_is_cancelled(covel: Covel, session_id: str) -> None:
    (job,) = items(covel, session_id)
    gone = covel("jobs", "cancel", session_id, job["id"])
    assert gone.code == 0, gone.err
    assert gone.out == f"{job['id']}: cancelled, It was cancelled by a person.\n"
    again = covel("jobs", "cancel", session_id, job["id"])
    assert (again.code, "has ended already" in again.err) == (1, True)
    unknown = covel("jobs", "cancel", session_id, "job-x")
    assert (unknown.code, "no job 'job-x'" in unknown.err) == (1, True)
