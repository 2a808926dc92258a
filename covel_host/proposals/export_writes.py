"""Exports of an execution's runs: read, numbered and appended (spec/transactions.md 4.1, 4.4)."""

from collections.abc import Sequence

from covel_host.base.errors import HostError
from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.proposals.errors import CommitRefused, FailedProposal
from covel_host.proposals.json_size import value_text
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.plan import ExportWrite, LostExport, RunWrites
from covel_host.store.errors import ValueTooLargeError
from covel_host.store.exports import get_export, put_export
from covel_host.store.records import ExportRecord
from covel_host.store.transaction import Transaction
from plugin_sdk.rules.plugin_data import MAX_PLUGIN_DATA_VALUE_BYTES

EXPORT_SCHEMA_MISSING = "export-schema-missing"
"""The code of a declared export whose schema was not captured: everything is rolled back."""

EXPORT_INVALID = "export-invalid"
"""The code of an export that JSON cannot store, or whose value does not fit its schema."""


def write_exports(
    transaction: Transaction,
    place: CommitPlace,
    runs: Sequence[RunWrites],
    *,
    failed: tuple[FailedProposal, ...] = (),
) -> tuple[LostExport, ...]:
    """Store the exports of `runs`, each in its own savepoint; those that could not be stored.

    Args:
        failed: proposals that were refused before, for the error.

    Raises:
        CommitRefused: `export-schema-missing`.
    """
    exporting = [(run, run.export) for run in runs if run.export is not None]
    for run, export in exporting:
        if export.schema is None:
            raise CommitRefused(
                f"{run.runtime_id!r} records its output as {export.name!r}, but its output schema "
                "was not captured when it started.",
                code=EXPORT_SCHEMA_MISSING,
                hint="Name the schema under 'io.output.schema' and load the package again.",
                failed=failed,
            )
    if exporting:
        # Rows that the runs still keep back are theirs: an error of them is no export's.
        transaction.flush()
    lost = (_write(transaction, place, run, export) for run, export in exporting)
    return tuple(export for export in lost if export is not None)


def _write(
    transaction: Transaction, place: CommitPlace, run: RunWrites, export: ExportWrite
) -> LostExport | None:
    """None when the export was stored, else why it was not."""
    try:
        text = _checked_text(run, export)
        transaction.savepoint(lambda inner: _append(inner, place, run, export, text))
    except HostError as error:
        return LostExport(
            run_id=run.run_id,
            runtime_id=run.runtime_id,
            name=export.name,
            code=error.code,
            message=error.message,
        )
    return None


def _checked_text(run: RunWrites, export: ExportWrite) -> str:
    name = f"The export {export.name!r} of {run.runtime_id!r}"
    try:
        value = json_copy(export.value)
    except JsonValueError as error:
        raise HostError(
            f"{name} cannot be stored as JSON: {error}.", code=EXPORT_INVALID
        ) from error
    assert export.schema is not None
    problems = export.schema.problems(value, limit=3)
    if problems:
        listed = "; ".join(str(problem) for problem in problems)
        raise HostError(f"{name} does not fit its schema: {listed}", code=EXPORT_INVALID)
    text = value_text(value)
    size_bytes = len(text.encode("utf-8"))
    if size_bytes > MAX_PLUGIN_DATA_VALUE_BYTES:
        raise ValueTooLargeError(
            f"the export {export.name!r} of {run.runtime_id!r}",
            size_bytes=size_bytes,
            limit_bytes=MAX_PLUGIN_DATA_VALUE_BYTES,
        )
    return text


def _append(
    transaction: Transaction, place: CommitPlace, run: RunWrites, export: ExportWrite, text: str
) -> None:
    newest = get_export(transaction, place.session_id, run.runtime_id, export.name)
    record = ExportRecord(
        session_id=place.session_id,
        producer_id=run.runtime_id,
        name=export.name,
        revision=place.revision,
        number=1 if newest is None else newest.number + 1,
        turn_id=place.turn_id,
        run_id=run.run_id,
        value=export.value,
        created_at=place.at,
    )
    put_export(transaction, record, value_text=text)
