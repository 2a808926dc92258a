"""The gate that every proposal passes, whatever it came from (seed: 提交前的检查)."""

from collections.abc import Mapping
from dataclasses import dataclass

from covel_host.proposals.errors import ProposalRefused
from plugin_sdk.proposals import (
    PROPOSAL_TYPES,
    Proposal,
    ProposalInvalid,
    ProposalType,
    parse_proposal,
)
from plugin_sdk.values import JsonValue

SERVED_TYPES: frozenset[ProposalType] = frozenset(
    {
        "narrative.append",
        "plugin.data",
        "plugin.data.batch",
        "plugin.data.delete",
        "plugin.data.update",
    }
)
"""The proposal types that this host writes; the others are refused, never dropped in silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedProposal:
    """A checked proposal and whose it is; made by `check_proposal` only.

    `payload` is the JSON copy that was checked, `model` the same as the SDK's model. Read them,
    never change them.
    """

    proposal_id: str
    model: Proposal
    payload: dict[str, JsonValue]
    plugin_id: str
    runtime_id: str
    run_id: str

    @property
    def type(self) -> ProposalType:
        """The proposal's type, such as `plugin.data`."""
        return self.model.type


def check_proposal(
    proposal: Proposal | Mapping[str, object],
    *,
    proposal_id: str,
    plugin_id: str,
    runtime_id: str,
    run_id: str,
) -> StagedProposal:
    """The proposal with a payload that fits its type and is its own JSON copy.

    `proposal` is an SDK model or `{"type", "payload"}`. Nothing of it is shared with the result.

    Raises:
        ProposalRefused: `proposal-invalid` for an unknown type, a payload that does not fit or
            that JSON cannot store; `not-supported-yet` for a type this host does not write.
    """
    type_name = proposal.type if isinstance(proposal, Proposal) else proposal.get("type")
    if type_name in PROPOSAL_TYPES and type_name not in SERVED_TYPES:
        raise ProposalRefused(
            f"The proposal type {type_name!r} is not written by this host yet.",
            code="not-supported-yet",
            proposal_id=proposal_id,
            proposal_type=str(type_name),
            hint=f"It writes {', '.join(sorted(SERVED_TYPES))}.",
        )
    model = _checked(proposal, proposal_id=proposal_id)
    return StagedProposal(
        proposal_id=proposal_id,
        model=model,
        payload=model.payload(),
        plugin_id=plugin_id,
        runtime_id=runtime_id,
        run_id=run_id,
    )


def _checked(proposal: Proposal | Mapping[str, object], *, proposal_id: str) -> Proposal:
    described: Mapping[str, object] = {"type": getattr(proposal, "type", None)}
    try:
        # A model is checked again from its payload: it may have been made without validation.
        described = (
            {"type": proposal.type, "payload": proposal.payload()}
            if isinstance(proposal, Proposal)
            else proposal
        )
        return parse_proposal(described)
    except ProposalInvalid as error:
        raise _invalid(str(error), described.get("type"), proposal_id) from error
    except (TypeError, ValueError) as error:
        # A model made without validation may hold what it cannot write out.
        message = f"{described.get('type')}: the payload cannot be stored as JSON: {error}."
        raise _invalid(message, described.get("type"), proposal_id) from error


def _invalid(message: str, type_name: object, proposal_id: str) -> ProposalRefused:
    return ProposalRefused(
        message,
        code="proposal-invalid",
        proposal_id=proposal_id,
        proposal_type=str(type_name),
        hint="Build proposals with the models of plugin_sdk.proposals.",
    )
