"""What is known of the trust in each package that brings code."""

from dataclasses import dataclass
from pathlib import Path

from covel_host.catalog.trust import NEVER_TRUSTED, TrustState, short_hash, trust_state
from covel_host.catalog.trust_records import TrustRecord
from covel_host.cli.output import path_text, table, time_text
from covel_host.cli.package_facts import FoundFacts, PackageFacts
from covel_host.settings import Settings

_HEAD = ("ID", "STATE", "CONTENT", "TRUSTED BY", "GRANTED")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustFacts:
    """One package; `root` is `None` for one that is known from its last grant alone.

    `content_hash` is that of the present content, `record` the last grant and what ended it,
    `refusal` why the code does not run, `None` when it does.
    """

    plugin_id: str
    state: TrustState
    root: Path | None
    content_hash: str | None
    origin: str | None
    record: TrustRecord | None
    refusal: str | None


def trust_facts(facts: FoundFacts, settings: Settings) -> list[TrustFacts]:
    """The packages that bring code and are not bundled, then those that are no longer there."""
    records = settings.trust.records
    shown = [
        _of_package(package, records.get(package.plugin_id))
        for package in facts.packages
        if package.found.source != "builtin" and (package.has_code or package.plugin_id in records)
    ]
    known = {package.plugin_id for package in facts.packages}
    gone = [_of_record(record) for plugin_id, record in records.items() if plugin_id not in known]
    return [*shown, *gone]


def trust_json(facts: TrustFacts) -> dict[str, object]:
    """Everything known of one package's trust."""
    record = facts.record
    return {
        "id": facts.plugin_id,
        "state": facts.state,
        "path": None if facts.root is None else path_text(facts.root),
        "contentHash": facts.content_hash,
        "trustedBy": facts.origin,
        "refusal": facts.refusal,
        "lastGrant": None if record is None else _record_json(record),
    }


def trust_list_text(listed: list[TrustFacts]) -> str:
    """One line per package, then why the code of some does not run any more."""
    if not listed:
        return "No package here brings code of its own, bundled ones aside; they always run.\n"
    # That nobody ever trusted a package is what its row says.
    why = [
        f"{facts.plugin_id}: {facts.refusal}.\n"
        for facts in listed
        if facts.refusal not in (None, NEVER_TRUSTED)
    ]
    return table([_HEAD, *(_row(facts) for facts in listed)]) + "".join(["\n", *why] if why else [])


def _of_package(package: PackageFacts, record: TrustRecord | None) -> TrustFacts:
    return TrustFacts(
        plugin_id=package.plugin_id,
        state=package.trust,
        root=package.found.root,
        content_hash=package.content_hash,
        origin=None if package.grant is None else package.grant.origin,
        record=record,
        refusal=package.refusal if package.grant is None else None,
    )


def _of_record(record: TrustRecord) -> TrustFacts:
    return TrustFacts(
        plugin_id=record.plugin_id,
        state=trust_state(None, record, None),
        root=None,
        content_hash=None,
        origin=None,
        record=record,
        refusal="the package is not here",
    )


def _record_json(record: TrustRecord) -> dict[str, object]:
    return {
        "contentHash": record.content_hash,
        "grantedAt": None if record.granted_at is None else record.granted_at.isoformat(),
        "ended": record.ended,
        "endedAt": None if record.ended_at is None else record.ended_at.isoformat(),
    }


def _row(facts: TrustFacts) -> tuple[str, ...]:
    granted = None if facts.record is None else facts.record.granted_at
    return (
        facts.plugin_id,
        facts.state,
        "-" if facts.content_hash is None else short_hash(facts.content_hash),
        facts.origin or "-",
        "-" if granted is None else time_text(granted),
    )
