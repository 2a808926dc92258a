"""The gate that every proposal passes, whatever it came from (seed: 提交前的检查)."""

from collections.abc import Mapping
from dataclasses import dataclass

from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.media_refs import MediaUse, may_hold_media, media_uses
from plugin_sdk.proposals import (
    Proposal,
    ProposalInvalid,
    ProposalType,
    read_proposal,
)
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedProposal:
    """A checked proposal and whose it is; made by `check_proposal` only.

    `model` is made from the JSON copy of what was given; read it, never change it. `media` are the
    assets its payload refers to. `hidden` are the namespaces whose `_hidden.<namespace>` it may
    write.
    """

    proposal_id: str
    model: Proposal
    media: tuple[MediaUse, ...]
    plugin_id: str
    runtime_id: str
    run_id: str
    hidden: frozenset[str] = frozenset()

    @property
    def type(self) -> ProposalType:
        """The proposal's type, such as `plugin.data`."""
        return self.model.type

    @property
    def payload(self) -> dict[str, JsonValue]:
        """The payload as JSON, sharing its values with `model`: never to be changed."""
        return self.model.payload()

    def refusal(self, code: str, problem: str, *, hint: str | None = None) -> ProposalRefused:
        """The refusal of this proposal; `problem` is a clause after the name of its package."""
        return ProposalRefused(
            f"Plugin {self.plugin_id!r}: {problem}",
            code=code,
            proposal_id=self.proposal_id,
            proposal_type=self.type,
            hint=hint,
        )


def check_proposal(
    proposal: Proposal | Mapping[str, object],
    *,
    proposal_id: str,
    plugin_id: str,
    runtime_id: str,
    run_id: str,
    hidden: frozenset[str] = frozenset(),
) -> StagedProposal:
    """The proposal with a payload that fits its type and is its own JSON copy.

    `proposal` is an SDK model or `{"type", "payload"}`. Nothing of it is shared with the result.

    Raises:
        ProposalRefused: `proposal-invalid` for an unknown type, a payload that does not fit or
            that JSON cannot store.
    """
    model, text = _checked(proposal, proposal_id=proposal_id)
    return StagedProposal(
        proposal_id=proposal_id,
        model=model,
        media=media_uses(model.payload()) if may_hold_media(text) else (),
        plugin_id=plugin_id,
        runtime_id=runtime_id,
        run_id=run_id,
        hidden=hidden,
    )


def _checked(
    proposal: Proposal | Mapping[str, object], *, proposal_id: str
) -> tuple[Proposal, bytes]:
    described: Mapping[str, object] = {"type": getattr(proposal, "type", None)}
    try:
        # A model is checked again from its payload: it may have been made without validation.
        described = (
            {"type": proposal.type, "payload": proposal.payload()}
            if isinstance(proposal, Proposal)
            else proposal
        )
        return read_proposal(described)
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
