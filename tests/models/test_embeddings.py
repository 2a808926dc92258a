"""Texts as vectors: the gateway's call, and its wire against a server on a loopback socket."""

import asyncio
import json
from typing import Any

import pytest

from covel_host.models.embeddings import embedding_identity, offline_vector
from covel_host.models.errors import ModelError
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.limits import CallLimits
from covel_host.models.selector import ModelSelector, UseOffline, UseSlot
from covel_host.models.slots import ApiKey, Slot
from tests.models.http_double import Answer, HttpDouble, body, drop, error, http_double
from tests.models.support import KEY, QuickTime, make_slot, make_table, sourced


def embedding_slot(base_url: str = "http://127.0.0.1:9/v1", **changes: Any) -> Slot:
    given = {"name": "embed", "tag": sourced("embedding"), **changes}
    return make_slot(base_url, **given)


def vectors(*values: list[float], indexes: list[int] | None = None, **extra: Any) -> Answer:
    data = [
        {"object": "embedding", "index": index, "embedding": value}
        for index, value in zip(indexes or range(len(values)), values, strict=True)
    ]
    document = {"object": "list", "model": "served-embedder", "data": data, **extra}
    return body(json.dumps(document))


def embed(
    texts: list[str],
    *answers: Answer,
    time: QuickTime | None = None,
    slot: dict[str, Any] | None = None,
    **asked: Any,
) -> tuple[Any, HttpDouble]:
    time = time or QuickTime()

    async def main() -> tuple[Any, HttpDouble]:
        async with http_double(*answers) as double:
            gateway = ModelGateway(
                GatewayOptions(),
                make_table(embedding_slot(double.base_url, **(slot or {}))),
                clock=time.clock,
                sleep=time.sleep,
            )
            try:
                return await gateway.embed(texts, **asked), double
            except ModelError as failure:
                return failure, double
            finally:
                await gateway.aclose()

    return asyncio.run(main())


def test_vectors_come_in_the_order_of_the_texts() -> None:
    usage = {"prompt_tokens": 9, "total_tokens": 9}
    answer = vectors([0.0, 1.0], [1.0, 0.0], indexes=[1, 0], usage=usage)
    reply, double = embed(["salt", "\u6f6e\u6c34"], answer)
    assert reply.vectors == ((1.0, 0.0), (0.0, 1.0))
    assert (reply.slot, reply.provider, reply.model) == ("embed", "lab", "served-embedder")
    assert (reply.usage.input_tokens, reply.http_requests) == (9, 1)
    assert double.paths == ["/v1/embeddings"]
    assert double.requests == [
        {"input": ["salt", "\u6f6e\u6c34"], "model": "lab/model-1", "encoding_format": "float"}
    ]


def test_indexes_that_tell_nothing_leave_the_order_as_it_is() -> None:
    reply, _ = embed(["a", "b"], vectors([1.0], [2.0], indexes=[0, 0]))
    assert reply.vectors == ((1.0,), (2.0,))


def test_only_the_slots_key_and_our_headers_leave_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: 1")
    _, double = embed(["a"], vectors([1.0]))
    assert double.headers[0]["authorization"] == f"Bearer {KEY}"
    allowed = {"host", "user-agent", "authorization", "content-length", "content-type"}
    assert set(double.headers[0]) <= allowed | {"accept", "accept-encoding", "connection"}


def test_options_of_the_slot_go_into_the_request() -> None:
    options = sourced(
        {"openai-chat-v1": {"dimensions": 8, "a": 1}, "lab": {"a": 2, "promptCacheKey": True}}
    )
    _, double = embed(["a"], vectors([1.0]), slot={"provider_options": options})
    assert (double.requests[0]["dimensions"], double.requests[0]["a"]) == (8, 2)
    assert "promptCacheKey" not in double.requests[0]


def test_a_busy_server_is_asked_again_within_the_limits() -> None:
    time = QuickTime()
    reply, double = embed(["a"], error(503), drop(), vectors([1.0]), time=time)
    assert (reply.http_requests, len(double.requests), len(time.waits)) == (3, 3, 2)
    failure, double = embed(["a"], error(429), limits=CallLimits(max_requests=2))
    assert (failure.code, len(double.requests)) == ("request-budget-exceeded", 2)


def test_a_rejected_input_is_an_error_of_the_request() -> None:
    failure, double = embed(["a"], error(400, "too long"))
    assert (failure.error_kind, failure.status, failure.facts.slot) == ("bad_request", 400, "embed")
    assert "too long" in failure.message
    assert len(double.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        vectors([1.0]),
        vectors([1.0], [2.0], [3.0]),
        vectors([1.0], [1.0, 2.0]),
        vectors([], []),
        body('{"object": "list", "model": "m", "data": [{"index": 0, "embedding": [NaN]}, 1]}'),
        body('{"object": "list", "model": "m", "data": []}'),
        body('{"object": "list", "model": "m", "data": [{"index":0,"embedding":["a"]},{}]}'),
        body("[]"),
        body("no JSON"),
    ],
)
def test_anything_but_one_vector_for_each_text_is_a_broken_reply(answer: Answer) -> None:
    failure, _ = embed(["a", "b"], answer)
    assert isinstance(failure, ModelError), failure
    assert failure.code in ("reply-broken", "provider-error")
    assert KEY not in failure.message


def test_a_call_ends_at_its_limit() -> None:
    async def main() -> None:
        released = asyncio.Event()

        async def silent(_: asyncio.StreamWriter) -> None:
            await released.wait()

        async with http_double(silent) as double:
            gateway = ModelGateway(GatewayOptions(), make_table(embedding_slot(double.base_url)))
            with pytest.raises(ModelError) as caught:
                await gateway.embed(["a"], limits=CallLimits(budget_ms=50))
            released.set()
            await gateway.aclose()
        assert caught.value.error_kind == "timeout"

    asyncio.run(main())


def test_another_model_than_the_one_expected_is_never_asked() -> None:
    failure, double = embed(["a"], vectors([1.0]), identity="lab/other#0")
    assert (failure.code, double.requests) == ("config-error", [])


def test_an_identity_tells_models_and_places_apart_and_holds_no_key() -> None:
    slot = embedding_slot()
    same = embedding_slot(key=ApiKey("LAB_API_KEY", "another"), name="vectors")
    other = embedding_slot("http://127.0.0.1:10/v1")
    assert embedding_identity(slot) == embedding_identity(same) != embedding_identity(other)
    assert embedding_identity(slot).startswith("lab/lab/model-1#")


# --- which slot answers ----------------------------------------------------------------------

TEXT = make_slot()


def gateway_of(*slots: Slot, selector: ModelSelector | None = None) -> ModelGateway:
    return ModelGateway(GatewayOptions(), make_table(*slots), selector=selector)


def test_vectors_never_fall_back_to_a_slot_for_text() -> None:
    with pytest.raises(ModelError) as caught:
        asyncio.run(gateway_of(TEXT).embed(["a"]))
    assert (caught.value.code, caught.value.hint) == (
        "config-error",
        'Add a slot with tag = "embedding" to llm.toml.',
    )
    with pytest.raises(ModelError, match="never falls back across tags"):
        asyncio.run(gateway_of(TEXT, embedding_slot()).embed(["a"], slot="story"))
    with pytest.raises(ModelError, match="never falls back across tags"):
        gateway_of(TEXT, embedding_slot()).slot_for("embed")


def test_an_unnamed_slot_is_the_conventional_one_else_the_first() -> None:
    first, usual = embedding_slot(name="vectors"), embedding_slot(name="embed")
    assert gateway_of(TEXT, first, usual).embedding_slot() is usual
    assert gateway_of(TEXT, first).embedding_slot("memory") is first
    assert gateway_of(TEXT).embedding_slot() is None


def test_a_slot_for_vectors_answers_no_text() -> None:
    with pytest.raises(ModelError, match="tag 'text'"):
        gateway_of(embedding_slot(), selector=UseSlot("embed"))


def test_a_model_for_every_text_leaves_vectors_to_their_slot() -> None:
    slot = embedding_slot()
    assert gateway_of(TEXT, slot, selector=UseSlot("story")).embedding_slot() is slot


def test_a_format_that_is_not_served_says_so() -> None:
    slot = embedding_slot(embedding_format=sourced("nemotron-multimodal"))
    with pytest.raises(ModelError, match="only 'openai' is served"):
        asyncio.run(gateway_of(slot).embed(["a"]))


def test_without_a_model_the_words_of_the_texts_make_the_vectors() -> None:
    for made in (gateway_of(), gateway_of(embedding_slot(), selector=UseOffline())):
        reply = asyncio.run(made.embed(["salt and tide", "SALT and tide", "", "\ud83d"]))
        assert (reply.provider, reply.model, reply.slot) == ("offline", "offline", None)
        assert reply.vectors[0] == reply.vectors[1] == offline_vector("salt and tide")
        assert len({len(vector) for vector in reply.vectors}) == 1


def test_no_texts_make_no_request() -> None:
    reply, double = embed([], vectors([1.0]))
    assert (reply.vectors, double.requests) == ((), [])
