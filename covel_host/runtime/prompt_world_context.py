"""`session.world-context@1`: what a package says of the world in place of the host's own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from covel_host.runtime.extensions import RunExtensions
from covel_host.services.extension_calls import ExtensionFailed
from covel_host.services.extension_directory import OfferedExtension
from covel_host.services.extension_points import WORLD_CONTEXT
from plugin_sdk.values import JsonObject, JsonValue

if TYPE_CHECKING:
    from plugin_sdk import extension_points as given

_NAMES_WORLD = re.compile(r"\{\{\s*world\.")
_MEMBERS = ("schema", "entries", "dimensions")


@dataclass(frozen=True, slots=True)
class ProvidedWorld:
    """A package's word on the world: `members` are those of `world` variables that it gives.

    `provider_plugin_id` is filled in here, never by the package; `recovery` names runtimes of its
    own that mend dimensions (spec/world.md 3.8).
    """

    provider_plugin_id: str
    members: JsonObject
    recovery: JsonObject | None = None


async def world_context(extensions: RunExtensions, body: str) -> Mapping[str, JsonValue]:
    """The members for the variables of `body`; nobody is asked where it names none."""
    if _NAMES_WORLD.search(body) is None:
        return {}
    provided = await provided_world(extensions)
    return {} if provided is None else provided.members


async def provided_world(extensions: RunExtensions) -> ProvidedWorld | None:
    """What the session's one provider says; None without one, and where it gives nothing."""
    offered = extensions.of(WORLD_CONTEXT)
    if not offered:
        return None
    from plugin_sdk.extension_points import WorldContextQuery

    return (await extensions.ask(offered[0], WorldContextQuery(), _settled)).value


def _settled(offered: OfferedExtension, answer: "given.WorldContext") -> ProvidedWorld:
    written: JsonObject = answer.members()
    recovery = written.get("dimensionRecovery")
    if isinstance(recovery, dict):
        foreign = [name for name in recovery.values() if name not in offered.runtime_ids]
        if foreign:
            raise ExtensionFailed(
                "internal", f"It names {foreign[0]!r:.80}, which is no runtime of its package."
            )
    members = {name: written[name] for name in _MEMBERS if written.get(name) is not None}
    return ProvidedWorld(
        offered.plugin_id, members, recovery if isinstance(recovery, dict) else None
    )
