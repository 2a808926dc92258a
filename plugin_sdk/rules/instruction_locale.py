"""The language of framework instructions: English or Simplified Chinese (spec/i18n.md 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

InstructionLocale: TypeAlias = Literal["en", "zh"]

INSTRUCTION_LOCALE_VARIABLE = "COVEL_INSTRUCTION_LOCALE"
"""Environment variable that forces one instruction language for every session."""

TRADITIONAL_REGIONS = frozenset({"tw", "hk", "mo"})
"""Regions that write Traditional Chinese unless the tag names a script; lower case."""


def instruction_locale_for(locale: str | None, environ: Mapping[str, str]) -> InstructionLocale:
    """The instruction language of a session whose content language is `locale`.

    `zh` for Simplified Chinese (`zh`, `zh-CN`, `zh-Hans` …), `en` for everything else. The variable
    `COVEL_INSTRUCTION_LOCALE` in `environ` wins when it holds `en` or `zh`; case and outer white
    space do not matter, other values are ignored.
    """
    forced = environ.get(INSTRUCTION_LOCALE_VARIABLE, "").strip().lower()
    if forced in ("en", "zh"):
        return "zh" if forced == "zh" else "en"
    language, *subtags = (locale or "").strip().lower().replace("_", "-").split("-")
    # A script says it all; without one the region tells.
    scripts = [subtag for subtag in subtags if len(subtag) == 4 and subtag.isalpha()]
    is_simplified = scripts == ["hans"] if scripts else TRADITIONAL_REGIONS.isdisjoint(subtags)
    return "zh" if language == "zh" and is_simplified else "en"
