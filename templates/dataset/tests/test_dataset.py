import pytest

from plugin_sdk.testing import Refused, call, reply


def test_a_person_is_added_and_found_again(covel):
    add = reply(None, call("people-upsert", {"record": {"name": "Ada", "role": "captain"}}))
    run = covel.run(
        replies=[add, reply(None, call("people-list")), reply(None, call("runtime-done"))]
    )
    assert [made.failure for made in run.tools] == [None, None, None]
    assert [person["name"] for person in covel.data("people").values()] == ["Ada"]


def test_records_are_held_to_the_schema(covel):
    with pytest.raises(Refused):
        covel.put_data("people", {"ada": {"role": 7}})
