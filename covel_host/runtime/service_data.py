"""`ctx.plugin_data` of a service: the provider's own records, writes in the caller's unit."""

from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.operations import Operation
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.package_data import (
    PackageData,
    read_record,
    read_records,
    refused_write,
)
from covel_host.services.directory import OfferedService
from plugin_sdk.errors import ToolError
from plugin_sdk.records import DataItem
from plugin_sdk.values import JsonValue


class ServiceData(PackageData):
    """The records of a service's package as the execution has them by now.

    A write service's writes are checked at once and go into `operation`; a read service has none.
    `_hidden.*` is out of reach for both.
    """

    def __init__(self, offered: OfferedService, operation: Operation, life: CallLife) -> None:
        self._offered = offered
        self._operation = operation
        self._life = life

    async def get(self, namespace: str, key: str) -> JsonValue:
        data = self._operation.data_of(self._offered.plugin_id)
        return await self._life.use(lambda: read_record(data, namespace, key))

    async def list(self, namespace: str) -> list[DataItem]:
        data = self._operation.data_of(self._offered.plugin_id)
        return await self._life.use(lambda: read_records(data, namespace))

    async def _write(self, proposal_type: str, **payload: object) -> None:
        if self._offered.service.kind == "read":
            raise ToolError(
                "refused",
                f"{self._offered.service.contract} is a read service and writes nothing.",
                hint="Make it a service of kind 'write'.",
            )
        proposal = {"type": proposal_type, "payload": payload}
        plugin_id = self._offered.plugin_id
        try:
            await self._life.use(lambda: self._operation.stage(proposal, plugin_id=plugin_id))
        except ProposalRefused as refusal:
            raise refused_write(refusal) from refusal
