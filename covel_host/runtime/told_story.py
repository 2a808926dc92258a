"""The value of a told story that others build on: the form of `narrative-engine@1`.

Spec/decisions.md 4.
"""

import re
from typing import Final

from plugin_sdk.values import JsonObject

_BETWEEN_PARAGRAPHS: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def told_story(prose: str) -> JsonObject:
    """`{segments: [{text, kind}], narrativeOutput}`: one narration segment per paragraph.

    Paragraphs are parted by blank lines. `narrativeOutput` is the prose exactly as the player reads
    it, so that what stands in it can be found in the conversation.
    """
    paragraphs = (part.strip() for part in _BETWEEN_PARAGRAPHS.split(prose))
    return {
        "segments": [{"text": text, "kind": "narration"} for text in paragraphs if text],
        "narrativeOutput": prose,
    }
