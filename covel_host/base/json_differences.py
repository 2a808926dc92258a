"""Where two JSON values differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from plugin_sdk.values import JsonValue

Change: TypeAlias = Literal["added", "missing", "changed"]


@dataclass(frozen=True, slots=True)
class JsonDifference:
    """One place: `path` is an RFC 6901 pointer, `then` and `now` what stands there.

    What is `added` has no `then`, what is `missing` no `now`; both are None then.
    """

    path: str
    change: Change
    then: JsonValue
    now: JsonValue


_ESCAPES: Final = str.maketrans({"~": "~0", "/": "~1"})


def json_differences(then: JsonValue, now: JsonValue, path: str = "") -> Iterator[JsonDifference]:
    """The places in which `now` differs from `then`, outermost first; none when they are equal.

    Members of objects by name, items of lists by their position. `true` is no `1`.
    """
    if isinstance(then, dict) and isinstance(now, dict):
        for name in (*then, *(name for name in now if name not in then)):
            place = f"{path}/{name.translate(_ESCAPES)}"
            if name not in now:
                yield JsonDifference(place, "missing", then[name], None)
            elif name not in then:
                yield JsonDifference(place, "added", None, now[name])
            else:
                yield from json_differences(then[name], now[name], place)
    elif isinstance(then, list) and isinstance(now, list):
        for at in range(max(len(then), len(now))):
            place = f"{path}/{at}"
            if at >= len(now):
                yield JsonDifference(place, "missing", then[at], None)
            elif at >= len(then):
                yield JsonDifference(place, "added", None, now[at])
            else:
                yield from json_differences(then[at], now[at], place)
    elif isinstance(then, bool) is not isinstance(now, bool) or then != now:
        yield JsonDifference(path, "changed", then, now)
