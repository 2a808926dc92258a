from plugin_sdk.testing import call, reply


def test_the_value_is_echoed(covel):
    echo = reply(None, call("echo-value", value="hello"))
    run = covel.run(payload={"value": "hello"}, replies=[echo, reply(None, call("runtime-done"))])
    assert run.tools[0].value == {"ok": True, "value": "hello"}
