"""How much room texts take on a terminal, whose wide characters stand in two columns."""

from typing import Final

_ELLIPSIS: Final = "…"


def cells(text: str) -> int:
    """The columns that `text` takes when it is written on one line."""
    if text.isascii():
        return len(text)
    # Its tables are read where something else than ASCII is shown.
    from rich.cells import cell_len

    return cell_len(text)


def fitted(text: str, *, columns: int) -> str:
    """`text` on one line, cut to that many columns with an ellipsis at the end."""
    joined = " ".join(text.split())
    if cells(joined) <= columns:
        return joined
    kept = ""
    for char in joined:
        if cells(kept + char) >= columns:
            break
        kept += char
    return kept + _ELLIPSIS
