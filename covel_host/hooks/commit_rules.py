"""What a hook may change of a proposal before its commit (spec/manifest.md 10.5)."""

from covel_host.hooks.refusals import ReplacementRefused, json_object
from plugin_sdk.hook_events import ProposalCommit
from plugin_sdk.proposals import Proposal, ProposalInvalid, parse_proposal


def replaced_payload(payload: ProposalCommit, value: object) -> Proposal:
    """A proposal of the same type with the payload `value` (JSON, camelCase members).

    Type, source and IDs are the proposal's own and are no part of its payload.

    Raises:
        ReplacementRefused: the payload does not fit the type.
    """
    copy = json_object(value, member="payload")
    try:
        return parse_proposal({"type": payload.proposal.type, "payload": copy})
    except ProposalInvalid as error:
        raise ReplacementRefused(f"'payload' does not fit: {error}") from error
