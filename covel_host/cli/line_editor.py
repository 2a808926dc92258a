"""A line that is typed: what the keys of a terminal do to it. Pure."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from covel_host.cli.cells import cells

MAX_HISTORY: Final = 500
"""Lines that can be fetched back."""

_KEY: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[@-~]|\x1b[^\[O]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+", re.DOTALL
)
_BEGUN: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)\Z")
_PASTE_BEGINS: Final = "\x1b[200~"
_PASTE_ENDS: Final = "\x1b[201~"
_UNTYPED: Final = frozenset({"Cc", "Cs", "Co", "Cn"})


class LineEditor:
    """The line so far, with the cursor before the character at `cursor`, and those before it.

    A pasted text is part of the line, also where it has line ends of its own.
    """

    def __init__(self) -> None:
        self.text = ""
        self.cursor = 0
        self._history: list[str] = []
        self._fetched = 0
        self._draft = ""
        self._rest = ""
        self._is_pasting = False

    def feed(self, keys: str) -> Iterator[str | None]:
        """Take what was typed; gives each line that was entered, and None for the end of input."""
        keys, self._rest = self._rest + keys, ""
        if begun := _BEGUN.search(keys):
            keys, self._rest = keys[: begun.start()], begun.group()
        for key in _KEY.findall(keys):
            if key in (_PASTE_BEGINS, _PASTE_ENDS):
                self._is_pasting = key == _PASTE_BEGINS
            elif self._is_pasting and key in "\r\n\t":
                self._insert(" ")
            elif key in ("\r", "\n"):
                yield self._enter()
            elif key == "\x04" and not self.text:
                yield None
            elif (change := _KEYS.get(key)) is not None:
                change(self)
            elif not key.startswith("\x1b"):
                self._insert(key)

    def clear(self) -> None:
        """Drop the line."""
        self.text, self.cursor = "", 0
        self._fetched = len(self._history)

    def _enter(self) -> str:
        line = self.text
        if line.strip() and self._history[-1:] != [line]:
            self._history = [*self._history, line][-MAX_HISTORY:]
        self.clear()
        return line

    def _insert(self, text: str) -> None:
        text = "".join(char for char in text if unicodedata.category(char) not in _UNTYPED)
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    # --- keys ---------------------------------------------------------------------------------

    def _before(self) -> int:
        """The place before the character left of the cursor and the marks that stand on it."""
        at = max(self.cursor - 1, 0)
        while at > 0 and cells(self.text[at]) == 0:
            at -= 1
        return at

    def _after(self) -> int:
        at = min(self.cursor + 1, len(self.text))
        while at < len(self.text) and cells(self.text[at]) == 0:
            at += 1
        return at

    def _cut(self, start: int, end: int) -> None:
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start

    def _word(self) -> int:
        return self.text[: self.cursor].rstrip().rfind(" ") + 1

    def _left(self) -> None:
        self.cursor = self._before()

    def _right(self) -> None:
        self.cursor = self._after()

    def _home(self) -> None:
        self.cursor = 0

    def _end(self) -> None:
        self.cursor = len(self.text)

    def _delete_before(self) -> None:
        self._cut(self._before(), self.cursor)

    def _delete(self) -> None:
        self._cut(self.cursor, self._after())

    def _delete_word(self) -> None:
        self._cut(self._word(), self.cursor)

    def _delete_to_start(self) -> None:
        self._cut(0, self.cursor)

    def _delete_to_end(self) -> None:
        self._cut(self.cursor, len(self.text))

    def _older(self) -> None:
        self._fetch(self._fetched - 1)

    def _newer(self) -> None:
        self._fetch(self._fetched + 1)

    def _fetch(self, place: int) -> None:
        if not 0 <= place <= len(self._history):
            return
        if self._fetched == len(self._history):
            self._draft = self.text
        self._fetched = place
        self.text = self._draft if place == len(self._history) else self._history[place]
        self.cursor = len(self.text)


_KEYS: Final[Mapping[str, Callable[[LineEditor], None]]] = {
    key: change
    for keys, change in (
        (("\x02", "\x1b[D", "\x1bOD"), LineEditor._left),
        (("\x06", "\x1b[C", "\x1bOC"), LineEditor._right),
        (("\x01", "\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"), LineEditor._home),
        (("\x05", "\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"), LineEditor._end),
        (("\x7f", "\x08"), LineEditor._delete_before),
        (("\x04", "\x1b[3~"), LineEditor._delete),
        (("\x17",), LineEditor._delete_word),
        (("\x15",), LineEditor._delete_to_start),
        (("\x0b",), LineEditor._delete_to_end),
        (("\x10", "\x1b[A", "\x1bOA"), LineEditor._older),
        (("\x0e", "\x1b[B", "\x1bOB"), LineEditor._newer),
    )
    for key in keys
}
