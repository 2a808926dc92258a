"""Refusals of proposals, at staging and at commit."""

from dataclasses import dataclass

from covel_host.base.errors import HostError


class ProposalRefused(HostError):
    """One proposal cannot be written; nothing of it was staged or stored.

    `code` is `proposal-invalid`, a media check's reason, or the broken rule's own; the table is in
    docs/proposals.md.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        proposal_id: str,
        proposal_type: str,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.proposal_id = proposal_id
        self.proposal_type = proposal_type


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedProposal:
    """One proposal that was refused at commit, and whose it was."""

    proposal_id: str
    proposal_type: str
    plugin_id: str
    runtime_id: str
    run_id: str
    code: str
    message: str


class CommitRefused(HostError):
    """An execution was not committed; everything was rolled back.

    `code` and `message` are those of the refusal that decided it. `failed` are the proposals that
    were refused on the way, in order; empty when no proposal was to blame.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str | None = None,
        failed: tuple[FailedProposal, ...] = (),
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.failed = failed
