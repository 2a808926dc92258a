"""Which values a player's setting takes (spec/manifest.md 4.9)."""

from typing import Final

from covel_host.diagnostics.values_shown import shown
from covel_host.manifest.contributed_interface import Setting

_NUMERIC: Final = ("number", "integer", "slider")
_SHOWN_OPTIONS: Final = 8


def expected_instead(setting: Setting, value: object) -> str | None:
    """What the setting takes, for the end of `the setting takes …`; None when `value` fits.

    `step` is how far a control moves and refuses nothing. Whether the slot of a `slot` setting
    exists is for those to say who know the slots.
    """
    if setting.type in _NUMERIC:
        return None if _is_fit_number(setting, value) else _numbers_taken(setting)
    if setting.type == "toggle":
        return None if isinstance(value, bool) else "true or false"
    options = [option.value for option in setting.options or ()]
    if setting.type == "select" and options:
        listed = f"one of {', '.join(map(repr, options[:_SHOWN_OPTIONS]))}"
        return None if isinstance(value, str) and value in options else listed
    return None if isinstance(value, str) else "a text"


def _is_fit_number(setting: Setting, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if setting.type == "integer" and not isinstance(value, int):
        return False
    return (setting.min is None or value >= setting.min) and (
        setting.max is None or value <= setting.max
    )


def _numbers_taken(setting: Setting) -> str:
    kind = "a whole number" if setting.type == "integer" else "a number"
    if setting.min is None and setting.max is None:
        return kind
    if setting.max is None:
        return f"{kind} of at least {shown(setting.min)}"
    if setting.min is None:
        return f"{kind} of at most {shown(setting.max)}"
    return f"{kind} from {shown(setting.min)} to {shown(setting.max)}"
