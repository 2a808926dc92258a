import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.models.errors import (
    ErrorFacts,
    ErrorKind,
    ModelError,
    kind_of_status,
    status_is_resent,
)
from covel_host.models.retry import RetryPolicy


def failure(*, resend: bool = True, after: float | None = None, output: bool = False) -> ModelError:
    facts = ErrorFacts(kind="server", resend=resend, retry_after_s=after, output_started=output)
    return ModelError("It failed.", code="provider-error", facts=facts)


def wait(error: ModelError, *, done: int = 0, remaining: float = 120, jitter: float = 0) -> object:
    return RetryPolicy().wait_s(error, retries_done=done, remaining_s=remaining, jitter=jitter)


def test_waits_double_from_half_a_second() -> None:
    assert [wait(failure(), done=done) for done in range(3)] == [0.5, 1.0, 2.0]


def test_at_most_three_further_requests_are_sent() -> None:
    assert wait(failure(), done=3) is None


def test_a_demanded_wait_is_kept_to() -> None:
    assert wait(failure(after=42.5), jitter=1) == 42.5
    assert wait(failure(after=0)) == 0


@pytest.mark.parametrize(("after", "remaining"), [(60.1, 1000), (30, 30), (30, 5)])
def test_a_wait_that_is_too_long_is_not_waited_for(after: float, remaining: float) -> None:
    assert wait(failure(after=after), remaining=remaining) is None


def test_nothing_is_sent_again_after_output_or_when_it_cannot_help() -> None:
    assert wait(failure(output=True)) is None
    assert wait(failure(resend=False)) is None


def test_retries_can_be_off() -> None:
    policy = RetryPolicy(max_retries=0)

    assert policy.wait_s(failure(), retries_done=0, remaining_s=99, jitter=0) is None


@given(st.integers(0, 2), st.floats(0, 1))
def test_jitter_takes_at_most_a_quarter(done: int, jitter: float) -> None:
    full = wait(failure(), done=done)
    cut = wait(failure(), done=done, jitter=jitter)

    assert isinstance(full, float)
    assert isinstance(cut, float)
    assert full * 0.75 <= cut <= full


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "auth"),
        (402, "quota"),
        (403, "auth"),
        (404, "not_found"),
        (408, "timeout"),
        (418, "bad_request"),
        (429, "rate_limited"),
        (500, "server"),
        (503, "overloaded"),
        (504, "timeout"),
        (529, "overloaded"),
    ],
)
def test_statuses_read_as_kinds(status: int, kind: ErrorKind) -> None:
    assert kind_of_status(status) == kind


@given(st.integers(400, 599))
def test_only_408_409_429_and_server_errors_are_sent_again(status: int) -> None:
    assert status_is_resent(status) == (status in {408, 409, 429} or status >= 500)
