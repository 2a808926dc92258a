"""`character.upsert` and `character.schema.set`, written against the newest rows.

Two runs of one stage may both have read version 1: each patch is merged into what stands there
when it is its turn, so both survive (seed: 并行更新不会互相丢字段).
"""

from covel_host.proposals.character_rules import CharacterState
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.seats import bind_new_player
from covel_host.proposals.staged import StagedProposal
from covel_host.store.character_schemas import get_character_schema, put_character_schema
from covel_host.store.characters import every_character, put_character
from covel_host.store.transaction import Transaction
from covel_host.store.values import time_text
from covel_host.trace.events import SessionEvent
from plugin_sdk.rules.character_fields import PLAYER_TYPE


def upsert_character(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Write the character that the proposal makes of the newest record, and seat a new player."""
    state = _state(transaction, place)
    is_new = proposal.payload["id"] not in state.directory.characters
    record = state.write(proposal, at=time_text(place.at))
    assert record is not None
    put_character(transaction, place.session_id, record, revision=place.revision)
    if is_new and record["type"] == PLAYER_TYPE:
        bind_new_player(transaction, place, str(record["id"]))
    return (place.event("character.upserted", {"character": record}),)


def set_character_schema(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Replace the schema, which must fit every character there is."""
    schema = _state(transaction, place).write(proposal, at=time_text(place.at))
    assert schema is not None
    put_character_schema(transaction, place.session_id, schema, revision=place.revision)
    return (place.event("character-schema.changed", {"schema": schema}),)


def _state(transaction: Transaction, place: CommitPlace) -> CharacterState:
    """The characters as the transaction sees them, read once and kept current by the handlers."""
    key = (CharacterState, place.session_id)
    state: CharacterState | None = transaction.memo.get(key)
    if state is None:
        state = transaction.memo[key] = CharacterState(
            every_character(transaction, place.session_id),
            get_character_schema(transaction, place.session_id),
        )
    return state
