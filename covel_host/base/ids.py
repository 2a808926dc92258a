"""Readable, ordered record IDs."""

from covel_host.base.clock import Clock
from covel_host.base.random_streams import RandomSource

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without letters that read like digits; its order is the code-point order."""


class IdSource:
    """Makes IDs such as `turn-01k3v9c8e2h4m7q`: kind, time in milliseconds, random part.

    IDs of one source are unique and, read as text, in order of making to the millisecond.
    """

    def __init__(self, randoms: RandomSource, clock: Clock) -> None:
        self._random = randoms.stream("ids", clock.now().isoformat())
        self._clock = clock

    def new(self, kind: str) -> str:
        """A new ID that begins with `kind` and a hyphen, in `[a-z0-9-]`."""
        milliseconds = int(self._clock.now().timestamp() * 1000)
        return f"{kind}-{_base32(milliseconds, 9)}{_base32(self._random.getrandbits(50), 10)}"


def _base32(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, remainder = divmod(number, 32)
        digits.append(_ALPHABET[remainder])
    return "".join(reversed(digits))
