"""The prose of a story reply, cleaned of what is no story text (spec/execution.md 5.7)."""

import re

_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u2060\ufeff]")


def sanitize_prose(text: str) -> str:
    """`text` without reasoning blocks, control and zero-width characters and outer white space.

    An empty result means that the reply holds no prose. Zero-width joiners stay: emoji and several
    scripts need them.
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return _INVISIBLE.sub("", _REASONING.sub("", unified)).strip()
