"""What a package sees while an execution runs is what the commit will store."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.proposals.commit import commit_execution
from covel_host.proposals.data_entries import DataEntry
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.overlay import PluginDataView
from covel_host.proposals.read_sets import ReadSet
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.staging import Staging
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.store.plugin_data import list_data, put_data
from covel_host.store.sessions import delete_session
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from plugin_sdk.proposals import NarrativeAppend, PluginData, PluginDataDelete
from tests.proposals.builders import commit, note, staged, with_session
from tests.proposals.builders import committed as committed_now
from tests.proposals.builders import refused as refused_now
from tests.proposals.worlds import upsert, with_world, world_of
from tests.store.builders import START, at, data_key

NAMESPACES = ("notes", "other")
KEYS = ("a", "b", "B", "ä", "\U00010000", "\uffff")

addresses = st.fixed_dictionaries(
    {"namespace": st.sampled_from(NAMESPACES), "key": st.sampled_from(KEYS)}
)
items = st.builds(
    lambda address, value: {**address, "value": value},
    addresses,
    st.sampled_from([None, 7, {"list": [1], "n": 2}, {"list": ["灯"]}]),
)
operations = st.lists(
    st.sampled_from(
        [
            {"op": "set", "value": {"list": [], "n": 1}},
            {"op": "append", "path": "/list", "value": 1},
            {"op": "append", "path": "/list", "value": 2, "unique": True},
            {"op": "increment", "path": "/n", "by": 1, "max": 3},
            {"op": "merge", "value": {"m": None}},
            {"op": "remove", "path": "/list/0"},
        ]
    ),
    min_size=1,
    max_size=3,
) | st.just([{"op": "delete"}])
proposals = st.lists(
    st.one_of(
        items.map(lambda item: staged("plugin.data", **item)),
        st.lists(items, min_size=1, max_size=4).map(
            lambda batch: staged("plugin.data.batch", items=batch)
        ),
        addresses.map(lambda address: staged("plugin.data.delete", **address)),
        st.builds(
            lambda address, ops: staged("plugin.data.update", **address, ops=ops),
            addresses,
            operations,
        ),
    ),
    max_size=8,
)


def view_of(
    store: Store, upstream: Sequence[StagedProposal] = (), *, plugin_id: str = "echo-demo"
) -> PluginDataView:
    source = StoredPluginData(store, session_id="s1", plugin_id=plugin_id)
    return PluginDataView(source, plugin_id=plugin_id, upstream=upstream)


def committed(store: Store, namespace: str) -> list[DataEntry]:
    records = store.read_now(lambda reading: list_data(reading, "s1", "echo-demo", namespace))
    return [DataEntry(record.key, record.value) for record in records]


def staging_of(store: Store, upstream: Sequence[StagedProposal] = (), **more: Any) -> Staging:
    numbers = iter(range(1, 1_000))
    return Staging(
        StoredPluginData(store, session_id="s1", plugin_id="echo-demo"),
        plugin_id="echo-demo",
        runtime_id="echo-demo",
        run_id="run-1",
        new_id=lambda: f"proposal-{next(numbers)}",
        upstream=upstream,
        **more,
    )


async def accepted(view: PluginDataView, offered: Sequence[StagedProposal]) -> list[StagedProposal]:
    """Those of the offered proposals that the view stages."""
    passed = []
    for proposal in offered:
        try:
            await view.stage([proposal])
        except ProposalRefused:
            continue
        passed.append(proposal)
    return passed


async def contents(view: PluginDataView) -> tuple[list[list[DataEntry]], dict[Any, Any]]:
    lists = [await view.list(namespace) for namespace in NAMESPACES]
    singles = {
        (namespace, key): await view.find(namespace, key)
        for namespace in NAMESPACES
        for key in KEYS
    }
    return lists, {address: entry for address, entry in singles.items() if entry is not None}


@given(before=proposals, upstream=proposals, own=proposals)
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_view_is_what_the_commit_stores(
    store: Store,
    before: list[StagedProposal],
    upstream: list[StagedProposal],
    own: list[StagedProposal],
) -> None:
    store.transaction_now(lambda transaction: delete_session(transaction, "s1"))
    with_session(store)

    async def stage_all() -> tuple[list[StagedProposal], tuple[Any, Any]]:
        first = commit("t1", proposals=tuple(await accepted(view_of(store), before)))
        await store.transaction(lambda transaction: commit_execution(transaction, first))
        staged_upstream = await accepted(view_of(store), upstream)
        view = view_of(store, staged_upstream)
        staged_own = await accepted(view, own)
        # The second look comes from what the first one worked out.
        assert await contents(view) == await contents(view)
        return [*staged_upstream, *staged_own], await contents(view)

    all_staged, (lists, singles) = asyncio.run(stage_all())
    second = commit("t2", proposals=tuple(all_staged))
    store.transaction_now(lambda transaction: commit_execution(transaction, second))
    assert lists == [committed(store, namespace) for namespace in NAMESPACES]
    assert singles == {
        (namespace, entry.key): entry
        for namespace in NAMESPACES
        for entry in committed(store, namespace)
    }


def test_parallel_runs_that_do_not_fit_together_never_enter_a_view(store: Store) -> None:
    first = commit("t1", proposals=(note("lamp", {"list": [1]}),))
    store.transaction_now(lambda transaction: commit_execution(transaction, first))
    remove = staged(
        "plugin.data.update",
        namespace="notes",
        key="lamp",
        ops=[{"op": "remove", "path": "/list/0"}],
    )
    view = view_of(store, [remove, remove])
    assert asyncio.run(view.get("notes", "lamp")) == {"list": []}


def test_a_refused_group_leaves_the_view_as_it_was(store: Store) -> None:
    view = view_of(store)
    increment = staged(
        "plugin.data.update",
        namespace="notes",
        key="lamp",
        ops=[{"op": "increment", "path": "/n", "by": 1}],
    )

    async def scene() -> list[Any]:
        await view.stage([note("lamp", {"n": 1}), increment])
        with pytest.raises(ProposalRefused):
            await view.stage([increment, note("other"), note("lamp", "text"), increment])
        return [entry.value for entry in await view.list("notes")]

    assert asyncio.run(scene()) == [{"n": 2}]


def test_pages_join_to_the_whole_list_whatever_is_staged(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("covel_host.proposals.overlay._PAGE_ROWS", 3)
    stored = [{"namespace": "notes", "key": f"k{number:02}", "value": 0} for number in range(20)]
    first = commit("t1", proposals=(staged("plugin.data.batch", items=stored),))
    store.transaction_now(lambda transaction: commit_execution(transaction, first))
    own = [
        *(staged("plugin.data.delete", namespace="notes", key=f"k{n:02}") for n in range(2, 11)),
        note("k05", "again"),
        note("k", "first"),
        note("k185", "between"),
        note("z", "last"),
    ]

    async def pages(limit: int) -> list[str]:
        view, keys, after = view_of(store, own), [], ""
        while page := await view.list("notes", limit=limit, after=after):
            assert len(page) <= limit
            keys += [entry.key for entry in page]
            after = page[-1].key
        return keys

    numbers = [0, 1, 5, *range(11, 20)]
    expected = sorted([*(f"k{number:02}" for number in numbers), "k", "k185", "z"])
    for limit in (1, 2, 3, 7, 100):
        assert asyncio.run(pages(limit)) == expected


def test_values_are_copies(store: Store) -> None:
    view = view_of(store, [note("lamp", {"list": [1]})])

    async def scene() -> list[Any]:
        (await view.get("notes", "lamp"))["list"].append(2)
        (await view.list("notes"))[0].value["list"].append(3)
        return [await view.get("notes", "lamp"), (await view.list("notes"))[0].value]

    assert asyncio.run(scene()) == [{"list": [1]}] * 2


def test_a_null_removes_and_a_removed_record_is_absent(store: Store) -> None:
    view = view_of(store, [note("lamp", 1), note("lamp", None)])

    async def scene() -> tuple[Any, ...]:
        return (
            await view.get("notes", "lamp"),
            await view.find("notes", "lamp"),
            await view.list("notes"),
        )

    assert asyncio.run(scene()) == (None, None, [])


def test_proposals_of_other_packages_and_kinds_are_passed_by(store: Store) -> None:
    others = [note("lamp", 1), staged("narrative.append", content="Once.")]
    view = view_of(store, others, plugin_id="other")
    assert asyncio.run(view.list("notes")) == []


def test_hidden_namespaces_answer_as_if_they_were_empty(store: Store) -> None:
    def write(transaction: Transaction) -> None:
        for namespace in ("_hidden.x", "_logs"):
            key = data_key(namespace=namespace)
            put_data(transaction, key, value_text="1", revision=1, at=at())

    async def scene() -> list[Any]:
        view = view_of(store)
        return [
            await view.get("_hidden.x", "lamp"),
            await view.list("_hidden.x"),
            await view.get("_logs", "lamp"),
        ]

    store.transaction_now(write)
    assert asyncio.run(scene()) == [None, [], 1]


HIDDEN = frozenset({"x"})


def test_hidden_namespaces_are_open_to_those_who_name_them(store: Store) -> None:
    secret = {"namespace": "_hidden.x", "key": "lamp", "value": 1}
    staging = staging_of(store)

    async def scene() -> list[Any]:
        data = staging.plugin_data
        for grant in (frozenset[str](), frozenset({"y", "hidden.x"})):
            with pytest.raises(ProposalRefused) as refused:
                await staging.stage([PluginData.model_validate(secret)], hidden=grant)
            assert refused.value.code == "reserved-namespace"
        await staging.stage([PluginData.model_validate(secret)], hidden=HIDDEN)
        with pytest.raises(ProposalRefused):
            await staging.stage([PluginData(namespace="_logs", key="k", value=1)], hidden=HIDDEN)
        return [
            await data.get("_hidden.x", "lamp", hidden=HIDDEN),
            await data.get("_hidden.x", "lamp"),
            await data.list("_hidden.x", hidden=frozenset({"y"})),
            [entry.key for entry in await data.list("_hidden.x", hidden=HIDDEN)],
        ]

    assert asyncio.run(scene()) == [1, None, [], ["lamp"]]
    assert asyncio.run(view_of(store, staging.proposals).list("_hidden.x", hidden=HIDDEN))
    report = committed_now(store, commit("t1", proposals=(*staging.proposals, note("lamp", 2))))
    # Nobody is told of it, and without the grant the commit refuses it.
    told: list[Any] = [event.payload["changes"] for event in report.events]
    assert [change["value"] for changes in told for change in changes] == [2]
    assert committed(store, "_hidden.x") == [DataEntry("lamp", 1)]
    forged = staged("plugin.data", **secret)
    assert refused_now(store, commit("t2", proposals=(forged,))).code == "reserved-namespace"


def test_staging_shows_and_keeps_proposals_in_order(store: Store) -> None:
    staging = staging_of(store, [note("lamp", "upstream")])
    assert asyncio.run(staging.plugin_data.get("notes", "lamp")) == "upstream"
    first = asyncio.run(staging.stage([PluginData(namespace="notes", key="lamp", value="own")]))
    second = asyncio.run(
        staging.stage(
            [NarrativeAppend(content="Once."), PluginDataDelete(namespace="notes", key="b")]
        )
    )
    assert asyncio.run(staging.plugin_data.get("notes", "lamp")) == "own"
    assert staging.proposals == (*first, *second)
    assert [proposal.proposal_id for proposal in staging.proposals] == [
        "proposal-1",
        "proposal-2",
        "proposal-3",
    ]
    assert {(p.plugin_id, p.runtime_id, p.run_id) for p in staging.proposals} == {
        ("echo-demo", "echo-demo", "run-1")
    }


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (PluginData(namespace="_logs", key="k", value=1), "reserved-namespace"),
        (PluginData(namespace="n", key="k", value="x" * 300_000), "value-too-large"),
        ({"type": "plugin.data", "payload": {}}, "proposal-invalid"),
    ],
)
def test_one_bad_proposal_of_a_call_stages_none_of_them(store: Store, bad: Any, code: str) -> None:
    staging = staging_of(store)
    with pytest.raises(ProposalRefused) as refused:
        asyncio.run(staging.stage([PluginData(namespace="notes", key="lamp", value=1), bad]))
    assert refused.value.code == code
    assert staging.proposals == ()
    assert asyncio.run(staging.plugin_data.list("notes")) == []


class OnlySmall:
    """A data set of numbers below ten, which may be set and raised, never deleted."""

    def problem(self, operations: Sequence[str], record: Any) -> str | None:
        if not {"set", "increment"}.issuperset(operations):
            return f"{operations!r} is not allowed."
        number = record["n"] if isinstance(record, dict) else record
        return None if number < 10 else f"{number} is too large."


POLICIES = {("echo-demo", "notes"): OnlySmall()}
RAISED: dict[str, Any] = {
    "namespace": "notes",
    "key": "lamp",
    "ops": [{"op": "increment", "path": "/n", "by": 5}],
}


@pytest.mark.parametrize(
    ("type_name", "payload"),
    [
        ("plugin.data", {"namespace": "notes", "key": "k", "value": 10}),
        ("plugin.data", {"namespace": "notes", "key": "k", "value": None}),
        ("plugin.data.batch", {"items": [{"namespace": "notes", "key": "k", "value": 11}]}),
        ("plugin.data.delete", {"namespace": "notes", "key": "k"}),
        ("plugin.data.update", {**RAISED, "ops": [{"op": "merge", "value": {}}]}),
        ("plugin.data.update", {**RAISED, "ops": [{"op": "set", "value": {"n": 12}}]}),
    ],
)
def test_a_data_set_s_policy_is_asked_at_staging_and_at_commit(
    store: Store, type_name: str, payload: dict[str, Any]
) -> None:
    committed_now(store, commit("t1", proposals=(note("lamp", {"n": 1}),)))
    staging = staging_of(store, policies=POLICIES)
    proposal = staged(type_name, **payload)
    with pytest.raises(ProposalRefused, match="notes/") as refused:
        asyncio.run(staging.stage([{"type": type_name, "payload": payload}]))
    at_commit = refused_now(store, commit("t2", proposals=(proposal,), policies=POLICIES))
    assert refused.value.code == at_commit.code == "dataset-policy"
    # Policies are those of one package and namespace.
    elsewhere = {("other", "notes"): OnlySmall(), ("echo-demo", "pages"): OnlySmall()}
    committed_now(store, commit("t3", proposals=(proposal,), policies=elsewhere))


def test_a_policy_is_asked_of_the_value_that_is_current_at_commit(store: Store) -> None:
    committed_now(store, commit("t1", proposals=(note("lamp", {"n": 1}),)))
    staging = staging_of(store, policies=POLICIES)
    asyncio.run(staging.stage([{"type": "plugin.data.update", "payload": RAISED}]))
    committed_now(store, commit("t2", proposals=(note("lamp", {"n": 7}),)))
    refusal = refused_now(store, commit("t3", proposals=staging.proposals, policies=POLICIES))
    assert (refusal.code, "12 is too large" in refusal.message) == ("dataset-policy", True)


def test_what_one_view_refuses_enters_neither(store: Store) -> None:
    staging = staging_of(store, world=world_of(with_world(store)))
    world = staging.world
    assert world is not None

    def points() -> Any:
        fields: Any = world.characters[0]["fields"]
        return fields["hp"]

    good_record = PluginData(namespace="notes", key="lamp", value=1)
    good_character = upsert(1, expectedVersion=1, fields={"hp": 9}).model
    for bad in (
        upsert(2, type="ghost").model,
        PluginData(namespace="_logs", key="k", value=1),
    ):
        with pytest.raises(ProposalRefused):
            asyncio.run(staging.stage([good_character, good_record, bad]))
        assert points() == 3
        assert asyncio.run(staging.plugin_data.list("notes")) == []
        assert staging.proposals == ()
    asyncio.run(staging.stage([good_character, good_record]))
    assert points() == 9
    assert asyncio.run(staging.plugin_data.get("notes", "lamp")) == 1
    assert [read.kind for read in staging.reads.reads] == ["roster", "character", "data-range"]


def test_calls_that_stage_at_once_are_laid_over_each_other(store: Store) -> None:
    committed_now(store, commit("t1", proposals=(note("lamp", {"n": 0}),)))
    staging = staging_of(store)
    raise_once = {"type": "plugin.data.update", "payload": RAISED}

    async def scene() -> Any:
        await asyncio.gather(*(staging.stage([raise_once]) for _ in range(5)))
        return await staging.plugin_data.get("notes", "lamp")

    assert asyncio.run(scene()) == {"n": 25}


class CountedRows:
    """A namespace of many rows that counts those it gives."""

    def __init__(self, rows: int) -> None:
        self.keys = [f"k{number:06}" for number in range(rows)]
        self.given = 0

    async def get(self, namespace: str, key: str) -> DataEntry | None:
        self.given += 1
        return DataEntry(key, {"n": 1}, 1) if key in self.keys else None

    async def list(self, namespace: str, *, after: str, limit: int) -> Sequence[DataEntry]:
        start = bisect_right(self.keys, after)
        page = [DataEntry(key, {"n": 1}, 1) for key in self.keys[start : start + limit]]
        self.given += len(page)
        return page


def test_a_short_list_of_a_long_namespace_reads_few_rows() -> None:
    source = CountedRows(100_000)
    raised = [
        staged("plugin.data.update", **{**RAISED, "key": key}) for key in ("k000001", "k000003")
    ]
    view = PluginDataView(
        source, plugin_id="echo-demo", upstream=[*raised, note("k000000", None), note("a", 1)]
    )

    async def scene() -> list[DataEntry]:
        await view.stage([note("k000002", None)])
        return await view.list("notes", limit=20)

    listed = asyncio.run(scene())
    keys = ["a", "k000001", *(f"k{number:06}" for number in range(3, 21))]
    assert [entry.key for entry in listed] == keys
    assert [entry.value for entry in listed[1:4]] == [{"n": 6}, {"n": 6}, {"n": 1}]
    assert source.given <= 25


def test_a_listing_tells_what_this_execution_wrote_and_when_a_record_was_made(
    store: Store,
) -> None:
    view = view_of(store, [note("new", 1), note("old", 2)])
    key = data_key("old")
    store.transaction_now(lambda t: put_data(t, key, value_text="1", revision=1, at=START))
    entries = asyncio.run(view.list("notes"))
    assert [(entry.key, entry.created_at, entry.is_staged) for entry in entries] == [
        ("new", None, True),
        ("old", START, True),
    ]


def test_a_listing_can_leave_the_read_set_alone(store: Store) -> None:
    reads = ReadSet()
    source = StoredPluginData(store, session_id="s1", plugin_id="echo-demo")
    view = PluginDataView(source, plugin_id="echo-demo", reads=reads)
    asyncio.run(view.list("notes", is_read=False))
    assert reads.reads == ()
    asyncio.run(view.list("notes"))
    assert len(reads.reads) == 1
