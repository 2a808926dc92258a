"""What a person should know of a session before it is played, said on standard error."""

from collections.abc import Callable

from covel_host.catalog.catalog import Catalog
from covel_host.cli.output import note
from covel_host.cli.story_note import warn_of_stories
from covel_host.host import Host
from covel_host.store.package_failures import read_package_failures
from covel_host.store.records import SessionRecord
from covel_host.turn.package_pauses import paused_packages


def warn_of_missing(session: SessionRecord, catalog: Catalog) -> None:
    """Name the packages of the session that are not there."""
    for plugin_id in session.active_packages:
        if plugin_id not in catalog.packages:
            note(f"warning: the session's package {plugin_id!r} is not installed.")


class SessionNotes:
    """The notes on one session; `say` shows a line. Nothing is said twice."""

    def __init__(self, host: Host, session_id: str, say: Callable[[str], object] = note) -> None:
        self._host = host
        self._session_id = session_id
        self._say = say
        self._paused: frozenset[str] = frozenset()

    async def tell(self) -> None:
        """Say who answers for want of a model, and which packages are in no state to play."""
        if self._host.offline_note:
            self._say(self._host.offline_note)
        for state in self._host.catalog.packages.values():
            if state.generation is None:
                self._say(
                    f"warning: the package {state.plugin_id!r} is {state.status}; none of its "
                    f"runtimes runs. See: covel plugins show {state.plugin_id}"
                )
        await self.tell_paused()
        generations = self._host.catalog.generations()
        warn_of_stories((one.reading for one in generations), paused=self._paused)

    async def tell_paused(self) -> None:
        """Name the packages that have been set aside in the session since this was asked last."""
        failures = await self._host.ports.store.read(
            lambda reading: read_package_failures(reading, self._session_id)
        )
        hashes = {one.plugin_id: one.content_hash for one in self._host.catalog.generations()}
        before, self._paused = self._paused, paused_packages(failures, hashes)
        for plugin_id in sorted(self._paused - before):
            self._say(
                f"warning: the package {plugin_id!r} is set aside in this session after repeated "
                "errors; none of its runtimes runs. To let it run again: "
                f"covel plugins unpause {self._session_id} {plugin_id}"
            )
