import pytest

from plugin_sdk.testing import RunFailed, call, make_tool_context, reply, resolved


@pytest.mark.covel(companions=["../herb-store"])
def test_a_tea_without_herbs_takes_nothing(covel):
    listed = reply(None, call("list-herbs", prefix=""))
    brewed = reply(None, call("brew-tea", herb="mint"))
    run = covel.run(payload={"wish": "something fresh"}, replies=[listed, brewed, "Sold out."])
    assert run.tools[0].value == []
    assert "Only 0" in run.tools[1].failure.message
    assert covel.data("herbs", plugin_id="herb-store") == {}


def test_without_a_store_there_is_no_tea(covel):
    with pytest.raises(RunFailed, match="Nobody keeps herbs"):
        covel.tool("brew-tea", herb="mint")


def test_the_cups_that_are_left_come_from_the_store(covel):
    context = make_tool_context(services={"example.take-herb@1": {"name": "mint", "left": 3}})
    brew = covel.module("server/index.py").brew_tea
    assert resolved(brew(context, herb="mint")) == {"tea": "mint tea", "cupsLeft": 3}
    assert context.services.calls == [("example.take-herb@1", {"name": "mint"})]
