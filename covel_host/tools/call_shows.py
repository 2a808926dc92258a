"""What a result shows the player: its `interaction` and its `ui`, as proposals.

Any tool may return them, the framework knows none by name (seed: 交互协议, render-ui).
"""

from collections.abc import Iterator

from plugin_sdk.errors import ToolValidationError
from plugin_sdk.interactions import FormInteraction
from plugin_sdk.proposals import InteractionRequest, Proposal, ProposalInvalid, parse_proposal
from plugin_sdk.rules.forms import check_form_fields
from plugin_sdk.values import JsonValue


class ShowInvalid(ValueError):
    """A result asks or shows something that no client can render."""


def shown_by(content: JsonValue) -> tuple[Proposal, ...]:
    """`interaction.request` and `ui.render` for the members of `content` that ask for them.

    An `interaction` is an object and a `ui` a list of blocks; anything else under these names is
    plain data.

    Raises:
        ShowInvalid: the interaction or a block does not have its form.
    """
    if not isinstance(content, dict) or ("interaction" not in content and "ui" not in content):
        return ()
    return tuple(_shows(content))


def _shows(content: dict[str, JsonValue]) -> Iterator[Proposal]:
    interaction, blocks = content.get("interaction"), content.get("ui")
    if isinstance(interaction, dict):
        payload: JsonValue = {"interaction": interaction}
        yield _answerable(_parsed("interaction.request", payload, where="interaction"))
    for index, block in enumerate(blocks if isinstance(blocks, list) else ()):
        yield _parsed("ui.render", block, where=f"ui.{index}")


def _parsed(proposal_type: str, payload: JsonValue, *, where: str) -> Proposal:
    try:
        return parse_proposal({"type": proposal_type, "payload": payload})
    except ProposalInvalid as error:
        raise ShowInvalid(f"the result's {where!r} cannot be shown: {error}") from error


def _answerable(request: Proposal) -> Proposal:
    """`request`, unless it is a form that no answer can satisfy."""
    assert isinstance(request, InteractionRequest)
    if isinstance(request.interaction, FormInteraction):
        try:
            check_form_fields([field.members() for field in request.interaction.fields])
        except ToolValidationError as error:
            raise ShowInvalid(
                f"the result's 'interaction' cannot be shown: {error.message}"
            ) from error
    return request
