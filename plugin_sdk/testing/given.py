"""Objects that have what a test gave them, and fail loudly for the rest."""

from typing import Any, NoReturn


class NotGiven(AssertionError):
    """Code under test read something that the test did not give; the message says how to."""


class Given:
    """An object with the members of `given`; reading any other one is a failure of the test."""

    def __init__(self, what: str, maker: str, given: dict[str, Any]) -> None:
        self.__dict__.update(given)
        self._what = what
        self._maker = maker

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotGiven(
            f"{self._what}.{name} was read, and the test gives none: {self._maker}({name}=…)."
        )

    def __repr__(self) -> str:
        return f"<{self._maker}>"
