from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from covel_host.catalog.load_results import LoadResult
from covel_host.catalog.sources import read_sources
from covel_host.catalog.trust import (
    GRANTED,
    LASTING,
    Grant,
    TrustPolicy,
    trust_state,
    without_modules,
)
from covel_host.catalog.trust_records import Ended, TrustFile, TrustRecord


def test_bundled_packages_run_without_being_named() -> None:
    grant = TrustPolicy().grant("narrator", source="builtin", content_hash="abc")
    assert grant == Grant("narrator", "abc", "bundled")


def test_a_community_package_runs_only_when_it_is_named() -> None:
    policy = TrustPolicy({"moss-ledger": "COVEL_TRUST"})
    assert policy.grant("echo-demo", source="community", content_hash="abc") is None
    grant = policy.grant("moss-ledger", source="community", content_hash="abc")
    assert grant == Grant("moss-ledger", "abc", "COVEL_TRUST")


def test_naming_one_more_leaves_the_first_policy_as_it_was() -> None:
    policy = TrustPolicy()
    wider = policy.with_grant("echo-demo", content_hash="abc", origin="this terminal")
    assert wider.grant("echo-demo", source="community", content_hash="abc") is not None
    assert policy.grant("echo-demo", source="community", content_hash="abc") is None


AT = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)


def recorded(*, ended: Ended | None = None) -> TrustPolicy:
    record = TrustRecord(
        plugin_id="moss", content_hash="a" * 64, granted_at=AT, ended=ended, ended_at=AT
    )
    return TrustPolicy(records={"moss": record})


def allowed(policy: TrustPolicy, content_hash: str, root: Path | None = None) -> str | None:
    grant = policy.grant("moss", source="community", content_hash=content_hash, root=root)
    return None if grant is None else grant.origin


def test_a_recorded_grant_holds_for_its_content_alone() -> None:
    assert allowed(recorded(), "a" * 64) == "covel trust grant"
    assert allowed(recorded(), "b" * 64) is None


@pytest.mark.parametrize("ended", ["revoked", "uninstalled"])
def test_a_grant_that_has_ended_holds_no_more(ended: Ended) -> None:
    assert allowed(recorded(ended=ended), "a" * 64) is None


def test_a_grant_of_this_process_holds_for_its_content_alone() -> None:
    policy = TrustPolicy().with_grant("moss", content_hash="a", origin="this terminal")
    assert allowed(policy, "a") == "this terminal"
    assert allowed(policy, "b") is None


def test_a_folder_is_trusted_with_what_lies_right_in_it(tmp_path: Path) -> None:
    policy = TrustPolicy().with_folder(tmp_path / "dev", origin="covel dev")
    assert allowed(policy, "a", tmp_path / "dev" / "moss") == "covel dev"
    assert allowed(policy, "a", tmp_path / "dev") == "covel dev"
    assert allowed(policy, "a", tmp_path / "dev" / "more" / "moss") is None
    assert allowed(policy, "a", tmp_path / "other" / "moss") is None
    assert allowed(policy, "a") is None


def test_a_refusal_says_what_was_trusted_and_when() -> None:
    assert TrustPolicy().refusal("moss", content_hash="a") == "nobody has trusted it"
    assert recorded().refusal("moss", content_hash="b" * 64) == (
        "it has changed since it was trusted on 2026-05-06 07:08:09 UTC; trusted was the content "
        "aaaaaaaaaaaa, it is now bbbbbbbbbbbb"
    )
    assert recorded(ended="revoked").refusal("moss", content_hash="b") == (
        "its trust was revoked on 2026-05-06 07:08:09 UTC"
    )
    assert "uninstall" in recorded(ended="uninstalled").refusal("moss", content_hash="b")


def test_the_states_of_trust() -> None:
    grant = Grant("moss", "a", "--trust")
    ended = recorded(ended="revoked").records["moss"]
    loaded = LoadResult(plugin_id="moss", content_hash="a", status="loaded", duration_ms=1)
    failed = replace(loaded, status="error")
    assert trust_state(None, None, None) == "discovered"
    assert trust_state(None, recorded().records["moss"], loaded) == "discovered"
    assert trust_state(grant, None, None) == "approved"
    assert trust_state(grant, None, failed) == "approved"
    assert trust_state(grant, None, loaded) == "loaded"
    assert trust_state(None, ended, loaded) == "revoked"
    assert trust_state(grant, ended, None) == "approved"


def test_sources_without_a_grant_hold_nothing_to_run(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text("")
    (tmp_path / "a.json").write_text("{}")
    sources = read_sources(tmp_path)
    kept = without_modules(sources)
    assert (dict(kept.modules), kept.documents, kept.content_hash) == (
        ({}, sources.documents, sources.content_hash)
    )


def test_grants_of_other_processes_count_from_the_next_look_on(tmp_path: Path) -> None:
    file = TrustFile(tmp_path / "trust.json")
    policy = TrustPolicy(file=file)
    assert origin_of(policy.current()) is None
    file.grant("moss", content_hash="a", at=AT)
    assert origin_of(policy.current()) == GRANTED
    file.end("moss", content_hash="a", ended="revoked", at=AT)
    assert origin_of(policy.current()) is None


def test_what_is_revoked_meanwhile_goes_before_the_lasting_setting_alone(tmp_path: Path) -> None:
    file = TrustFile(tmp_path / "trust.json")
    file.end("moss", content_hash="a", ended="revoked", at=AT)
    assert origin_of(TrustPolicy({"moss": LASTING}, file=file).current()) is None
    assert origin_of(TrustPolicy({"moss": "--trust"}, file=file).current()) == "--trust"


def test_a_file_that_has_become_unreadable_trusts_nothing_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "trust.json"
    file = TrustFile(path)
    file.grant("moss", content_hash="a", at=AT)
    policy = TrustPolicy({"fern": LASTING}, file=file, records=file.read())
    path.write_text("{", encoding="utf-8")
    now = policy.current()
    assert origin_of(now) is None
    assert origin_of(now, "fern") is None
    assert now.refusal("moss", content_hash="a") == (
        f"the grants in {str(path)!r} cannot be used: it is not what `covel trust` writes"
    )


def origin_of(policy: TrustPolicy, plugin_id: str = "moss") -> str | None:
    grant = policy.grant(plugin_id, source="community", content_hash="a")
    return None if grant is None else grant.origin
