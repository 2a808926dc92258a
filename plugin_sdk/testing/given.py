"""Objects that have what a test gave them, and fail loudly for the rest."""

from typing import Any, NoReturn

__tracebackhide__ = True
"""A test's report ends where the test read it."""


class NotGiven(AssertionError):
    """Code under test read something that the test did not give; the message says how to."""


class Given:
    """An object with the members of `given`; reading another one of `kind` fails the test.

    What is no member of `kind` is missing, as it is in a host.
    """

    def __init__(self, what: str, maker: str, given: dict[str, Any], kind: type) -> None:
        self.__dict__.update(given)
        self._what = what
        self._maker = maker
        self._kind = kind

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or not hasattr(self._kind, name):
            raise AttributeError(f"{self._kind.__name__} has no {name!r}", name=name, obj=self)
        raise NotGiven(
            f"{self._what}.{name} was read, and the test gives none: {self._maker}({name}=…)."
        )

    def __repr__(self) -> str:
        return f"<{self._maker}>"
