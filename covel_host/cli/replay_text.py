"""A replay for people, and as JSON."""

from collections.abc import Iterator, Mapping
from typing import Final

from covel_host.base.json_text import dump_json
from covel_host.cli.output import counted
from covel_host.turn.replay_comparison import About, Difference
from covel_host.turn.replaying import ChangedPackage, ReplayReport
from plugin_sdk.values import JsonObject, JsonValue

MAX_SHOWN: Final = 40
"""Differences of one execution that are printed; the JSON document holds them all."""

_WIDTH: Final = 96
_BEFORE: Final = 24
"""Characters shown before the first one that differs."""

_WORDS: Final[Mapping[About, str]] = {
    "commit": "the end of the execution",
    "run": "the run",
    "proposal": "proposal",
    "tool-call": "tool call",
    "event": "event",
    "result": "its result",
    "model-call": "model call",
    "http-request": "HTTP request",
}


def report_json(report: ReplayReport) -> JsonObject:
    """One execution of `covel replay --json`."""
    return {
        "turnId": report.turn_id,
        "revision": report.revision,
        "same": report.is_same,
        "wasAborted": report.was_aborted,
        "packages": [
            {
                "pluginId": one.plugin_id,
                "change": one.change,
                "versionThen": one.version_then,
                "versionNow": one.version_now,
            }
            for one in report.packages
        ],
        "differences": [_difference_json(one) for one in report.differences],
    }


def _difference_json(one: Difference) -> JsonObject:
    return {
        "about": one.about,
        "change": one.change,
        "runtimeId": one.runtime_id,
        "run": one.run,
        "position": one.position,
        "item": one.item,
        "path": one.path,
        "then": one.then,
        "now": one.now,
    }


def replay_text(report: ReplayReport) -> str:
    """One execution, for people; ends with a line end."""
    lines = [f"{report.turn_id}, from revision {report.revision}"]
    lines += [f"  {_package(one)}" for one in report.packages]
    if report.was_aborted:
        lines.append("  It was aborted then, and so is the replay, where the recording ends.")
    if report.is_same:
        return "\n".join([*lines, "  The same came of it as then.", ""])
    lines.append(f"  {counted(len(report.differences), 'difference')}:")
    shown = report.differences[:MAX_SHOWN]
    for one in shown:
        lines += [f"  {_head(one)}", *(f"      {line}" for line in _values(one))]
    if len(report.differences) > len(shown):
        more = len(report.differences) - len(shown)
        lines.append(f"  … and {more:,} more; --json holds them all.")
    return "\n".join([*lines, ""])


def _package(one: ChangedPackage) -> str:
    if one.change == "missing":
        return f"The package {one.plugin_id!r} is not there any more, or cannot be loaded."
    if one.change == "added":
        return f"The package {one.plugin_id!r} could not be loaded then, and is there now."
    versions = (
        ""
        if one.version_then == one.version_now
        else f", from version {one.version_then} to {one.version_now}"
    )
    return f"The package {one.plugin_id!r} has changed since{versions}."


def _head(one: Difference) -> str:
    what = _WORDS[one.about]
    if one.position is not None:
        what = f"{what} {one.position + 1}"
    if one.item:
        what = f"{what} ({one.item})"
    where = f" at {one.path}" if one.path else ""
    number = f" (run {one.run + 1})" if one.run else ""
    who = f"{one.runtime_id}{number}: " if one.runtime_id else ""
    return f"{who}{what}: {one.change}{where}"


def _values(one: Difference) -> Iterator[str]:
    if one.about in ("model-call", "http-request") and not one.path and one.change != "changed":
        yield _asked(one)
        return
    is_text = isinstance(one.then, str) and isinstance(one.now, str)
    then, now = (_shown(value, is_text=is_text) for value in (one.then, one.now))
    begin = 0
    if one.change == "changed":
        begin = max(_first_difference(then, now) - _BEFORE, 0)
    if one.change != "added":
        yield f"then: {_cut(then, begin)}"
    if one.change != "missing":
        yield f"now:  {_cut(now, begin)}"


def _asked(one: Difference) -> str:
    if one.change == "missing":
        return "It is not made any more."
    return "It was not made then, so the recording holds no answer to it."


def _shown(value: JsonValue, *, is_text: bool) -> str:
    """The value on one line; of two texts without quotes, since no number is mistaken for one."""
    if is_text:
        return str(value).replace("\n", "\\n")
    return dump_json(value)


def _first_difference(then: str, now: str) -> int:
    pairs = enumerate(zip(then, now, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(then), len(now)))


def _cut(text: str, begin: int) -> str:
    before = "…" if begin else ""
    after = "…" if len(text) - begin > _WIDTH else ""
    return f"{before}{text[begin : begin + _WIDTH]}{after}"
