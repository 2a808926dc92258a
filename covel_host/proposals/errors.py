"""Refusals of proposals, at staging and at commit."""

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


class CommitRefused(HostError):
    """An execution was not committed because of one proposal; everything was rolled back.

    `proposal_id`, `proposal_type`, `plugin_id` and `runtime_id` say which one; `code` and
    `message` are its own.
    """

    def __init__(self, refusal: ProposalRefused, *, plugin_id: str, runtime_id: str) -> None:
        super().__init__(refusal.message, code=refusal.code, hint=refusal.hint)
        self.proposal_id = refusal.proposal_id
        self.proposal_type = refusal.proposal_type
        self.plugin_id = plugin_id
        self.runtime_id = runtime_id
