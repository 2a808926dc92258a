import pytest

from plugin_sdk.testing import Refused


def test_the_dice_are_rolled_and_kept(covel):
    run = covel.run(payload={"dice": 3, "sides": 6})
    assert len(run.output["rolls"]) == 3
    assert run.output["total"] == sum(run.output["rolls"])
    assert covel.data("rolls") == {"last": run.output}


def test_a_payload_that_its_schema_refuses_starts_nothing(covel):
    with pytest.raises(Refused) as refused:
        covel.run(payload={"dice": 0, "sides": 6})
    assert refused.value.code == "payload-invalid"


def test_the_handler_alone(covel):
    outcome = covel.call_handler(payload={"dice": 2, "sides": 2}, seed=1)
    assert set(outcome.value["rolls"]) <= {1, 2}
