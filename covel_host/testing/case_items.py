"""Runtime cases as tests of pytest: each case of a package's file is one."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from covel_host.testing.package_folders import package_around

if TYPE_CHECKING:
    from covel_host.testing.case_file import RuntimeCase
    from covel_host.testing.case_run import CaseOutcome


class CaseFailed(Exception):
    """A case that did not go as it says; the message has its problems, a line each."""


class CaseCollector(pytest.File):
    """The cases of one file."""

    def collect(self) -> "Iterator[CaseItem]":
        """A test for each case."""
        from covel_host.testing.case_file import CaseFileError, read_cases

        try:
            cases = read_cases(self.path, shown=os.path.relpath(self.path, self.config.rootpath))
        except CaseFileError as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            yield CaseItem.from_parent(self, name=case.name, case=case)


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: "RuntimeCase", **given: Any) -> None:
        super().__init__(**given)
        self._case = case

    def runtest(self) -> None:
        """Play the case.

        Raises:
            CaseFailed: it did not go as it says.
        """
        mode = self.config.getoption("covel_mode")
        if not self._case.runs_in(mode):
            pytest.skip(f"a case of mode {self._case.mode!r}")
        outcome = self._played(is_live=mode == "live")
        if not outcome.has_passed:
            raise CaseFailed("\n".join(outcome.problems))

    def _played(self, *, is_live: bool) -> "CaseOutcome":
        from covel_host.testing.case_run import play_case
        from covel_host.testing.private_settings import author_plan

        package = package_around(self.path.parent)
        assert package is not None
        plan = author_plan(package, self._case.with_plugins or (), is_live=is_live)
        return play_case(self._case, plan, is_live=is_live)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The problems alone: the host's own stack helps no author."""
        if isinstance(excinfo.value, CaseFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style=style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the case stands."""
        return self.path, None, f"case: {self.name}"
