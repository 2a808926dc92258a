"""The name that was probably meant by one that does not exist."""

from collections.abc import Sequence


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The one of `known` that `name` is most probably a slip of, `None` when none is close."""
    exact = same_but_for_marks(name, known)
    if exact is not None:
        return exact
    # Imported here: only texts with mistakes need it.
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.7)
    return close[0] if close else None


def same_but_for_marks(name: str, known: Sequence[str]) -> str | None:
    """The one of `known` that differs from `name` in case, hyphens and underscores alone."""
    folded = {_folded(item): item for item in reversed(known)}
    return folded.get(_folded(name))


def only_near(name: str, known: Sequence[str]) -> str | None:
    """The one of `known` that `name` can only be a slip of, `None` when there are others."""
    exact = same_but_for_marks(name, known)
    if exact is not None:
        return exact
    from difflib import SequenceMatcher, get_close_matches

    # A second name this near is a second reading; one farther off is none.
    close = get_close_matches(name, known, n=2, cutoff=0.7)
    if len(close) != 1 or name[:1] != close[0][:1]:
        return None
    return close[0] if SequenceMatcher(None, name, close[0]).ratio() >= 0.8 else None


def _folded(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()
