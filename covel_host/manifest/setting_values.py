"""Which values a player's setting takes (spec/manifest.md 4.9)."""

from typing import Final

from covel_host.manifest.contributed_interface import Setting

_NUMERIC: Final = ("number", "integer", "slider")
_SHOWN_OPTIONS: Final = 8


def expected_instead(setting: Setting, value: object) -> str | None:
    """What a value should have been, None when it fits.

    `step` is how far a control moves and refuses nothing. Whether the slot of a `slot` setting
    exists is for those to say who know the slots.
    """
    if setting.type in _NUMERIC:
        return _expected_number(setting, value)
    if setting.type == "toggle":
        return None if isinstance(value, bool) else "true or false"
    if not isinstance(value, str):
        return "a text"
    options = [option.value for option in setting.options or ()]
    if setting.type == "select" and options and value not in options:
        return f"one of {', '.join(map(repr, options[:_SHOWN_OPTIONS]))}"
    return None


def _expected_number(setting: Setting, value: object) -> str | None:
    kind = "a whole number" if setting.type == "integer" else "a number"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return kind
    if setting.type == "integer" and not isinstance(value, int):
        return kind
    if setting.min is not None and value < setting.min:
        return f"at least {setting.min:g}"
    if setting.max is not None and value > setting.max:
        return f"at most {setting.max:g}"
    return None
