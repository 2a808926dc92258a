"""Actions, services, extensions, form validators and data sets."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pydantic import BaseModel, Field

from plugin_sdk import (
    ActionContext,
    DefinitionError,
    ExtensionContext,
    FormContext,
    FormIssue,
    PromptQuery,
    PromptSegment,
    ServiceContext,
    ToolValidationError,
    action,
    dataset,
    extension,
    form_validator,
    service,
)
from plugin_sdk.datasets import dataset_of

CONTEXT: Any = object()


class OpenBag(BaseModel):
    slot: int = Field(ge=0)


class Bag(BaseModel):
    items: list[str]


@action("open-bag")
async def open_bag(ctx: ActionContext, payload: OpenBag) -> Bag:
    """Open the bag."""
    return Bag(items=["lamp"] * payload.slot)


def _run(result: Any) -> object:
    async def await_it() -> object:
        return await result

    return asyncio.run(await_it())


def test_an_action_reads_its_shapes_from_the_annotations() -> None:
    assert (open_bag.name, open_bag.description) == ("open-bag", "Open the bag.")
    assert open_bag.is_async
    assert open_bag.input.annotation is OpenBag
    assert open_bag.output.annotation is Bag
    assert open_bag.input.json_schema["required"] == ["slot"]
    payload = open_bag.parse('{"slot": 2}')
    assert payload == OpenBag(slot=2)
    result = _run(open_bag.invoke(CONTEXT, payload))
    assert result == Bag(items=["lamp", "lamp"])
    assert open_bag.to_json(result) == {"items": ["lamp", "lamp"]}
    assert _run(open_bag(CONTEXT, OpenBag(slot=0))) == Bag(items=[])
    assert repr(open_bag) == "<Action 'open-bag'>"


def test_a_wrong_payload_names_its_fields() -> None:
    with pytest.raises(ToolValidationError) as caught:
        open_bag.parse('{"slot": "2"}')
    assert [problem.path for problem in caught.value.details] == ["slot"]


def test_payload_and_context_may_be_left_out_or_swapped() -> None:
    @action("a")
    def swapped(payload: OpenBag, ctx: ActionContext) -> object:
        return payload, ctx

    @action("b")
    def payload_only(payload: Mapping[str, object]) -> object:
        return payload

    @action("c", description="Said.")
    def nothing() -> None:
        """Not this."""

    assert swapped.invoke(CONTEXT, OpenBag(slot=1)) == (OpenBag(slot=1), CONTEXT)
    assert payload_only.invoke(CONTEXT, payload_only.parse('{"a": 1}')) == {"a": 1}
    assert nothing.parse('{"a": 1}') == {"a": 1}
    assert nothing.invoke(CONTEXT, nothing.parse("{}")) is None
    assert nothing.to_json(None) is None
    assert nothing.description == "Said."
    assert not nothing.is_async


def test_results_are_checked_against_the_return_annotation() -> None:
    assert open_bag.to_json({"items": []}) == {"items": []}
    with pytest.raises(ToolValidationError):
        open_bag.to_json({"items": [1]})

    @action("free")
    def free() -> object:
        return None

    assert free.to_json({"a": (1, 2)}) == {"a": [1, 2]}
    itself: list[object] = []
    itself.append(itself)
    odd = (object(), float("nan"), b"x", {1, 2}, [{"a": iter("ab")}], {1: 2}, itself)
    for value in odd:
        with pytest.raises(ToolValidationError):
            free.to_json(value)

    @action("listed")
    def listed() -> set[int]:
        return {1}

    # An annotation says what a set becomes.
    assert listed.to_json({1}) == [1]


@service("inventory.items@1", kind="read", offer_to_models=True)
async def items_of(ctx: ServiceContext, query: OpenBag) -> Bag:
    """List what a bag holds."""
    return Bag(items=[])


def test_a_service_carries_contract_kind_and_offer() -> None:
    assert items_of.contract == "inventory.items@1"
    assert items_of.kind == "read"
    assert items_of.offer_to_models
    assert items_of.name == "items-of"
    assert items_of.description == "List what a bag holds."
    assert items_of.input_schema == items_of.input.json_schema
    assert _run(items_of.invoke(CONTEXT, items_of.parse('{"slot": 0}'))) == Bag(items=[])


def test_a_service_may_show_models_a_schema_of_its_own() -> None:
    @service(
        "shop.prices@2",
        kind="write",
        name="prices",
        description="Set prices.",
        input_schema={"type": "object", "properties": {"a": {"pattern": r"\p{L}"}}},
    )
    def prices(query: OpenBag) -> None: ...

    assert prices.input_schema == {"type": "object", "properties": {"a": {}}}
    assert (prices.name, prices.kind, prices.offer_to_models) == ("prices", "write", False)


def test_the_input_of_a_service_for_models_is_one_object() -> None:
    def prices(names: list[str]) -> None: ...

    assert service("shop.prices@2", kind="read")(prices).input_schema["type"] == "array"
    with pytest.raises(DefinitionError, match=r'^Service "shop\.prices@2": .* one JSON object'):
        service("shop.prices@2", kind="read", offer_to_models=True)(prices)


@extension("prompt.segment@1", id="hints", order=10)
async def hints(ctx: ExtensionContext, query: PromptQuery) -> list[PromptSegment]:
    return [PromptSegment(id="h", content=query.player_message, position="post-history")]


def test_an_extension_reads_and_gives_camel_case() -> None:
    assert (hints.point, hints.id, hints.order) == ("prompt.segment@1", "hints", 10)
    query = hints.parse('{"turnId": "t", "playerMessage": "Hello"}')
    assert query == PromptQuery(turn_id="t", player_message="Hello")
    assert hints.to_json(_run(hints.invoke(CONTEXT, query))) == [
        {
            "id": "h",
            "content": "Hello",
            "position": "post-history",
            "audience": "all",
            "volatility": "turn",
            "order": 0,
        }
    ]


def _two_values(a: OpenBag, b: OpenBag) -> None: ...


def _wrong_context(ctx: ServiceContext, payload: OpenBag) -> None: ...


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: action(""), 'Action "": the name must be'),
        (lambda: action("open bag"), 'Action "open bag": the name must be'),
        (lambda: action("a")(_two_values), 'Action "a": the function takes the context and one'),
        (lambda: action("a")(_wrong_context), 'Action "a": the function takes the context and'),
        (lambda: service("items", kind="read"), 'Service "items": the name must be a contract ID'),
        (lambda: service("items@0", kind="read"), 'Service "items@0": the name must be'),
        (lambda: service("items@1", kind="both"), "Service \"items@1\": kind is 'both'"),
        (lambda: extension("prompt", id="a"), 'Extension "prompt": the name must be'),
        (lambda: extension("prompt.segment@1", id="-a"), 'Extension "-a": the name must be'),
        (lambda: extension("a@1", id="a", order=1.5), 'Extension "a@1": order is 1.5'),
        (lambda: form_validator(""), 'Form validator "": the name must be'),
        (lambda: dataset("_npcs"), 'Data set "_npcs": the name must be'),
        (lambda: dataset("npcs")(dict), "Data set \"npcs\": <class 'dict'> is not a pydantic"),
    ],
)
def test_definitions_that_cannot_be_are_refused(make: Callable[[], object], text: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        make()
    assert str(caught.value).startswith(text)


@form_validator("point-buy")
def point_buy(
    ctx: FormContext, values: Mapping[str, object], data: object
) -> str | FormIssue | list[FormIssue] | None:
    return values.get("answer")  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("answer", "issues"),
    [
        (None, ()),
        ("Too many.", (FormIssue("Too many."),)),
        (FormIssue("Low.", "str"), (FormIssue("Low.", "str"),)),
        ([FormIssue("a"), FormIssue("b", field="c")], (FormIssue("a"), FormIssue("b", field="c"))),
        ([], ()),
    ],
)
def test_every_verdict_of_a_form_validator_becomes_issues(
    answer: object, issues: tuple[FormIssue, ...]
) -> None:
    assert point_buy.issues(CONTEXT, {"answer": answer}, None) == issues
    assert point_buy(CONTEXT, {"answer": answer}, None) == answer


@pytest.mark.parametrize("answer", [True, 1, ["text"], {"field": "a"}])
def test_a_verdict_of_another_kind_is_an_error(answer: object) -> None:
    with pytest.raises(TypeError, match="form validator 'point-buy' gave"):
        point_buy.issues(CONTEXT, {"answer": answer}, None)


def test_a_form_validator_cannot_be_asynchronous() -> None:
    async def later(ctx: FormContext, values: Mapping[str, object], data: object) -> None: ...

    with pytest.raises(DefinitionError, match="asynchronous"):
        form_validator("x")(later)  # type: ignore[arg-type]


@dataset("npcs")
class Npc(BaseModel):
    name: str


class Hero(Npc):
    level: int


def test_a_data_set_model_stays_a_class_and_knows_its_name() -> None:
    marked = dataset_of(Npc)
    assert marked is not None
    assert (marked.name, marked.model) == ("npcs", Npc)
    assert marked.json_schema == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }
    assert Npc(name="Mira").name == "Mira"


def test_only_the_marked_class_is_a_data_set() -> None:
    assert dataset_of(Hero) is None
    assert dataset_of(Npc(name="Mira")) is None
    assert dataset_of("npcs") is None
