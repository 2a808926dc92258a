"""Test calls of model slots."""

from collections.abc import Mapping

from covel_host.cli.event_loop import run_loop
from covel_host.cli.log_file import log_to_file
from covel_host.models.errors import ModelError
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.probe import ProbeResult, probe_slot
from covel_host.models.selector import UseOffline, UseSlot
from covel_host.models.slots import SlotTable
from covel_host.settings import Settings

OFFLINE = "offline"
"""The name under which the offline model is tested where no slot gives text."""


def try_slots(settings: Settings, slots: SlotTable, name: str | None) -> Mapping[str, ProbeResult]:
    """How a test call went, by slot: of the named one, or of every text slot in file order.

    Raises:
        ModelError: there is no slot of that name.
    """
    if name is not None and name != OFFLINE:
        slots.exact(name)
    texts = [slot.name for slot in slots.slots.values() if slot.tag.value == "text"]
    names = [name] if name is not None else texts or [OFFLINE]
    options = GatewayOptions.from_environment(settings.environ)
    with log_to_file(settings):
        return run_loop(_test(options, slots, names))


async def _test(
    options: GatewayOptions, slots: SlotTable, names: list[str]
) -> dict[str, ProbeResult]:
    # One after the other: local servers load one model at a time.
    return {name: await _probe(options, slots, name) for name in names}


async def _probe(options: GatewayOptions, slots: SlotTable, name: str) -> ProbeResult:
    selector = UseOffline() if name == OFFLINE else UseSlot(name)
    try:
        gateway = ModelGateway(options, slots, selector=selector)
    except ModelError as error:
        return ProbeResult(reply=None, error=error, first_output_ms=None, total_ms=0)
    try:
        return await probe_slot(gateway, None)
    finally:
        await gateway.aclose()
