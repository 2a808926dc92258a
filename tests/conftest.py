"""Settings for every test."""

import signal
from collections.abc import Generator

import pytest
from hypothesis import settings

# Two loaded cores make single examples slow now and then; a deadline would fail at random.
settings.register_profile("covel", deadline=None)
settings.load_profile("covel")

# A shell starts what runs in its background with Ctrl-C ignored, and programs pass that on; the
# tests that press it need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Reports travel between processes as UTF-8; what a test logged may be no Unicode."""
    report = yield
    report.sections = [
        (title, text.encode("utf-8", "backslashreplace").decode("utf-8"))
        for title, text in report.sections
    ]
    return report
