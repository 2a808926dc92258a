"""Questions to the player: answerable, and the last of one name counts."""

from typing import Any

import pytest

from covel_host.store.interactions import list_interactions, turn_interactions
from covel_host.store.store import Store
from tests.proposals.builders import PAYLOADS, commit, committed, refused, staged

FORM = PAYLOADS["interaction.request"]["interaction"]


def ask(number: int = 1, /, **changes: Any) -> Any:
    return staged("interaction.request", number, interaction={**FORM, **changes})


@pytest.mark.parametrize(
    "field",
    [
        {"type": "select", "name": "a", "label": "A", "options": []},
        {"type": "number", "name": "a", "label": "A", "min": 0, "defaultValue": -1},
        {"type": "checkbox", "name": "a", "label": "A", "defaultValue": "yes"},
        {"type": "text", "name": "name", "label": "Again"},
    ],
)
def test_a_form_that_no_answer_fits_is_refused(store: Store, field: dict[str, Any]) -> None:
    fields = [*FORM["fields"], field]
    error = refused(store, commit(proposals=(ask(fields=fields),)))
    assert (error.code, error.failed[-1].proposal_type) == (
        "proposal-invalid",
        "interaction.request",
    )


@pytest.mark.parametrize(
    "interaction",
    [
        {
            "type": "choice",
            "interactionId": "way",
            "prompt": "Where?",
            "choices": [{"id": "a", "label": "In"}, {"id": "b", "label": "Out"}],
            "narrativeTemplate": "{{selectedLabel}}",
        },
        {
            "type": "confirmation",
            "interactionId": "sure",
            "prompt": "Sure?",
            "narrativeTemplate": "{{confirmed}}",
        },
    ],
)
def test_choices_and_confirmations_are_kept(store: Store, interaction: dict[str, Any]) -> None:
    proposal = staged("interaction.request", interaction=interaction)
    committed(store, commit(proposals=(proposal,)))
    [record] = store.read_now(lambda reading: turn_interactions(reading, "s1", "t1"))
    assert record.interaction == interaction


def test_asked_again_in_one_turn_the_last_one_counts(store: Store) -> None:
    proposals = (ask(1, title="First"), ask(2, interactionId="b"), ask(3, title="Last"))
    committed(store, commit("t1", proposals=proposals))
    committed(store, commit("t2", proposals=(ask(4, title="Later"),)))
    asked = store.read_now(lambda reading: turn_interactions(reading, "s1", "t1"))
    assert [(record.interaction_id, record.interaction["title"]) for record in asked] == [
        ("b", "Who are you?"),
        ("sheet", "Last"),
    ]
    everything = store.read_now(lambda reading: list_interactions(reading, "s1"))
    assert [record.source.sequence for record in everything] == [1, 2, 3, 4]
    at_first = store.read_now(lambda reading: list_interactions(reading, "s1", at_revision=1))
    assert len(at_first) == 3
