"""Runtime cases from the command line: chosen, played one after another, and told."""

import difflib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

import click

from covel_host.base.errors import HostError
from covel_host.base.json_text import dump_json
from covel_host.catalog.folders import PluginFolder, package_folder
from covel_host.cli.approval import with_approval
from covel_host.cli.failures import FINDINGS, error_facts
from covel_host.cli.in_session import read_packages
from covel_host.cli.output import counted, note, safe_text
from covel_host.cli.run_report import run_json
from covel_host.cli.targets import Target
from covel_host.settings import Settings
from covel_host.store.jobs import JobRecord
from covel_host.testing.case_file import Mode, RuntimeCase, check_cases, read_cases
from covel_host.testing.case_paths import case_file
from covel_host.testing.case_run import CaseOutcome, play_case
from covel_host.testing.private_settings import (
    Plan,
    in_private_home,
    named_packages,
    with_live_models,
)
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRequest:
    """What is to be run: the cases of a package, those of some names, or one runtime.

    `given` are the members of a case that the command line gives; they make one of their own.
    """

    target: Target
    names: tuple[str, ...] = ()
    is_live: bool = False
    given: dict[str, JsonValue]
    companions: tuple[str, ...] = ()


def run_cases(request: CaseRequest, settings: Settings, *, output: TextIO, as_json: bool) -> int:
    """Play the cases that `request` means and tell each; the exit code is 0 when all passed.

    Raises:
        HostError: there is no such package or case, or the file of the cases is wrong.
    """
    found = read_packages(settings, [request.target.plugin_id]).packages[request.target.plugin_id]
    package = found.found.root
    outcomes = []
    for case in _chosen(request, package):
        plan = _plan(case, request, package, settings, may_ask=not as_json)
        outcome = play_case(case, plan, is_live=request.is_live)
        outcomes.append(outcome)
        if not as_json:
            click.echo(safe_text("\n".join(_lines(outcome))), file=output)
    failed = sum(not outcome.has_passed for outcome in outcomes)
    if as_json:
        click.echo(dump_json(_document(package.name, outcomes)), file=output)
    else:
        note(f"{counted(len(outcomes) - failed, 'case')} passed, {failed} failed.")
    return FINDINGS if failed else 0


def _no_choice(package: Path, *, has_file: bool) -> click.UsageError:
    if has_file:
        return click.UsageError(
            "--case chooses among the cases of a package's file; a runtime, payload, message or "
            "replies that are named make a case of their own."
        )
    return click.UsageError(
        f"--case chooses among the cases of a package's file, and {package.name!r} has no "
        "'tests/runtime-cases.json'."
    )


def _chosen(request: CaseRequest, package: Path) -> Sequence[RuntimeCase]:
    path = case_file(package)
    if request.given or request.target.has_runtime or path is None:
        if request.names:
            raise _no_choice(package, has_file=path is not None)
        named = {"name": request.target.name, "runtimeId": request.target.name}
        return check_cases([{**named, **request.given}], shown="the options")
    mode: Mode = "live" if request.is_live else "mock"
    cases = [
        case
        for case in read_cases(path, shown=f"{package.name}/{path.relative_to(package)}")
        if (case.name in request.names if request.names else case.runs_in(mode))
    ]
    known = [case.name for case in cases]
    for name in request.names:
        if name not in known:
            raise _no_case(name, read_cases(path, shown=str(path)))
    if not cases:
        raise HostError(f"No case of {package.name!r} is one of mode {mode!r}.", code="no-cases")
    return cases


def _no_case(name: str, cases: Sequence[RuntimeCase]) -> HostError:
    known = [case.name for case in cases]
    near = difflib.get_close_matches(name, known, n=1)
    listed = ", ".join(map(repr, known))
    return HostError(
        f"There is no case {name!r}.",
        code="case-not-found",
        hint=f"Did you mean {near[0]!r}?" if near else f"There are: {listed}.",
    )


def _plan(
    case: RuntimeCase, request: CaseRequest, package: Path, settings: Settings, *, may_ask: bool
) -> Plan:
    """The host of a case: the person's packages, of which those that the case names may run."""
    companions = request.companions if case.with_plugins is None else tuple(case.with_plugins)
    folders, packages = named_packages(package, companions)
    further = (package_folder(folder) for folder in folders[1:])
    settings = replace(settings, folders=_with_bundled_first(settings.folders, tuple(further)))
    for state in read_packages(settings, packages).packages.values():
        settings = with_approval(state, settings, may_ask=may_ask)
    if request.is_live:
        return lambda home: (with_live_models(settings, home), packages)
    return lambda home: (in_private_home(settings, home), packages)


def _with_bundled_first(
    known: tuple[PluginFolder, ...], further: tuple[PluginFolder, ...]
) -> tuple[PluginFolder, ...]:
    builtin = tuple(folder for folder in known if folder.source == "builtin")
    return (*builtin, *further, *(folder for folder in known if folder.source != "builtin"))


def _lines(outcome: CaseOutcome) -> Iterator[str]:
    yield f"{'passed' if outcome.has_passed else 'FAILED'}  {outcome.name}"
    for problem in outcome.problems:
        yield f"    {problem}".replace("\n", f"{os.linesep}    ")


def _document(plugin_id: str, outcomes: Sequence[CaseOutcome]) -> dict[str, object]:
    return {
        "pluginId": plugin_id,
        "passed": all(outcome.has_passed for outcome in outcomes),
        "cases": [_case_json(outcome) for outcome in outcomes],
    }


def _case_json(outcome: CaseOutcome) -> dict[str, object]:
    error = outcome.commit_error
    return {
        "name": outcome.name,
        "passed": outcome.has_passed,
        "problems": list(outcome.problems),
        "commitStatus": "committed" if outcome.is_committed else "failed",
        **(
            {}
            if error is None
            else {"commitError": error_facts(error.code, error.message, error.hint)}
        ),
        "runtimeResults": [run_json(result) for result in outcome.results],
        "jobs": [_job_json(job) for job in outcome.jobs],
    }


def _job_json(job: JobRecord) -> dict[str, object]:
    told: dict[str, object] = {"runtimeId": job.runtime_id, "state": job.state}
    return told if job.failure is None else {**told, "failure": job.failure}
