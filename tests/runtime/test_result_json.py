"""A result as hooks see it, and what they may make of it."""

from dataclasses import replace
from typing import Any

from covel_host.hooks.result_rules import replaced_runtime_result
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.result_json import changed_result, result_json
from plugin_sdk.hook_events import RuntimeEnd

FAILURE = RunFailure("max_steps", "It took too long.", "Ask for less.")


def proposal() -> StagedProposal:
    payload = {"namespace": "notes", "key": "a", "value": 1}
    ids = {"proposal_id": "p1", "plugin_id": "demo", "runtime_id": "demo", "run_id": "run-1"}
    return check_proposal({"type": "plugin.data", "payload": payload}, **ids)


def result(**changes: Any) -> RuntimeResult:
    made = RuntimeResult(
        plugin_id="demo",
        runtime_id="demo",
        run_id="run-1",
        turn_id="turn-1",
        status="success",
        duration_ms=3,
        output={"value": 12},
        value=12,
        has_value=True,
        proposals=(proposal(),),
    )
    return replace(made, **changes)


def changed(before: RuntimeResult, **members: Any) -> RuntimeResult:
    """`before` as a hook's answer leaves it, checked as the dispatcher does."""
    shown = result_json(before)
    return changed_result(before, replaced_runtime_result(RuntimeEnd(result=shown), members))


def test_null_is_a_value_and_none_is_told_by_the_missing_member() -> None:
    assert result_json(result(value=None, output={"value": None}))["canonicalValue"] is None
    assert "canonicalValue" not in result_json(result(has_value=False, value=None, output={}))


def test_an_untouched_result_is_the_same_result() -> None:
    for before in (
        result(),
        result(completion="done", text="Twelve."),
        result(status="failed", failure=FAILURE, value=None, has_value=False, proposals=()),
        result(status="skipped", reason="Not now.", is_explicit_skip=True),
    ):
        assert changed(before) == before


def test_a_failed_result_writes_nothing_and_blames_nobody() -> None:
    failed = changed(result(), status="failed", error={"code": "loud", "message": "Too loud."})
    assert failed.failure == RunFailure("loud", "Too loud.", counts_as_error=False)
    assert failed.proposals == ()


def test_a_success_that_failed_before_has_no_writes_either() -> None:
    failed = result(status="failed", failure=FAILURE, value=None, has_value=False, proposals=())
    saved = changed(failed, status="success", canonicalValue={"ok": True})
    assert (saved.failure, saved.proposals) == (None, ())
    assert (saved.output, saved.value) == ({"ok": True}, {"ok": True})


def test_a_skip_keeps_the_writes_and_says_why() -> None:
    skipped = changed(result(), status="skipped")
    assert skipped.reason == "A hook skipped the runtime after it had run."
    assert (skipped.is_explicit_skip, len(skipped.proposals)) == (False, 1)


def test_an_output_of_its_own_removes_the_value() -> None:
    shown = changed(result(), output={"rings": 12})
    assert (shown.output, shown.has_value, shown.value) == ({"rings": 12}, False, None)


def test_a_result_that_is_cut_short_keeps_its_audit_alone() -> None:
    cut = result(warnings=("Hm.",), steps=2).cut_short(FAILURE)
    assert (cut.status, cut.output, cut.has_value, cut.proposals) == ("failed", {}, False, ())
    assert (cut.warnings, cut.steps, cut.failure) == (("Hm.",), 2, FAILURE)
