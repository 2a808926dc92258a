"""What of a replay is otherwise than it was recorded."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Final, Literal, TypeAlias

from covel_host.base.json_differences import Change, json_differences
from covel_host.base.json_text import dump_json
from covel_host.turn.replay_tape import Asked
from plugin_sdk.values import JsonValue

About: TypeAlias = Literal[
    "commit", "run", "proposal", "tool-call", "event", "result", "model-call", "http-request"
]
"""What differs: the end of the execution, a run as a whole, or something of a run."""

_LISTS: Final[tuple[tuple[str, About], ...]] = (
    ("toolCalls", "tool-call"),
    ("proposals", "proposal"),
    ("events", "event"),
)
CONCEALED_VALUE: Final = "[concealed]"

_APART: Final = frozenset({name for name, _ in _LISTS} | {"nested", "runtimeId"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that differs.

    `runtime_id` is empty for the execution as a whole; `run` numbers the runs of a runtime from 0.
    `item` says which proposal, call or event is meant, by its position in the run from 0 and its
    type or name. `path` points into it, or into the run. `then` and `now` are what stands there.
    """

    about: About
    change: Change
    runtime_id: str = ""
    run: int = 0
    position: int | None = None
    item: str = ""
    path: str = ""
    then: JsonValue = None
    now: JsonValue = None


def differences(then: Any, now: Any, asked: Sequence[Asked]) -> list[Difference]:
    """Everything in which the outcome `now` and what was `asked` differ from the recording.

    What was asked stands first: it is what led to the rest. Values of concealed runs are not shown,
    nor what any model was asked in an execution that has one: they may stand there.
    """
    found = [*_questions(asked), *_runs(then["runs"], now["runs"]), *_end(then, now)]
    runs = [
        run for each in (*then["runs"], *now["runs"]) for run in (each, *each.get("nested", []))
    ]
    concealed = {run["runtimeId"] for run in runs if run["isConcealed"]}
    return [_shown(one, concealed) for one in found] if concealed else found


def _shown(one: Difference, concealed: Collection[str]) -> Difference:
    if one.runtime_id not in concealed and one.about not in ("model-call", "http-request"):
        return one
    return replace(
        one,
        then=None if one.then is None else CONCEALED_VALUE,
        now=None if one.now is None else CONCEALED_VALUE,
    )


def _questions(asked: Sequence[Asked]) -> Iterator[Difference]:
    for one in asked:
        about: About = "model-call" if one.what == "model" else "http-request"
        place: dict[str, Any] = {"about": about, "runtime_id": one.runtime_id, "run": one.number}
        if one.then is None or one.now is None:
            change: Change = "added" if one.then is None else "missing"
            yield Difference(
                **place, change=change, position=one.position, then=one.then, now=one.now
            )
            continue
        for found in json_differences(one.then, one.now):
            yield Difference(
                **place,
                change=found.change,
                position=one.position,
                path=found.path,
                then=found.then,
                now=found.now,
            )


def _end(then: Any, now: Any) -> Iterator[Difference]:
    for name in ("committed", "failure"):
        for found in json_differences(then[name], now[name], f"/{name}"):
            yield Difference(
                about="commit",
                change=found.change,
                path=found.path,
                then=found.then,
                now=found.now,
            )


def _runs(then: Iterable[Any], now: Iterable[Any]) -> Iterator[Difference]:
    """The differences of runs, each compared with the run of the same runtime and number.

    Runs inside a run end in no certain order: equal ones are compared first.
    """
    before, after = _by_runtime(then), _by_runtime(now)
    for runtime_id in dict.fromkeys((*before, *after)):
        pairs = _paired(before.get(runtime_id, []), after.get(runtime_id, []))
        for number, (old, new) in enumerate(pairs):
            if old is None or new is None:
                yield Difference(
                    about="run",
                    change="added" if old is None else "missing",
                    runtime_id=runtime_id,
                    run=number,
                    then=None if old is None else old["status"],
                    now=None if new is None else new["status"],
                )
            else:
                yield from _run(runtime_id, number, old, new)


def _by_runtime(runs: Iterable[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for run in runs:
        found.setdefault(run["runtimeId"], []).append(run)
    return found


def _paired(then: list[Any], now: list[Any]) -> list[tuple[Any, Any]]:
    left = [*now]
    pairs: list[tuple[Any, Any]] = []
    for old in then:
        same = next((one for one in left if one == old), None)
        if same is not None:
            left.remove(same)
        pairs.append((old, same))
    pairs = [(old, left.pop(0) if new is None and left else new) for old, new in pairs]
    return [*pairs, *((None, new) for new in left)]


def _run(runtime_id: str, number: int, then: Any, now: Any) -> Iterator[Difference]:
    place: dict[str, Any] = {"runtime_id": runtime_id, "run": number}
    shown = [
        {name: value for name, value in one.items() if name not in _APART} for one in (then, now)
    ]
    for name, about in _LISTS:
        yield from _items(about, then[name], now[name], place)
    for found in json_differences(shown[0], shown[1]):
        yield Difference(
            **place,
            about="result",
            change=found.change,
            path=found.path,
            then=found.then,
            now=found.now,
        )
    yield from _runs(then.get("nested", []), now.get("nested", []))


def _items(
    about: About, then: list[Any], now: list[Any], place: dict[str, Any]
) -> Iterator[Difference]:
    """Items that are equal are passed by, wherever they stand; the others are compared in order."""
    before, after = [dump_json(one) for one in then], [dump_json(one) for one in now]
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    for tag, from_old, to_old, from_new, to_new in matcher.get_opcodes():
        if tag == "equal":
            continue
        old, new = then[from_old:to_old], now[from_new:to_new]
        for at in range(max(len(old), len(new))):
            if at < len(old) and at < len(new):
                for found in json_differences(old[at], new[at]):
                    yield Difference(
                        **place,
                        about=about,
                        change=found.change,
                        position=from_old + at,
                        item=_name(old[at]),
                        path=found.path,
                        then=found.then,
                        now=found.now,
                    )
            elif at < len(old):
                yield Difference(
                    **place,
                    about=about,
                    change="missing",
                    position=from_old + at,
                    item=_name(old[at]),
                    then=old[at],
                )
            else:
                yield Difference(
                    **place,
                    about=about,
                    change="added",
                    position=from_new + at,
                    item=_name(new[at]),
                    now=new[at],
                )


def _name(item: Any) -> str:
    return str(item.get("type") or item.get("tool") or item.get("topic"))
