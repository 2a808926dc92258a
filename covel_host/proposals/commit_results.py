"""The stored results of an execution once something of its runs was left out of the commit."""

from collections.abc import Mapping, Sequence

from covel_host.proposals.plan import DroppedRun, LostExport
from plugin_sdk.values import JsonObject, JsonValue


def rewritten_results(
    results: Sequence[JsonObject],
    dropped: Mapping[str, DroppedRun],
    lost: Sequence[LostExport] = (),
) -> list[JsonValue]:
    """The results with each dropped run as `failed`, and with the exports that were lost.

    A dropped run has its reason under `error`; its output stays for people to read, and
    `droppedBecauseOf` names the run it fell with. `lostExport` is a member of the result whose
    export it was.
    """
    return [_rewritten(result, dropped, lost) for result in results]


def _rewritten(
    result: JsonObject, dropped: Mapping[str, DroppedRun], lost: Sequence[LostExport]
) -> JsonObject:
    run_id = str(result.get("runId"))
    changed = dict(result)
    drop = dropped.get(run_id)
    if drop is not None:
        changed["status"] = "failed"
        changed["error"] = {"code": drop.code, "message": drop.message}
        if drop.because_of is not None:
            changed["droppedBecauseOf"] = drop.because_of
    for export in lost:
        if export.run_id == run_id:
            changed["lostExport"] = {
                "name": export.name,
                "code": export.code,
                "message": export.message,
            }
    return changed
