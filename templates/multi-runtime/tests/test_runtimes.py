from plugin_sdk.testing import call, reply

NOTE = reply(None, call("note-plant", name="Mint", note="By the well."))
DONE = reply(None, call("runtime-done"))


def test_what_one_runtime_gathers_the_other_reports(covel):
    covel.run("gather", message="Mint grows by the well.", replies=[NOTE, DONE])
    assert covel.data("plants") == {"mint": {"name": "Mint", "note": "By the well."}}
    run = covel.run("report", replies=[reply(None, call("list-plants")), "You found mint."])
    assert run.tools[0].value == {"plants": [{"name": "Mint", "note": "By the well."}]}
    assert covel.messages()[-1] == ("assistant", "You found mint.")


def test_each_runtime_is_offered_its_own_tools(covel):
    gather = covel.run("gather", replies=[DONE])
    report = covel.run("report", replies=["Nothing yet."])
    assert "list-plants" not in gather.prompts[0].tools
    assert "note-plant" not in report.prompts[0].tools
