"""Slash commands of players over a package's actions (spec/manifest.md 4.5)."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from covel_host.manifest.fields import Items, ManifestModel, NonEmpty, Omittable, Text, UniqueItems
from covel_host.manifest.text_forms import PLUGIN_ID

CommandName: TypeAlias = Annotated[str, Field(pattern=PLUGIN_ID, min_length=1, max_length=32)]


class CommandArgument(ManifestModel):
    """One argument; a variadic one takes everything that is left on the line."""

    name: CommandName
    type: Literal["string", "integer", "number", "boolean"] = "string"
    description: Omittable[Text] = None
    required: bool = False
    variadic: bool = False
    choices: Omittable[Annotated[Items[NonEmpty], Field(min_length=1, max_length=64)]] = None


class Command(ManifestModel):
    """One command; its handler is the action it names."""

    name: CommandName
    aliases: Annotated[Items[CommandName], Field(max_length=16)] = ()
    description: Text
    arguments: Annotated[Items[CommandArgument], Field(max_length=16)] = ()
    action: CommandName
    context: Annotated[
        UniqueItems[Literal["session", "active-runtimes", "models"]], Field(max_length=3)
    ] = ()
