"""The numbers by which reads are compared: every write in a range changes one of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.store.character_schemas import character_schema_text, put_character_schema
from covel_host.store.characters import character_texts, every_character, put_character
from covel_host.store.plugin_data import delete_data, list_data, put_data
from covel_host.store.read_versions import RangeVersion, RevisedText, data_range_version
from covel_host.store.sessions import insert_session
from covel_host.store.store import Store
from covel_host.store.transaction import Reading, Transaction
from tests.store.builders import at, data_key, options, session

KEYS = ("a", "b", "ä", "\U00010000")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    opened.transaction_now(lambda transaction: insert_session(transaction, session()))
    yield opened
    opened.close()


def test_records_come_with_the_revision_that_wrote_them(store: Store) -> None:
    def write(transaction: Transaction) -> None:
        for revision, name in ((1, "b"), (2, "a"), (3, "b")):
            record = {"id": name, "version": revision}
            put_character(transaction, "s1", record, revision=revision)
        put_character_schema(transaction, "s1", {"types": []}, revision=2)

    assert store.read_now(lambda reading: character_texts(reading, "s1")) == {}
    assert store.read_now(lambda reading: character_schema_text(reading, "s1")) is None
    store.transaction_now(write)
    texts = store.read_now(lambda reading: character_texts(reading, "s1"))
    assert [(name, text.revision) for name, text in texts.items()] == [("a", 2), ("b", 3)]
    plain = store.read_now(lambda reading: every_character(reading, "s1"))
    assert [text.parsed() for text in texts.values()] == plain
    schema = store.read_now(lambda reading: character_schema_text(reading, "s1"))
    assert schema == RevisedText(2, '{"types":[]}')


@given(
    written=st.lists(st.tuples(st.sampled_from(KEYS), st.booleans()), max_size=8),
    after=st.sampled_from(("", *KEYS)),
    through=st.sampled_from((None, *KEYS)),
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_range_counts_its_records_and_names_its_newest(
    store: Store, written: list[tuple[str, bool]], after: str, through: str | None
) -> None:
    def body(reading: Reading) -> tuple[RangeVersion, list[int]]:
        rows = list_data(reading, "s1", "echo-demo", "notes", after=after)
        inside = [row.version for row in rows if through is None or row.key <= through]
        version = data_range_version(
            reading, "s1", "echo-demo", "notes", after=after, through=through
        )
        return version, inside

    def write(transaction: Transaction) -> None:
        for name in KEYS:
            delete_data(transaction, data_key(key=name), revision=1)
        for revision, (name, is_kept) in enumerate(written, 2):
            if is_kept:
                put_data(
                    transaction,
                    data_key(key=name),
                    value_text="1",
                    revision=revision,
                    at=at(),
                )
            else:
                delete_data(transaction, data_key(key=name), revision=revision)

    store.transaction_now(write)
    version, inside = store.read_now(body)
    assert version == RangeVersion(count=len(inside), newest=max(inside, default=0))
