"""What an execution began with, as a recording keeps it."""

from typing import Any

from pydantic import TypeAdapter

from covel_host.store.records import SessionRecord
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.ports import TurnPorts
from covel_host.turn.services import session_generations
from plugin_sdk.rules.instruction_locale import INSTRUCTION_LOCALE_VARIABLE
from plugin_sdk.values import JsonObject, JsonValue


def start_json(facts: ExecutionFacts, ports: TurnPorts, attempts: JsonObject) -> JsonObject:
    """What `facts` were made of, and the settings of the host that a run depends on.

    `attempts` are those of `store.rewinding.read_attempts` at the start.
    """
    given, continued, target = facts.input, facts.continued, facts.target
    told: dict[str, Any] = {
        "turnId": facts.turn_id,
        "parentTurnId": facts.parent_turn_id,
        "startedAt": facts.started_at.isoformat(),
        "origin": facts.origin,
        "message": given.message,
        "messageId": given.message_id,
        "seatId": given.seat_id,
        "slot": facts.slot,
        "isStart": facts.is_start,
        "isNewSession": facts.is_new_session,
        "unsettled": [*facts.unsettled],
        "resume": None,
        "target": None,
        "session": TypeAdapter(SessionRecord).dump_python(facts.session, mode="json"),
        "attempts": attempts,
        "packages": packages_json(facts),
        "seed": ports.randoms.seed,
        "instructionLocale": ports.instruction_environ.get(INSTRUCTION_LOCALE_VARIABLE),
        "windowCapTokens": ports.window_cap_tokens,
    }
    if continued is not None:
        told["resume"] = {
            "suspensionId": continued.record.suspension_id,
            "data": continued.run.data,
        }
    elif target is not None:
        call = target.call
        told["target"] = {
            "runtimeId": target.runtime.runtime_id,
            "pluginId": target.runtime.plugin_id,
            "payload": target.payload,
            "call": None if call is None else {"tool": call.tool, "arguments": call.arguments},
        }
    return told


def packages_json(facts: ExecutionFacts) -> dict[str, JsonValue]:
    """The packages that an execution holds: content hash and version by ID."""
    held = session_generations(facts.catalog, facts.session)
    if facts.target is not None:
        held.append(facts.target.runtime.generation)
    return {
        one.plugin_id: {
            "contentHash": one.content_hash,
            "version": None if one.reading.manifest is None else one.reading.manifest.version,
        }
        for one in held
    }


def session_of(start: Any) -> SessionRecord:
    """The session as it was at the start."""
    return TypeAdapter(SessionRecord).validate_python(start["session"])
