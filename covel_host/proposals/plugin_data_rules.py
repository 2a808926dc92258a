"""The rules of plugin data proposals: one pure function for the view and for the commit.

What a proposal makes of a record is `plugin_sdk.rules.plugin_data`'s to say; here are the checks of
its place and size, and of its data set (seed: 不能到达的命名空间, 单条记录的大小上限;
spec/transactions.md 6.1, 6.2).
"""

from dataclasses import dataclass
from typing import TypeAlias

from covel_host.proposals.data_policies import (
    DATASET_POLICY,
    NO_POLICIES,
    DataPolicies,
    operations_of,
)
from covel_host.proposals.json_size import value_text
from covel_host.proposals.staged import StagedProposal
from plugin_sdk.names import HIDDEN_NAMESPACE_PREFIX, is_reserved_namespace
from plugin_sdk.proposals import (
    PluginData,
    PluginDataBatch,
    PluginDataDelete,
    PluginDataUpdate,
)
from plugin_sdk.rules.data_ops import DataOpError
from plugin_sdk.rules.plugin_data import (
    MAX_PLUGIN_DATA_VALUE_BYTES,
    StoredValue,
    apply_plugin_data_proposal,
    plugin_data_size_problem,
)
from plugin_sdk.values import JsonValue

DataWrite: TypeAlias = PluginData | PluginDataDelete | PluginDataUpdate
"""A write of one record; a batch is several of them."""

ABSENT = StoredValue(exists=False)


@dataclass(frozen=True, slots=True)
class DataChange:
    """What a write makes of one record: its new value and that value's JSON text.

    Both are None when the record is removed; a stored value is never null.
    """

    namespace: str
    key: str
    text: str | None
    value: JsonValue


def data_writes(proposal: StagedProposal) -> tuple[DataWrite, ...]:
    """The writes of a proposal in order, one per record; none for proposals of other kinds."""
    match proposal.model:
        case PluginDataBatch(items=items):
            return tuple(
                PluginData.model_construct(namespace=item.namespace, key=item.key, value=item.value)
                for item in items
            )
        case PluginData() | PluginDataDelete() | PluginDataUpdate():
            return (proposal.model,)
        case _:
            return ()


def needs_current(write: DataWrite) -> bool:
    """Whether what the write makes of a record depends on what the record is."""
    return isinstance(write, PluginDataUpdate)


def hidden_name(namespace: str) -> str | None:
    """The `<namespace>` of `_hidden.<namespace>`, None for every other name."""
    if not namespace.startswith(HIDDEN_NAMESPACE_PREFIX):
        return None
    return namespace.removeprefix(HIDDEN_NAMESPACE_PREFIX)


def changed_record(
    proposal: StagedProposal,
    write: DataWrite,
    current: StoredValue,
    policies: DataPolicies = NO_POLICIES,
) -> DataChange:
    """What `write` makes of its record; `current` is read only where `needs_current` says so.

    Raises:
        ProposalRefused: `reserved-namespace`; the code of the operation that does not apply;
            `value-too-large`, with plugin ID, namespace/key, size and limit in the message;
            `dataset-policy` for what the namespace's data set does not allow.
    """
    _check_place(proposal, write)
    try:
        after = apply_plugin_data_proposal(write, write.namespace, write.key, current)
    except DataOpError as error:
        place = f"{write.namespace}/{write.key}"
        raise proposal.refusal(error.code, f"{place}: {error.message}") from error
    value = after.value if after is not None and after.exists else None
    text = None if value is None else _measured(proposal, write, value)
    policy = policies.get((proposal.plugin_id, write.namespace))
    problem = None if policy is None else policy.problem(operations_of(write), value)
    if problem is not None:
        raise proposal.refusal(DATASET_POLICY, f"{write.namespace}/{write.key}: {problem}")
    return DataChange(write.namespace, write.key, text, value)


def _check_place(proposal: StagedProposal, write: DataWrite) -> None:
    if is_reserved_namespace(write.namespace) and hidden_name(write.namespace) not in (
        proposal.hidden
    ):
        raise proposal.refusal(
            "reserved-namespace",
            f"the namespace {write.namespace!r} begins with '_', and such namespaces hold the "
            "framework's own records. Choose a name that begins with a letter.",
        )


def _measured(proposal: StagedProposal, write: DataWrite, value: JsonValue) -> str:
    """The text under which `value` is stored, when it is not too large."""
    text = value_text(value)
    # The text is measured first: making the sentence writes the value once more.
    if len(text.encode("utf-8")) > MAX_PLUGIN_DATA_VALUE_BYTES:
        problem = plugin_data_size_problem(write.namespace, write.key, value)
        if problem is not None:
            raise proposal.refusal("value-too-large", problem)
    return text
