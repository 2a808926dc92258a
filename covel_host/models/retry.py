"""When the same request is sent again, and after how long (spec/models.md 4.2). No waiting here."""

from dataclasses import dataclass

from covel_host.models.errors import ModelError

LONGEST_WAIT_S = 60.0
_FIRST_WAIT_S = 0.5
_LONGEST_BACKOFF_S = 8.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """At most `max_retries` further requests; 0 turns resending off."""

    max_retries: int = 3

    def wait_s(
        self, error: ModelError, *, retries_done: int, remaining_s: float, jitter: float
    ) -> float | None:
        """Seconds to wait before the request is sent again, or `None`: the error stands.

        A wait the provider demands is kept to exactly; one over 60 s or over the remaining time is
        not waited for. Otherwise the wait doubles from 0.5 s to 8 s, cut by `jitter` (0 to 1, up to
        a quarter), so that calls refused together do not come back together. Nothing is sent again
        after output has started.
        """
        facts = error.facts
        if not facts.resend or facts.output_started or retries_done >= self.max_retries:
            return None
        wait = facts.retry_after_s
        if wait is None:
            backoff = min(_FIRST_WAIT_S * 2**retries_done, _LONGEST_BACKOFF_S)
            wait = backoff * (1 - jitter / 4)
        if wait > LONGEST_WAIT_S or wait >= remaining_s:
            return None
        return wait
