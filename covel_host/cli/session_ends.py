"""Hooks of packages told that a session is over, where one of them wants to know."""

from functools import partial
from typing import Literal

from covel_host.base.errors import HostError
from covel_host.catalog.catalog import Catalog
from covel_host.cli.in_session import read_packages
from covel_host.cli.output import note
from covel_host.host import Host
from covel_host.settings import Settings
from covel_host.store.records import SessionRecord
from covel_host.turn.hook_calls import tell_session_end
from covel_host.turn.ports import SilentObserver
from covel_host.turn.session_deletion import TellEnd

_EVENT = "SessionEnd"


def end_teller(settings: Settings, reason: Literal["ended", "deleted"]) -> TellEnd:
    """What tells the session's packages, as far as their code may run without being asked for."""
    return partial(_tell, settings, reason)


async def _tell(
    settings: Settings, reason: Literal["ended", "deleted"], session: SessionRecord
) -> None:
    catalog = read_packages(settings, (), others=session.active_packages)
    if not _anyone_listens(catalog):
        return
    try:
        host = await Host.open(settings, load=(), catalog=catalog)
    except HostError as error:
        # The session is over whether its packages hear of it or not.
        note(f"note: no package was told of the end of the session: {error.message}")
        return
    try:
        await tell_session_end(session, host.ports, SilentObserver(), reason=reason)
    finally:
        await host.close()


def _anyone_listens(catalog: Catalog) -> bool:
    manifests = (state.reading.manifest for state in catalog.packages.values())
    return any(
        hook.event == _EVENT
        for manifest in manifests
        if manifest is not None
        for hook in manifest.contributes.hooks
    )
