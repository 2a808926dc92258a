"""The one base class of errors that a person can meet."""


class HostError(Exception):
    """A failure that says what is wrong, where, and what to do; the command line shows it as it is.

    Sub-classes are made by what the caller can do about it. `message` is a full sentence with the
    value in `repr` form, `code` a stable kebab-case name, `hint` the next step, if there is one.
    """

    def __init__(self, message: str, *, code: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message} {self.hint}"
