"""Words as declared arguments, and the same arguments given by name."""

from typing import Any

import pytest

from covel_host.manifest.commands import Command
from covel_host.turn.command_arguments import bind_named, bind_words, canonical_line
from covel_host.turn.command_errors import CommandRefused
from covel_host.turn.command_lines import read_line
from covel_host.turn.command_texts import command_help, commands_help, usage


def command(*arguments: dict[str, Any], **more: Any) -> Command:
    return Command.model_validate(
        {
            "name": "cast",
            "description": "Cast a spell.",
            "action": "cast",
            "arguments": list(arguments),
            **more,
        }
    )


SPELL = command(
    {"name": "spell", "required": True, "description": "Its name."},
    {"name": "level", "type": "integer"},
    {"name": "range", "type": "number"},
    {"name": "loud", "type": "boolean"},
    {"name": "at", "variadic": True},
)


def bound(line: str, declared: Command = SPELL) -> Any:
    return bind_words(declared, read_line(line).words, line=line)


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("/cast fire", {"spell": "fire"}),
        ("/cast fire 3", {"spell": "fire", "level": 3}),
        ("/cast fire -3 1.5", {"spell": "fire", "level": -3, "range": 1.5}),
        ("/cast fire +3 7", {"spell": "fire", "level": 3, "range": 7}),
        ("/cast fire 3 .5e1 YES", {"spell": "fire", "level": 3, "range": 5.0, "loud": True}),
        ("/cast fire 3 1 off", {"spell": "fire", "level": 3, "range": 1, "loud": False}),
        (
            '/cast "big fire" 3 1 no "the gate" moat',
            {
                "spell": "big fire",
                "level": 3,
                "range": 1,
                "loud": False,
                "at": ["the gate", "moat"],
            },
        ),
        ('/cast ""', {"spell": ""}),
    ],
)
def test_words_become_values_of_the_declared_kinds(line: str, values: dict[str, Any]) -> None:
    assert bound(line) == values
    assert [type(value) for value in bound(line).values()] == [*map(type, values.values())]


@pytest.mark.parametrize(
    ("line", "argument", "place", "message"),
    [
        ("/cast", "spell", (5, 6), "/cast needs 'spell'."),
        ("/cast   ", "spell", (5, 6), "/cast needs 'spell'."),
        ("/cast fire three", "level", (11, 16), "'level' is 'three'; expected a whole number."),
        ("/cast fire 3.0", "level", (11, 14), "'level' is '3.0'; expected a whole number."),
        ("/cast fire ３", "level", (11, 12), "'level' is '３'; expected a whole number."),
        ("/cast fire 3 1e999", "range", (13, 18), "'range' is '1e999'; expected a number."),
        ("/cast fire 3 nan", "range", (13, 16), "'range' is 'nan'; expected a number."),
        (
            "/cast fire 3 1 maybe",
            "loud",
            (15, 20),
            "'loud' is 'maybe'; expected one of true, yes, on, false, no, off.",
        ),
    ],
)
def test_a_wrong_argument_is_named_with_its_place(
    line: str, argument: str, place: tuple[int, int], message: str
) -> None:
    with pytest.raises(CommandRefused) as refused:
        bound(line)
    found = refused.value
    assert (found.code, found.argument, found.place, found.message) == (
        "command-argument",
        argument,
        place,
        message,
    )


def test_choices_are_compared_as_they_are_written() -> None:
    dice = command({"name": "dice", "type": "integer", "choices": ["4", "6"]})
    assert bound("/cast 6", dice) == {"dice": 6}
    for typed in ("5", "+6", "six"):
        with pytest.raises(CommandRefused, match="expected one of 4, 6"):
            bound(f"/cast {typed}", dice)


def test_words_too_many_are_pointed_at_together() -> None:
    one = command({"name": "spell"})
    with pytest.raises(CommandRefused) as refused:
        bound("/cast big fire", one)
    assert refused.value.place == (10, 14)
    assert refused.value.message == "/cast takes only one; 'fire' is too much."
    assert refused.value.hint == (
        "Usage: /cast [spell] A text with spaces goes into quotation marks."
    )
    with pytest.raises(CommandRefused, match="takes no arguments"):
        bound("/cast x", command())


def test_a_required_variadic_argument_needs_one_word() -> None:
    many = command({"name": "dice", "type": "integer", "variadic": True, "required": True})
    assert bound("/cast 1 2 3", many) == {"dice": [1, 2, 3]}
    with pytest.raises(CommandRefused, match="needs 'dice'"):
        bound("/cast", many)
    with pytest.raises(CommandRefused) as refused:
        bound("/cast 1 x 3", many)
    assert refused.value.place == (8, 9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "needs 'spell'"),
        ({"spell": None}, "needs 'spell'"),
        ({"spell": 3}, "'spell' is 3; expected a text"),
        ({"spell": "x", "level": "3"}, "'level' is '3'; expected a whole number"),
        ({"spell": "x", "level": True}, "'level' is True; expected a whole number"),
        ({"spell": "x", "level": 3.5}, "'level' is 3.5"),
        ({"spell": "x", "loud": "yes"}, "'loud' is 'yes'"),
        ({"spell": "x", "at": ["gate", 3]}, "'at' is 3"),
        ({"spell": "x", "colour": "red"}, "has no argument 'colour'"),
    ],
)
def test_named_arguments_have_to_have_their_json_kind(given: Any, message: str) -> None:
    with pytest.raises(CommandRefused, match=message):
        bind_named(SPELL, given)


def test_named_arguments_give_what_a_line_gives() -> None:
    line = '/cast "big fire" 3 1.5 yes gate moat'
    values = bound(line)
    assert bind_named(SPELL, values) == values
    assert bind_named(SPELL, {"spell": "x", "at": "gate"}) == {"spell": "x", "at": ["gate"]}


def test_the_canonical_line_says_the_same_again() -> None:
    values = bound('/c "big fire" 3 1.5 yes "the gate" moat')
    line = canonical_line(SPELL, values)
    assert line == '/cast "big fire" 3 1.5 true "the gate" moat'
    assert bound(line) == values
    assert canonical_line(SPELL, {"spell": "x", "range": 2.0}) == "/cast x"


def test_help_shows_how_a_command_is_typed() -> None:
    assert usage(SPELL) == "/cast <spell> [level] [range] [loud] [at...]"
    dice = command(
        {"name": "dice", "choices": ["d4", "d6"]},
        aliases=["c"],
        description={"en": "Throw.", "de": "Wirf."},
    )
    assert command_help(dice, command_id="satchel/cast", locale="de-AT") == (
        "/cast [dice]\n  Wirf.\n    dice: one of d4, d6.\n  Also: /c\n  Full name: /satchel/cast"
    )
    assert commands_help([], locale="en") == "No package of this session has a command."
    assert commands_help([dice, command()], locale="en").splitlines() == [
        "/cast [dice]  Throw.",
        "/cast         Cast a spell.",
        "/help NAME tells more of one.",
    ]
