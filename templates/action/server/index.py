from typing import Annotated

from pydantic import BaseModel, Field

from plugin_sdk import ActionContext, ToolError, action, hookimpl
from plugin_sdk.rules import translate

MOST = 50


class NewNote(BaseModel):
    # A command hands over the words of its last argument, one by one.
    text: Annotated[list[str], Field(min_length=1)]


class Shown(BaseModel):
    # The player reads `message`; everything else is for interfaces.
    message: str
    count: int


@action("keep-note")
async def keep_note(ctx: ActionContext, payload: NewNote) -> Shown:
    """Keep a note."""
    count = len(await ctx.store.list_plugin_data("notes"))
    if count >= MOST:
        raise ToolError("conflict", translate(ctx, "The notebook is full."))
    # Committed at once, by the rules of the data set; it stays, whatever follows.
    await ctx.store.set_plugin_data("notes", f"{count + 1:03}", {"text": " ".join(payload.text)})
    return Shown(message=translate(ctx, "Noted."), count=count + 1)


@action("list-notes")
async def list_notes(ctx: ActionContext) -> Shown:
    """List the notes, oldest first."""
    notes = await ctx.store.list_plugin_data("notes")
    lines = [f"{int(note.key)}. {note.value['text']}" for note in notes]
    return Shown(
        message="\n".join(lines) or translate(ctx, "No notes yet."),
        count=len(notes),
    )


@hookimpl
def register_actions():
    return [keep_note, list_notes]
