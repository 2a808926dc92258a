"""What a player is told about commands. Pure."""

from collections.abc import Sequence

from covel_host.manifest.commands import Command, CommandArgument
from plugin_sdk.rules.i18n import resolve_i18n_text


def usage(command: Command) -> str:
    """How a command is typed: `/roll <dice> [times]`; what may be left out is in brackets."""
    return " ".join([f"/{command.name}", *(_shown(argument) for argument in command.arguments)])


def command_help(command: Command, *, command_id: str, locale: str) -> str:
    """What one command does and takes, in a few lines."""
    lines = [usage(command), f"  {resolve_i18n_text(command.description, locale)}"]
    lines += [
        f"    {argument.name}: {_described(argument, locale)}" for argument in command.arguments
    ]
    if command.aliases:
        lines.append(f"  Also: {', '.join(f'/{alias}' for alias in command.aliases)}")
    lines.append(f"  Full name: /{command_id}")
    return "\n".join(lines)


def commands_help(commands: Sequence[Command], *, locale: str) -> str:
    """One line per command."""
    if not commands:
        return "No package of this session has a command."
    rows = [(usage(each), resolve_i18n_text(each.description, locale)) for each in commands]
    width = max(len(shown) for shown, _ in rows)
    lines = [f"{shown.ljust(width)}  {about}".rstrip() for shown, about in rows]
    return "\n".join([*lines, "/help NAME tells more of one."])


def _shown(argument: CommandArgument) -> str:
    name = f"{argument.name}..." if argument.variadic else argument.name
    return f"<{name}>" if argument.required else f"[{name}]"


def _described(argument: CommandArgument, locale: str) -> str:
    kinds = {"string": "text", "integer": "whole number", "boolean": "yes or no"}
    kind = kinds.get(argument.type, argument.type)
    if argument.choices is not None:
        kind = f"one of {', '.join(argument.choices)}"
    if argument.variadic:
        kind = f"{kind}, any number of times"
    about = "" if argument.description is None else resolve_i18n_text(argument.description, locale)
    return f"{kind}. {about}".rstrip()
