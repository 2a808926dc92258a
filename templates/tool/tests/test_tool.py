from plugin_sdk.testing import call, reply

ROLL = reply(None, call("roll-die", sides=6))
DONE = reply(None, call("runtime-done"))


def test_a_model_rolls_once(covel):
    run = covel.run(payload={"sides": 6}, replies=[ROLL, DONE])
    rolled = run.tools[0].value["rolled"]
    assert 1 <= rolled <= 6
    assert covel.data("rolls") == {"last": rolled}


def test_the_roll_before_is_remembered(covel):
    covel.put_data("rolls", {"last": 4})
    assert covel.tool("roll-die", sides=20).value["before"] == 4


def test_every_side_can_come_up(covel):
    rolls = {
        covel.call_tool("roll-die", {"sides": 2}, data={"rolls": {}}, seed=seed).content["rolled"]
        for seed in range(20)
    }
    assert rolls == {1, 2}
