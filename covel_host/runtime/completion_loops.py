"""Repeated-call detection: how many replies in a row made one and the same call.

A call's identity is its tool and its arguments as JSON, whatever their spelling. A reply counts
once per identity, so several equal calls beside each other (three dice) are no loop; a reply
without the call ends its streak (spec/execution.md 5.1, `loopDetection`).
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.runtime.completion_calls import CallOutcome


def next_streaks(streaks: Mapping[str, int], calls: Iterable[CallOutcome]) -> dict[str, int]:
    """The streak of every identity among the `calls` of one reply; others are forgotten.

    Calls that were never run do not count.
    """
    identities = {_identity(call) for call in calls if call.was_run}
    return {identity: streaks.get(identity, 0) + 1 for identity in sorted(identities)}


def repeated_tool(
    streaks: Mapping[str, int], calls: Iterable[CallOutcome], *, limit: int
) -> str | None:
    """The first tool of `calls` whose streak reached `limit`; a limit of 0 finds none."""
    if limit == 0:
        return None
    for call in calls:
        if call.was_run and streaks.get(_identity(call), 0) >= limit:
            return call.tool
    return None


def _identity(call: CallOutcome) -> str:
    if len(call.arguments) > _MAX_KEPT_CHARACTERS:
        return _identity_of(call.tool, call.arguments)
    # Asked for twice a reply, and in a loop again and again.
    return _kept_identity_of(call.tool, call.arguments)


def _identity_of(tool: str, arguments: str) -> str:
    try:
        canonical = json.dumps(parse_json(arguments), sort_keys=True)
    except JsonTextError:
        canonical = arguments
    text = f"{tool}\n{canonical}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


_MAX_KEPT_CHARACTERS: Final = 1_000

_kept_identity_of = lru_cache(maxsize=256)(_identity_of)
