"""`asset.generate`: an asset that a package made, and for an image a short message about it."""

from covel_host.proposals.narrative_writes import runtime_message
from covel_host.proposals.place import CommitPlace, origin
from covel_host.proposals.staged import StagedProposal
from covel_host.store.generated_assets import append_generated_asset
from covel_host.store.messages import append_messages
from covel_host.store.records import GeneratedAssetRecord
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from plugin_sdk.proposals import AssetGenerate
from plugin_sdk.values import JsonObject

IMAGE = "image"
HISTORY_CHARACTERS = 600
"""Limit of the text that the history keeps of an image (spec/execution.md 5.2)."""

_NO_TEXT = "An image was shown."


def record_asset(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Keep the asset; what it refers to was checked before, as every media reference is."""
    generated = proposal.model
    assert isinstance(generated, AssetGenerate)
    record = GeneratedAssetRecord(
        source=place.source(proposal),
        media_id=generated.ref.id,
        modality=generated.modality,
        meta=generated.meta,
    )
    append_generated_asset(transaction, record)
    asset = proposal.payload
    if generated.modality == IMAGE:
        text = _history_text(generated.meta or {})
        message = runtime_message(place, proposal, kind=IMAGE, content=text, data={"asset": asset})
        append_messages(transaction, [message])
    payload: JsonObject = {
        "proposalId": proposal.proposal_id,
        **origin(proposal),
        "asset": asset,
    }
    return (place.event("asset.generated", payload),)


def _history_text(meta: JsonObject) -> str:
    """The caption, else the prompt, cut to the limit."""
    texts = [text for name in ("caption", "prompt") if isinstance(text := meta.get(name), str)]
    text = next((text.strip() for text in texts if text.strip()), _NO_TEXT)
    if len(text) <= HISTORY_CHARACTERS:
        return text
    return f"{text[: HISTORY_CHARACTERS - 1]}…"
