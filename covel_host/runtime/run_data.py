"""`ctx.plugin_data`: the package's own data, writes staged (spec/manifest.md 11.9)."""

from covel_host.proposals.errors import ProposalRefused
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.call_store import CallStore
from covel_host.runtime.package_data import PackageData, refused_write
from covel_host.runtime.run import RuntimeRun
from plugin_sdk.records import DataItem
from plugin_sdk.values import JsonValue


class RunData(PackageData):
    """The data of one run; a write is checked at once and committed with the run, or not at all.

    What `store` reads is read here. `hidden` are the namespaces whose `_hidden.<namespace>` may be
    written, too.
    """

    def __init__(
        self, run: RuntimeRun, life: CallLife, store: CallStore, *, hidden: frozenset[str]
    ) -> None:
        self._staging = run.staging
        self._life = life
        self._store = store
        self._hidden = hidden

    async def get(self, namespace: str, key: str) -> JsonValue:
        return await self._store.get_plugin_data(namespace, key)

    async def list(self, namespace: str) -> list[DataItem]:
        return await self._store.list_plugin_data(namespace)

    async def _write(self, proposal_type: str, **payload: object) -> None:
        proposal = {"type": proposal_type, "payload": payload}
        try:
            await self._life.use(lambda: self._staging.stage([proposal], hidden=self._hidden))
        except ProposalRefused as refusal:
            raise refused_write(refusal) from refusal
