"""What stands below the text of a terminal: what runs, or the line that is typed."""

from collections.abc import Callable
from typing import Final

from covel_host.cli.cells import cells, fitted
from covel_host.cli.output import safe_text

ADDED: Final = "+ "
"""Stands before a line that is typed while nothing is asked."""

_NARROWEST: Final = 4
_UP: Final = "\x1b[{}A"
_RIGHT: Final = "\x1b[{}C"
_CLEAR_BELOW: Final = "\x1b[J"
_DIM: Final = "\x1b[2m{}\x1b[0m"


class BottomLine:
    """Painted below whatever is written, and taken away before it; `write` gets what steers both.

    Whoever writes hides it before, and shows it after a line end.
    """

    def __init__(
        self, write: Callable[[str], object], *, columns: Callable[[], int], colour: bool
    ) -> None:
        self._write = write
        self._columns = columns
        self._colour = colour
        self._status = ""
        self._prompt: str | None = None
        self._text = ""
        self._cursor = 0
        self._row: int | None = None
        """The row of the cursor, counted from the first one that is painted; None when hidden."""

    @property
    def text(self) -> str:
        """What is typed so far."""
        return self._text

    @property
    def cursor(self) -> int:
        """The place of the character behind the cursor."""
        return self._cursor

    def set_status(self, text: str) -> None:
        """Say what runs; nothing with an empty text."""
        self._status = text

    def ask(self, prompt: str | None) -> None:
        """Show that prompt from now on; with None nothing is asked."""
        self._prompt = prompt

    def type(self, text: str, cursor: int) -> None:
        """What is typed now, with the cursor before the character at that place."""
        self._text, self._cursor = text, cursor

    def hide(self) -> None:
        """Take it away; the cursor stands at the start of an empty line."""
        if self._row is None:
            return
        up = _UP.format(self._row) if self._row else ""
        self._row = None
        self._write(f"\r{up}{_CLEAR_BELOW}")

    def show(self) -> None:
        """Paint it where the cursor stands, at the start of an empty line."""
        if self._row is not None:
            return
        if self._prompt is not None or self._text:
            self._paint(ADDED if self._prompt is None else self._prompt)
        elif self._status:
            status = fitted(safe_text(self._status), columns=max(self._columns(), _NARROWEST) - 1)
            self._row = 0
            self._write(_DIM.format(status) if self._colour else status)

    def enter(self, line: str) -> None:
        """Leave the line as it was entered, with the cursor on a new one, and begin an empty one.

        Nothing is asked any more.
        """
        self.hide()
        self.type(line, len(line))
        self._paint(ADDED if self._prompt is None else self._prompt, end="\n")
        self._row, self._prompt = None, None
        self.type("", 0)

    def _paint(self, prompt: str, *, end: str = "") -> None:
        before = _on_one_line(prompt + self._text[: self._cursor])
        behind = _on_one_line(self._text[self._cursor :])
        columns = max(self._columns(), _NARROWEST)
        row, column = _place(before, columns)
        last_row, last_column = _place(before + behind, columns)
        painted = before + behind
        if last_column == columns:
            # The terminal goes to the next row with the next character only.
            painted += "\n"
            last_row, last_column = last_row + 1, 0
        if column == columns:
            row, column = row + 1, 0
        if (row, column) != (last_row, last_column):
            painted += _UP.format(last_row - row) if last_row > row else ""
            painted += "\r" + (_RIGHT.format(column) if column else "")
        self._row = row
        self._write(painted + end)


def _on_one_line(text: str) -> str:
    return safe_text(text).replace("\n", " ").replace("\t", " ")


def _place(text: str, columns: int) -> tuple[int, int]:
    """Row and column behind `text`; a wide character does not stand on two rows."""
    row, column = 0, 0
    for char in text:
        width = cells(char)
        if column + width > columns:
            row, column = row + 1, 0
        column += width
    return row, column
