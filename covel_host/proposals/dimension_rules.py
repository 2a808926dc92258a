"""Dimensions under proposals: who may write them, what may be written, which versions must hold.

Pure: the handler reads the rows and writes what these functions say (spec/world.md 3.6).
"""

from collections.abc import Mapping
from dataclasses import replace

from covel_host.proposals.staged import StagedProposal
from covel_host.schemas.dimension_values import check_dimension_value
from covel_host.store.records import DimensionRecord
from plugin_sdk.errors import problems_message
from plugin_sdk.proposals import DimensionChange, DimensionUpdate
from plugin_sdk.rules.dimension_definitions import (
    dimension_definition_problems,
    dimension_value_problem,
    resolve_dimension_definition,
)
from plugin_sdk.values import JsonObject, JsonValue

VERSION_CONFLICT = "dimension-version-conflict"


def assert_provider(proposal: StagedProposal, provider_id: str | None) -> None:
    """Pass when the proposing package is the session's dimension provider.

    Raises:
        ProposalRefused: `dimension-provider-required`.
    """
    if proposal.plugin_id == provider_id:
        return
    who = f"{provider_id!r} is it" if provider_id else "this session has none"
    raise proposal.refusal(
        "dimension-provider-required",
        f"only the session's dimension provider writes dimensions, and {who}.",
        hint="A provider offers the contract 'world.dimensions@1'.",
    )


def initialized_dimension(
    proposal: StagedProposal,
    dimension_id: str,
    definition: JsonObject,
    current: DimensionRecord | None,
    *,
    session_id: str,
    locale: str,
) -> DimensionRecord | None:
    """The new dimension; None when the same definition was adopted before.

    Raises:
        ProposalRefused: `proposal-invalid`; `dimension-definition-conflict` when another
            definition of that ID was adopted.
    """
    resolved = resolve_dimension_definition(definition, locale)
    problems = dimension_definition_problems(dimension_id, resolved, check_dimension_value)
    if problems:
        raise proposal.refusal(
            "proposal-invalid",
            f"the definition of the dimension {dimension_id!r} is wrong.\n"
            f"{problems_message(problems)}",
        )
    if current is None:
        return DimensionRecord(
            session_id=session_id,
            dimension_id=dimension_id,
            plugin_id=proposal.plugin_id,
            version=1,
            definition=resolved,
            value=resolved["initialValue"],
        )
    if current.definition != resolved:
        raise proposal.refusal(
            "dimension-definition-conflict",
            f"the dimension {dimension_id!r} was adopted with another definition, which stays.",
            hint="Definitions do not change within a session; use another ID.",
        )
    return None


def assert_versions(
    proposal: StagedProposal, update: DimensionUpdate, current: Mapping[str, DimensionRecord]
) -> None:
    """Pass when all versions an update rests on are still the current ones.

    Counted are those of its values and those that were only read (spec/transactions.md 5.2).

    Raises:
        ProposalRefused: `dimension-version-conflict`, with every stale ID and its current version;
            `not-found` for an ID that is no dimension; `proposal-invalid` for an ID named twice.
    """
    expected = {change.id: change.expected_version for change in update.updates}
    if len(expected) < len(update.updates):
        raise proposal.refusal("proposal-invalid", "a dimension is updated twice in one proposal.")
    pairs = [*expected.items(), *(update.read_versions or {}).items()]
    for dimension_id, _ in pairs:
        if dimension_id not in current:
            raise proposal.refusal("not-found", f"{dimension_id!r} is no dimension here.")
    stale = [
        f"{dimension_id!r} is at version {current[dimension_id].version}, not {version}"
        for dimension_id, version in pairs
        if version != current[dimension_id].version
    ]
    if stale:
        raise proposal.refusal(
            VERSION_CONFLICT,
            f"the dimensions changed since they were read: {'; '.join(dict.fromkeys(stale))}.",
            hint="Read them again and work the change out anew; nothing of it was written.",
        )


def updated_dimension(
    proposal: StagedProposal, change: DimensionChange, current: DimensionRecord, source: JsonValue
) -> DimensionRecord:
    """The dimension with its complete new value and the next version.

    Raises:
        ProposalRefused: `proposal-invalid` when the value breaks the schema or the limits.
    """
    too_big = dimension_value_problem(change.value)
    schema = current.definition["schema"]
    assert isinstance(schema, dict)
    problems = [too_big] if too_big else check_dimension_value(schema, change.value)
    if problems:
        raise proposal.refusal(
            "proposal-invalid",
            f"the new value of the dimension {change.id!r} cannot be stored. {' '.join(problems)}",
        )
    return replace(
        current,
        version=current.version + 1,
        value=change.value,
        last_source=current.last_source if source is None else source,
    )
