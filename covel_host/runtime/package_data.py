"""What every `ctx.plugin_data` has in common: reads of whole namespaces, writes as proposals."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.overlay import DEFAULT_LIST_LIMIT, PluginDataView
from plugin_sdk.errors import ToolError, ToolErrorCode
from plugin_sdk.records import DataItem
from plugin_sdk.rules.data_ops import DATA_OP_TOOL_CODES
from plugin_sdk.values import JsonValue

_CODES: Final[dict[str, ToolErrorCode]] = {
    **{str(code): tool_code for code, tool_code in DATA_OP_TOOL_CODES.items()},
    "reserved-namespace": "refused",
}
"""What a refusal of a write means to the code that wrote; any other is `invalid-input`."""


class PackageData(ABC):
    """Writes of one package's records, each a proposal that is checked at once."""

    @abstractmethod
    async def get(self, namespace: str, key: str) -> JsonValue:
        """The record's value, or None."""

    async def set(self, namespace: str, key: str, value: JsonValue) -> None:
        """Write a whole record; None removes it."""
        if value is None:
            await self.delete(namespace, key)
            return
        await self._write("plugin.data", namespace=namespace, key=key, value=value)

    async def delete(self, namespace: str, key: str) -> None:
        """Remove a record; one that is not there stays away."""
        await self._write("plugin.data.delete", namespace=namespace, key=key)

    async def update(
        self, namespace: str, key: str, ops: Sequence[Mapping[str, JsonValue]]
    ) -> JsonValue:
        """The record after its operations, None when they removed it."""
        # Code need not have read the types: the gate says what is wrong with anything else.
        listed: object = [*ops] if isinstance(ops, Iterable) else ops
        await self._write("plugin.data.update", namespace=namespace, key=key, ops=listed)
        return await self.get(namespace, key)

    @abstractmethod
    async def _write(self, proposal_type: str, **payload: object) -> None:
        """Check and keep one proposal.

        Raises:
            ToolError: it was refused.
        """


def refused_write(refusal: ProposalRefused) -> ToolError:
    """What the code that wrote is told of a refused write."""
    code = _CODES.get(refusal.code, "invalid-input")
    return ToolError(code, refusal.message, hint=refusal.hint)


async def read_record(
    data: PluginDataView,
    namespace: str,
    key: str,
    *,
    hidden: frozenset[str] = frozenset(),
    is_read: bool = True,
) -> JsonValue:
    """The record's value, or None; without `is_read` nothing is to rest on it.

    Raises:
        ToolError: `invalid-input`; a name is no text that can be stored.
    """
    _check_names(namespace=namespace, key=key)
    entry = await data.find(namespace, key, hidden=hidden, is_read=is_read)
    return None if entry is None else entry.value


async def read_records(
    data: PluginDataView,
    namespace: str,
    *,
    after: str = "",
    limit: int | None = None,
    hidden: frozenset[str] = frozenset(),
    is_read: bool = True,
) -> list[DataItem]:
    """At most `limit` records with keys after `after` in code-point order, all by default.

    Without `is_read` nothing is to rest on them.

    Raises:
        ToolError: `invalid-input`; a name is no text that can be stored.
    """
    _check_names(namespace=namespace, after=after)
    items: list[DataItem] = []
    while limit is None or len(items) < limit:
        rest = DEFAULT_LIST_LIMIT if limit is None else limit - len(items)
        wanted = min(rest, DEFAULT_LIST_LIMIT)
        page = await data.list(namespace, after=after, limit=wanted, hidden=hidden, is_read=is_read)
        items += [DataItem(entry.key, entry.value) for entry in page]
        if len(page) < wanted:
            break
        after = page[-1].key
    return items


def _check_names(**names: object) -> None:
    for what, name in names.items():
        if not isinstance(name, str):
            raise ToolError("invalid-input", f"{what!r} is text, not a {type(name).__name__!r}.")
        try:
            name.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ToolError(
                "invalid-input",
                f"{what!r} holds a lone surrogate at position {error.start}, which no record has.",
            ) from None
