"""Packages that are set aside in a session after repeated errors (spec/decisions.md 4)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from covel_host.catalog.generation import Generation
from covel_host.store.package_failures import (
    PackageFailures,
    put_package_failures,
    read_package_failures,
)
from covel_host.store.records import SessionRecord
from covel_host.store.transaction import Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.finished_runs import FinishedRun
from covel_host.turn.session_changes import (
    UNCHANGED,
    Changed,
    ChangePlace,
    ChangePorts,
    Unchanged,
    change_session,
)

PAUSED_AFTER: Final = 5
"""Executions in a row in which runtimes of a package failed."""


def paused_packages(
    failures: Mapping[str, PackageFailures], content_hashes: Mapping[str, str]
) -> frozenset[str]:
    """The packages that are set aside; one whose content has changed since is not.

    `content_hashes` has the content that each package has now, by its ID.
    """
    return frozenset(
        plugin_id
        for plugin_id, row in failures.items()
        if row.in_a_row >= PAUSED_AFTER and content_hashes.get(plugin_id) == row.content_hash
    )


def counted_failures(
    failures: Mapping[str, PackageFailures], runs: Iterable[FinishedRun]
) -> list[PackageFailures]:
    """The rows that change with an execution that had those runs.

    A package has failed when one of its runs did by an error of its own; a run that went well ends
    its row. What was left out or skipped changes nothing, and setup has budgets of its own.
    """
    ended: dict[str, tuple[Generation, bool]] = {}
    for run in runs:
        if run.runtime.declaration.stage == "setup":
            continue
        failure, generation = run.result.failure, run.runtime.generation
        if failure is None and run.result.status != "success":
            continue
        if failure is not None and not failure.counts_as_error:
            continue
        _, has_failed = ended.get(generation.plugin_id, (generation, False))
        ended[generation.plugin_id] = (generation, has_failed or failure is not None)
    changed = []
    for plugin_id, (generation, has_failed) in ended.items():
        known = failures.get(plugin_id)
        is_same = known is not None and known.content_hash == generation.content_hash
        before = known.in_a_row if known is not None and is_same else 0
        if has_failed or known is not None:
            changed.append(
                PackageFailures(
                    plugin_id=plugin_id,
                    content_hash=generation.content_hash,
                    in_a_row=before + 1 if has_failed else 0,
                )
            )
    return changed


async def unpause_package(ports: ChangePorts, session_id: str, plugin_id: str) -> Changed:
    """Let the package run in the session again, with no failure counted.

    Raises:
        RequestRefused: `package-not-active`, or as `change_session`.
    """

    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        return place.session if forget_failures(transaction, place, [plugin_id]) else UNCHANGED

    changed = await change_session(ports, session_id, change)
    if not changed.has_changed and plugin_id not in changed.session.active_packages:
        raise RequestRefused(
            f"The package {plugin_id!r} is not in the session {session_id!r}.",
            code="package-not-active",
            hint=f"See: covel sessions plugins {session_id}",
        )
    return changed


def forget_failures(
    transaction: Transaction, place: ChangePlace, plugin_ids: Iterable[str]
) -> bool:
    """Count no failure of those packages any more; whether any had one."""
    session_id = place.session.session_id
    known = read_package_failures(transaction, session_id)
    none = [replace(known[name], in_a_row=0) for name in plugin_ids if name in known]
    put_package_failures(transaction, session_id, none, revision=place.revision, at=place.at)
    return bool(none)
