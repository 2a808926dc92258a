"""Whether a call may be made at all, asked anew before each (spec/manifest.md 10.3, 10.4)."""

from covel_host.services.caller import MAX_DEPTH, Caller, ServiceKey
from covel_host.services.directory import OfferedService, ServiceDirectory
from covel_host.services.failures import unavailable
from plugin_sdk.errors import ToolError
from plugin_sdk.records import ServiceOffer


def admitted(directory: ServiceDirectory, caller: Caller, offer: ServiceOffer) -> OfferedService:
    """The service that `offer` means.

    Raises:
        ServiceFailed: `unavailable`: one side is not active, the service is gone, the call would
            close a circle or lie too deep.
        ToolError: it is no offer, or it writes and the caller may not.
    """
    if not isinstance(offer, ServiceOffer):
        raise ToolError(
            "invalid-input",
            f"A service is called by an offer of discover(), not a {type(offer).__name__!r}.",
        )
    contract = offer.contract
    if directory.standing(caller.plugin_id) != "active":
        raise unavailable(contract, "its caller is not active in this session any more")
    found = directory.find(offer.plugin_id, offer.name, contract)
    standing = directory.standing(offer.plugin_id)
    if standing == "paused":
        raise unavailable(contract, "its provider is paused after repeated errors")
    if found is None or standing != "active":
        raise unavailable(contract, f"no active provider offers it as {offer.name!r}")
    _check_chain(found, caller)
    _check_bar(found, caller)
    return found


def _check_chain(found: OfferedService, caller: Caller) -> None:
    contract = found.service.contract
    if ServiceKey(found.plugin_id, found.service.name) in caller.above:
        raise unavailable(contract, "it is under way already, and would call itself")
    if len(caller.above) >= MAX_DEPTH:
        raise unavailable(contract, f"{MAX_DEPTH} services are under way inside each other already")


def _check_bar(found: OfferedService, caller: Caller) -> None:
    if found.service.kind == "read" or caller.bar is None:
        return
    contract = found.service.contract
    if caller.bar == "read-service":
        raise ToolError(
            "refused",
            f"A read service cannot call the write service {contract}.",
            hint="Make the calling service one of kind 'write'.",
        )
    raise ToolError(
        "unavailable",
        f"The service {contract} is unavailable in this run: it changes data, which this runtime "
        "cannot do here.",
    )
