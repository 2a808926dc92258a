"""What a run that its turn did not wait for may have staged (spec/decisions.md 5)."""

from collections.abc import Iterable, Iterator
from typing import Final

from covel_host.manifest.detached_effects import OWN_DATA
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.proposals.staged import StagedProposal
from plugin_sdk.proposals import (
    PluginData,
    PluginDataBatch,
    PluginDataDelete,
    PluginDataUpdate,
)

_SHOWN: Final = {"ui.render": "ui:*", "asset.generate": "assets:*"}


def refused_effect(
    manifest: RuntimeManifest, plugin_id: str, proposals: Iterable[StagedProposal]
) -> str | None:
    """The first change that the run may not make, as a sentence; None where it may make all."""
    declared = () if manifest.effects is None else manifest.effects.writes
    must_declare = manifest.runtime_type == "function"
    for proposal in proposals:
        resources = [*_resources(proposal)]
        if not resources or proposal.plugin_id != plugin_id:
            return f"A detached run may not stage {proposal.type!r} of {proposal.plugin_id!r}."
        for resource in resources:
            if must_declare and resource not in declared:
                return f"{proposal.type!r} changes {resource!r}, which 'effects.writes' lacks."
    return None


def _resources(proposal: StagedProposal) -> Iterator[str]:
    model = proposal.model
    if proposal.type in _SHOWN:
        yield _SHOWN[proposal.type]
    elif isinstance(model, (PluginData, PluginDataDelete, PluginDataUpdate)):
        yield f"{OWN_DATA}{model.namespace}"
    elif isinstance(model, PluginDataBatch):
        yield from (f"{OWN_DATA}{item.namespace}" for item in model.items)
