"""Random streams derived per run and call, so that parallel runs replay alike (design/sdk.md)."""

import hashlib
import random
import secrets


class RandomSource:
    """A seed and the streams derived from it.

    Args:
        seed: any integer (`COVEL_RANDOM_SEED`); without one a fresh seed is drawn, which `seed`
            then shows, so that every run can be repeated.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = secrets.randbits(64) if seed is None else seed

    def stream(self, *labels: str | int) -> random.Random:
        """A generator that depends on the seed and `labels` alone."""
        # Each label is length-prefixed: ("ab", "c") and ("a", "bc") are different streams.
        parts = (f"{len(str(label))}:{label}" for label in (self.seed, *labels))
        digest = hashlib.sha256("|".join(parts).encode("utf-8")).digest()
        return random.Random(int.from_bytes(digest, "big"))
