"""What the session of a test holds, read whole, and records put into it."""

from collections.abc import Iterator, Mapping

from covel_host.catalog.dataset_policies import dataset_policies
from covel_host.catalog.generation import Generation
from covel_host.host import Host
from covel_host.proposals.at_once import WriteAtOnce, commit_at_once
from covel_host.proposals.staged import check_proposal
from covel_host.store.jobs import JobRecord, list_jobs
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.messages import list_messages
from covel_host.store.plugin_data import list_data
from covel_host.store.records import PluginDataRecord
from covel_host.store.sessions import require_session
from covel_host.store.transaction import Reading, Transaction
from plugin_sdk.values import JsonValue


def all_records(
    host: Host, session_id: str, plugin_id: str, namespace: str
) -> dict[str, JsonValue]:
    """The committed records of a namespace by key."""

    def read(reading: Reading) -> dict[str, JsonValue]:
        records = _records(reading, session_id, plugin_id, namespace)
        return {record.key: record.value for record in records}

    return host.ports.store.read_now(read)


def _records(
    reading: Reading, session_id: str, plugin_id: str, namespace: str
) -> Iterator[PluginDataRecord]:
    after = ""
    while page := list_data(
        reading, session_id, plugin_id, namespace, limit=MAX_LIMIT, after=after
    ):
        yield from page
        after = page[-1].key


def all_messages(host: Host, session_id: str) -> list[tuple[str, str]]:
    """The newest messages of a session, oldest of them first: pairs of role and text."""
    messages = host.ports.store.read_now(
        lambda reading: list_messages(reading, session_id, limit=MAX_LIMIT)
    )
    return [(message.role, message.content) for message in messages]


def jobs_of(host: Host, session_id: str) -> list[JobRecord]:
    """The newest jobs of a session."""
    return host.ports.store.read_now(
        lambda reading: list_jobs(reading, session_id, limit=MAX_LIMIT)
    )


async def put_records(
    host: Host,
    session_id: str,
    generation: Generation,
    namespace: str,
    records: Mapping[str, JsonValue],
) -> None:
    """Commit records in the name of the package, one after another.

    Raises:
        ProposalRefused: one of them does not fit; those before it stay.
    """
    for key, value in records.items():
        await _put(
            host, session_id, generation, {"namespace": namespace, "key": key, "value": value}
        )


async def _put(
    host: Host, session_id: str, generation: Generation, payload: Mapping[str, JsonValue]
) -> None:
    ports = host.ports
    proposal = check_proposal(
        {"type": "plugin.data", "payload": payload},
        proposal_id=ports.ids.new("proposal"),
        plugin_id=generation.plugin_id,
        runtime_id="",
        run_id="",
    )
    policies = dataset_policies([generation])

    def commit(transaction: Transaction) -> None:
        session = require_session(transaction, session_id)
        write = WriteAtOnce(
            session_id=session_id,
            incarnation=session.incarnation,
            proposal=proposal,
            policies=policies,
            at=ports.clock.now(),
        )
        commit_at_once(transaction, write)

    await ports.store.transaction(commit)
