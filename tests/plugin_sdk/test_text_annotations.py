"""Decorators in a module whose annotations are text and whose contexts only mypy imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field

from plugin_sdk import action, tool

if TYPE_CHECKING:
    import plugin_sdk.context
    from plugin_sdk import ActionContext, ToolContext

CONTEXT: Any = object()


class Row(BaseModel):
    name: str


@tool
def with_rows(
    rows: Annotated[list[Row], Field(min_length=1)], ctx: ToolContext, limit: int = 3
) -> object:
    """Take rows."""
    return rows, ctx, limit


@tool
def with_qualified(key: str, ctx: plugin_sdk.context.ToolContext | None = None) -> object:
    """Take a key."""
    return key, ctx


def test_text_annotations_are_read() -> None:
    assert list(with_rows.input_schema["properties"]) == ["rows", "limit"]
    arguments = with_rows.parse('{"rows": [{"name": "a"}]}')
    assert with_rows.invoke(CONTEXT, arguments) == ([Row(name="a")], CONTEXT, 3)


def test_a_qualified_optional_context_is_recognised() -> None:
    assert list(with_qualified.input_schema["properties"]) == ["key"]
    assert with_qualified.invoke(CONTEXT, with_qualified.parse('{"key": "a"}')) == ("a", CONTEXT)


def test_types_local_to_a_function_are_found() -> None:
    class Local(BaseModel):
        size: int

    @tool
    def bare(local: Local) -> object:
        """Take it."""
        return local

    @tool()
    def called(local: Local) -> object:
        """Take it."""
        return local

    for made in (bare, called):
        assert made.invoke(CONTEXT, made.parse('{"local": {"size": 2}}')) == Local(size=2)


def test_an_action_reads_local_types_too() -> None:
    class Local(BaseModel):
        size: int

    @action("grow")
    def grow(ctx: ActionContext, local: Local) -> Local:
        return Local(size=local.size + 1)

    result = grow.invoke(CONTEXT, grow.parse('{"size": 1}'))
    assert grow.to_json(result) == {"size": 2}
