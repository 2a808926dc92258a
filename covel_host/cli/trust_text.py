"""What a grant allows and what became of it, as text for people and as JSON for programs."""

from covel_host.catalog.trust_records import TrustRecord
from covel_host.cli.output import counted, path_text, table
from covel_host.cli.trust_changes import Grantable, Revoked

_SHOWN_MODULES = 20


def grantable_text(granted: Grantable) -> str:
    """Everything that is granted: the content, its modules, what they serve, what they reach."""
    modules = sorted(granted.sources.modules)
    rows = [
        ("folder", path_text(granted.found.root)),
        ("content", granted.sources.content_hash),
        *_before(granted.before),
        ("code", counted(len(modules), "module")),
        *(
            ("", f"{name}  {len(granted.sources.modules[name]):,} bytes")
            for name in modules[:_SHOWN_MODULES]
        ),
        *(
            [("", f"and {len(modules) - _SHOWN_MODULES} more")]
            if len(modules) > _SHOWN_MODULES
            else []
        ),
        *(
            (f"contributes.{group}", ", ".join(names))
            for group, names in granted.contributes.items()
        ),
        *(
            (f"http of {runtime_id}", f"{origin} {_methods(methods)}")
            for runtime_id, origin, methods in granted.http
        ),
    ]
    return f"{granted.found.plugin_id}\n{table(rows, indent='  ')}"


def granted_json(
    granted: Grantable, record: TrustRecord, *, has_changed: bool
) -> dict[str, object]:
    """What was granted."""
    return {
        "id": record.plugin_id,
        "path": path_text(granted.found.root),
        "contentHash": record.content_hash,
        "grantedAt": None if record.granted_at is None else record.granted_at.isoformat(),
        "hasChanged": has_changed,
        "modules": sorted(granted.sources.modules),
        "contributes": granted.contributes,
        "http": [
            {
                "runtime": runtime_id,
                "origin": origin,
                "methods": None if methods is None else list(methods),
            }
            for runtime_id, origin, methods in granted.http
        ],
    }


def revoked_json(revoked: Revoked) -> dict[str, object]:
    """What was taken back."""
    record = revoked.record
    return {
        "id": record.plugin_id,
        "contentHash": record.content_hash,
        "endedAt": None if record.ended_at is None else record.ended_at.isoformat(),
        "stillTrustedBy": revoked.still_trusted_by,
        "overrules": revoked.overrules,
    }


def revoked_text(revoked: Revoked) -> str:
    """What was taken back, and what else names the package."""
    text = f"The trust in {revoked.record.plugin_id!r} is revoked.\n"
    if revoked.overrules is not None:
        text += (
            f"{revoked.overrules} names it and counts no more for it, until it is granted again.\n"
        )
    if revoked.still_trusted_by is not None:
        text += f"{revoked.still_trusted_by} trusts it all the same, as long as it is set.\n"
    return text


def _before(record: TrustRecord | None) -> list[tuple[str, str]]:
    if record is None or record.granted_at is None:
        return []
    ended = "" if record.ended is None else f", {record.ended}"
    return [
        (
            "before",
            f"{record.content_hash}, granted {record.granted_at:%Y-%m-%d %H:%M:%S} UTC{ended}",
        )
    ]


def _methods(methods: tuple[str, ...] | None) -> str:
    return "(all methods)" if methods is None else f"({', '.join(methods)})"
