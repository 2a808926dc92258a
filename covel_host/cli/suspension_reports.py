"""What `covel suspensions list` prints."""

from typing import Any

from covel_host.cli.in_session import read_store, stored_session
from covel_host.cli.output import one_line, write_json, write_text
from covel_host.settings import Settings
from covel_host.store.suspensions import SuspensionRecord, pending_suspensions
from covel_host.store.values import time_text

_SHOWN = 80


def report_suspensions(settings: Settings, session_id: str, *, as_json: bool) -> None:
    """Print what waits for an answer in a session, oldest first.

    Raises:
        SessionNotFoundError: there is no such session.
    """
    stored_session(settings, session_id)
    found = read_store(settings, lambda reading: pending_suspensions(reading, session_id))
    if as_json:
        write_json({"items": [suspension_json(one) for one in found]})
    elif found:
        write_text("\n".join(_text(one) for one in found))
    else:
        write_text("Nothing waits for an answer.")


def suspension_json(record: SuspensionRecord) -> dict[str, object]:
    """One suspension as clients see it (spec/api.md 6)."""
    return {
        "id": record.suspension_id,
        "sessionId": record.session_id,
        "turnId": record.turn_id,
        "runtimeId": record.runtime_id,
        "pluginId": record.plugin_id,
        "reason": record.facts["reason"],
        "resumeSchema": record.facts["resumeSchema"],
        "createdAt": time_text(record.created_at),
    }


def _text(record: SuspensionRecord) -> str:
    reason = one_line(str(record.facts["reason"]), limit=_SHOWN)
    lines = [f"{record.suspension_id}  {record.runtime_id}: {reason}"]
    lines += [f"  {line}" for line in asked_lines(record)]
    return "\n".join(lines)


def asked_lines(record: SuspensionRecord) -> list[str]:
    """What the answer holds, a line for each member of its schema."""
    schema: Any = record.facts["resumeSchema"]
    members = schema.get("properties")
    if not isinstance(members, dict):
        return []
    required = schema.get("required", [])
    return [_asked(name, form, is_required=name in required) for name, form in members.items()]


def _asked(name: str, form: Any, *, is_required: bool) -> str:
    told = [str(form.get("type", "any value"))]
    if "enum" in form:
        told = ["one of " + ", ".join(map(repr, form["enum"]))]
    if not is_required:
        told.append("may be left out")
    if "default" in form:
        told.append(f"default {form['default']!r}")
    return one_line(f"{name}: {form.get('title', name)} ({', '.join(told)})", limit=200)
