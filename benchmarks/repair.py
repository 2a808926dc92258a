"""What becomes of broken tool arguments, and what repair costs where nothing is broken."""

import importlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.rounds import median_times, table, verdict
from covel_host.tools.arguments import ArgumentsError, parse_arguments
from covel_host.tools.arguments_quotes import escape_inner_quotes
from covel_host.tools.arguments_repairs import ALONE, drop_extra_closers

TEXTS = 100_000
SLIPS = 5_000
SEED = 3
STRUCTURE = "{}[],:"
SETTING = (
    f"{TEXTS:,} texts with one structural character outside strings dropped, doubled or swapped "
    f"for another; texts that are still JSON are left out (seed {SEED}). Right: the value that was "
    "meant. Floor: strict parsing, which refuses everything."
)
GOAL_WRONG_PERCENT = 0.3
GOAL_RATIO = 2.0
OURS = "covel_host.tools.arguments"
PEERS = ("json_repair", "partial_json_parser")

Parse = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Broken:
    """A text with one structural character dropped, doubled or swapped."""

    text: str
    value: object
    mistake: str


def report() -> str:
    """The section of RESULTS.md."""
    parsers, notes = _parsers()
    counts = {name: Counter[str]() for name in parsers}
    by_mistake, wrong_rules = Counter[tuple[str, str]](), Counter[str]()
    for broken in broken_texts(TEXTS):
        found = {name: outcome(parse, broken) for name, parse in parsers.items()}
        for name, what in found.items():
            counts[name][what] += 1
        by_mistake[broken.mistake, found[OURS]] += 1
        if found[OURS] == "wrong":
            wrong_rules[accepting_rule(broken.text)] += 1
    return "\n".join(
        [
            "## Repair of tool arguments",
            "",
            SETTING,
            "",
            _fuzz_table(counts),
            _share_table(by_mistake),
            f"Wrong values by the rule that accepted them: {_listed(wrong_rules)}.",
            "",
            _slip_table(parsers),
            _cost_table(parsers),
            *notes,
        ]
    )


def broken_texts(count: int) -> Iterator[Broken]:
    """`count` broken texts, the same in every run."""
    source = random.Random(SEED)
    while count:
        value = tool_arguments(source)
        text = json.dumps(value, ensure_ascii=False, indent=source.choice([None, None, 1]))
        offset = source.choice(structural_offsets(text))
        mistake = source.choice(["dropped", "doubled", "swapped"])
        broken = text[:offset] + _instead(text[offset], mistake, source) + text[offset + 1 :]
        if not _is_json(broken):
            count -= 1
            yield Broken(broken, value, mistake)


def _instead(sign: str, mistake: str, source: random.Random) -> str:
    if mistake == "swapped":
        return source.choice(STRUCTURE.replace(sign, ""))
    return sign * 2 if mistake == "doubled" else ""


def tool_arguments(source: random.Random) -> dict[str, object]:
    """Arguments of the shapes that tools have: texts, numbers, lists of objects, nested ones."""
    names = source.sample(["query", "rows", "note", "limit", "fields", "creates", "tags"], k=3)
    return {name: _value(source, depth=4) for name in names}


def _value(source: random.Random, *, depth: int) -> object:
    shape = source.random()
    if depth == 0 or shape < 0.45:
        return source.choice(
            ["旧码头的灯", "a, b", 'the "old" pier', "{}", "", "12:30", 3, -1.5, 0, True, None]
        )
    if shape < 0.75:
        names = source.sample(["id", "name", "hp", "where", "bag"], k=source.randint(0, 4))
        return {name: _value(source, depth=depth - 1) for name in names}
    return [_value(source, depth=depth - 1) for _ in range(source.randint(0, 4))]


def structural_offsets(text: str) -> list[int]:
    """Where the structural characters of a JSON text stand, those in strings left out."""
    offsets, in_string, offset = [], False, 0
    while offset < len(text):
        sign = text[offset]
        if in_string and sign == "\\":
            offset += 1
        elif sign == '"':
            in_string = not in_string
        elif not in_string and sign in STRUCTURE:
            offsets.append(offset)
        offset += 1
    return offsets


def outcome(parse: Parse, broken: Broken) -> str:
    """`right`, `refused` or `wrong`."""
    try:
        value = parse(broken.text)
    except Exception:
        return "refused"
    return "right" if _canonical(value) == _canonical(broken.value) else "wrong"


def accepting_rule(text: str) -> str:
    """The rule whose reading of `text` was accepted."""
    accepted = parse_arguments(text).text
    for rule in (drop_extra_closers, escape_inner_quotes, *ALONE):
        if rule(text) == accepted:
            return rule.__name__
    return "escape_inner_quotes with drop_extra_closers"


def _ours(text: str) -> object:
    try:
        return parse_arguments(text).value
    except ArgumentsError as error:
        raise ValueError from error


def _parsers() -> tuple[dict[str, Parse], list[str]]:
    """Ours, the floor and the peers that are installed, with a note on those that are not."""
    partial = importlib.import_module("pydantic_core").from_json
    parsers: dict[str, Parse] = {
        OURS: _ours,
        "json.loads (floor)": json.loads,
        "peer: pydantic_core, allow_partial": lambda text: partial(text, allow_partial=True),
    }
    notes = []
    for name in PEERS:
        try:
            parsers[f"peer: {name}"] = importlib.import_module(name).loads
        except ImportError:
            notes.append(f"Peer {name} is not installed and was skipped.\n")
    return parsers, notes


def _fuzz_table(counts: dict[str, Counter[str]]) -> str:
    rows = []
    for name, found in counts.items():
        percent = 100 * found["wrong"] / TEXTS
        goal = GOAL_WRONG_PERCENT if name == OURS else None
        cells = [f"{found[kind]:,}" for kind in ("right", "refused", "wrong")]
        rows.append([name, *cells, f"{percent:.2f}", goal or "", verdict(percent, goal)])
    return table(["parser", "right", "refused", "wrong", "wrong %", "goal %", ""], rows)


def _share_table(by_mistake: Counter[tuple[str, str]]) -> str:
    rows = [
        [mistake, *(f"{by_mistake[mistake, kind]:,}" for kind in ("right", "refused", "wrong"))]
        for mistake in ("dropped", "doubled", "swapped")
    ]
    return table(["one character", "right", "refused", "wrong"], rows)


def _slip_table(parsers: dict[str, Parse]) -> str:
    """The three slips that must always be repaired."""
    source = random.Random(SEED)
    slips: dict[str, list[Broken]] = {name: [] for name in SLIP_NAMES}
    for _ in range(SLIPS):
        value = tool_arguments(source)
        text = json.dumps(value, ensure_ascii=False)
        openers = [at for at in structural_offsets(text) if text.startswith('{"', at)]
        offset = source.choice(openers)
        for name, slip in zip(
            SLIP_NAMES,
            (text + "}", text[:-1] + "]", text[:offset] + '{"' + text[offset:]),
            strict=True,
        ):
            slips[name].append(Broken(slip, value, name))
    rows = []
    for name, broken in slips.items():
        shares = []
        for parse in parsers.values():
            right = sum(outcome(parse, one) == "right" for one in broken)
            shares.append(f"{100 * right / SLIPS:.1f}")
        rows.append([name, *shares, 100, "met" if shares[0] == "100.0" else "missed"])
    return table([f"right % of {SLIPS:,}", *parsers, "goal", ""], rows)


SLIP_NAMES = ("last closer doubled", "last closer of the wrong kind", 'a doubled `{"`')


def _cost_table(parsers: dict[str, Parse]) -> str:
    text = valid_text()
    floor, rows = "json.loads (floor)", []
    cases = {name: lambda parse=parse: parse(text) for name, parse in parsers.items()}
    times = median_times(cases, rounds=25, repeat=100)
    for name, seconds in times.items():
        goal = GOAL_RATIO if name == OURS else None
        ratio = seconds / times[floor]
        rows.append(
            [name, f"{seconds * 1e6:.1f}", f"{ratio:.2f}", goal or "", verdict(ratio, goal)]
        )
    size = len(text.encode())
    return table([f"valid text of {size:,} bytes", "µs", "ratio to floor", "goal", ""], rows)


def valid_text() -> str:
    """Arguments of about 1.6 kB as a model writes them."""
    rows: list[Any] = [
        {"id": f"npc-{n}", "name": "守灯人", "hp": 40 + n, "share": n / 4, "note": "at the pier"}
        for n in range(18)
    ]
    return json.dumps({"query": "who is at the pier", "rows": rows}, ensure_ascii=False)


def _listed(rules: Counter[str]) -> str:
    named = [f"`{name}` {count}" for name, count in rules.most_common()]
    return ", ".join(named) if named else "none"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=repr)
