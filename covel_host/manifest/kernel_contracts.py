"""The contracts the host itself owns (spec/manifest.md 10.6)."""

from typing import Final

EXTENSION_POINTS: Final = (
    "prompt.segment@1",
    "prompt.history-transform@1",
    "history.compact@2",
    "session.world-context@1",
    "media.image-flow@1",
    "ui.slot@1",
)
UI_SLOTS: Final = (
    "stage.backdrop@1",
    "stage.cast@1",
    "stage.dialogue@1",
    "stage.choices@1",
    "character.visual@1",
    "session.summary@1",
    "stage.music@1",
)


def is_kernel_contract(contract: str) -> bool:
    """Whether `contract` names an extension point or UI slot of the host, of any version."""
    name = contract.rpartition("@")[0]
    return any(known.rpartition("@")[0] == name for known in (*EXTENSION_POINTS, *UI_SLOTS))
