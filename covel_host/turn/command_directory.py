"""The commands of a session's packages, found by what a player types."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from covel_host.catalog.catalog import Catalog
from covel_host.manifest.commands import Command
from covel_host.manifest.labels import labelled_commands
from covel_host.manifest.reading import PackageReading
from covel_host.store.records import SessionRecord
from covel_host.turn.command_errors import CommandRefused
from covel_host.turn.command_lines import CommandLine


@dataclass(frozen=True, slots=True)
class KnownCommand:
    """A command and the package that declares it."""

    plugin_id: str
    command: Command

    @property
    def command_id(self) -> str:
        """The command's name among all packages, `<package>/<name>`."""
        return f"{self.plugin_id}/{self.command.name}"


class CommandDirectory:
    """The commands of one session, in the order of its packages."""

    def __init__(self, commands: Iterable[KnownCommand]) -> None:
        self.commands = tuple(commands)

    def find(self, name: str, *, line: CommandLine | None = None) -> KnownCommand:
        """The command that `name` means: a name, an alias, or one behind `<package>/`.

        A name goes before other packages' aliases.

        Raises:
            CommandRefused: `command-not-active` with the nearest name, or `command-ambiguous` with
                the full names.
        """
        found = self._named(name)
        place = None if line is None else (line.name.start, line.name.end)
        raw = "" if line is None else line.raw
        if len(found) == 1:
            return found[0]
        if found:
            full = ", ".join(f"/{each.command_id}" for each in found)
            raise CommandRefused(
                f"Several packages of this session have a command {name!r}.",
                code="command-ambiguous",
                hint=f"Name one in full: {full}.",
                line=raw,
                place=place,
            )
        near = difflib.get_close_matches(name, self._names(), n=1)
        raise CommandRefused(
            f"This session has no command {name!r}.",
            code="command-not-active",
            hint=f"Did you mean /{near[0]}?" if near else "/help lists the commands there are.",
            line=raw,
            place=place,
        )

    def has(self, name: str) -> bool:
        """Whether a package declares a command of that name or alias."""
        return bool(self._named(name))

    def _named(self, name: str) -> list[KnownCommand]:
        plugin_id, slash, rest = name.partition("/")
        among = self.commands
        if slash:
            among = tuple(each for each in among if each.plugin_id == plugin_id)
            name = rest
        by_name = [each for each in among if each.command.name == name]
        return by_name or [each for each in among if name in each.command.aliases]

    def _names(self) -> Iterator[str]:
        for each in self.commands:
            yield each.command.name
            yield from each.command.aliases


def session_commands(catalog: Catalog, session: SessionRecord) -> CommandDirectory:
    """What the session's packages declare; a package need not be loaded to be known."""
    return CommandDirectory(
        KnownCommand(reading.plugin_id, command)
        for reading in _readings(catalog, session)
        if reading.manifest is not None
        for command in reading.manifest.contributes.commands
    )


def labelled_directory(catalog: Catalog, session: SessionRecord) -> CommandDirectory:
    """The same with their texts in the session's language, as far as packages have them."""
    return CommandDirectory(
        KnownCommand(reading.plugin_id, command)
        for reading in _readings(catalog, session)
        for command in labelled_commands(reading, session.locale)
    )


def _readings(catalog: Catalog, session: SessionRecord) -> Iterator[PackageReading]:
    for plugin_id in session.active_packages:
        state = catalog.packages.get(plugin_id)
        if state is not None:
            yield state.reading
