from covel_host.catalog.trust import Grant, TrustPolicy


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
    wider = policy.with_trusted("echo-demo", origin="--trust")
    assert wider.grant("echo-demo", source="community", content_hash="abc") is not None
    assert policy.grant("echo-demo", source="community", content_hash="abc") is None
