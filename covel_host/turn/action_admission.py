"""Whether an RPC request can run at all, and what exactly it names (spec/api.md 7)."""

import difflib
from dataclasses import dataclass, field
from typing import Any

from covel_host.base.answer_sizes import text_size_problem
from covel_host.base.json_text import JsonValueError, dump_json
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.generation import Generation
from covel_host.store.records import OutsideInputChannel, OutsideInputSource, SessionRecord
from covel_host.turn.admission import loaded_generation
from covel_host.turn.errors import RequestRefused
from plugin_sdk.actions import Action
from plugin_sdk.names import RESERVED_ACTION_PREFIXES, is_reserved_action
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRequest:
    """One RPC action of a package in a session (spec/manifest.md 10.1).

    `runtime_id` is a runtime of the package that the action is to know of. `source` and `channel`
    say where the request comes from, for the audit.
    """

    session_id: str
    plugin_id: str
    action: str
    payload: JsonValue = field(default_factory=dict)
    runtime_id: str | None = None
    source: OutsideInputSource = "player"
    channel: OutsideInputChannel = "cli"


@dataclass(frozen=True, slots=True)
class AdmittedAction:
    """The action a request names, fit to run; `payload_text` is its payload as JSON."""

    generation: Generation
    action: Action[..., Any]
    payload_text: str


def admit_action(request: ActionRequest, catalog: Catalog) -> AdmittedAction:
    """The action that `request` names, whatever its session.

    The payload is checked against the action's shape later.

    Raises:
        RequestRefused: `payload-invalid` for what JSON cannot hold or what is too large,
            `action-reserved`, `package-not-found`, `package-not-loaded`, `approval-required`,
            `unknown-action`, `runtime-not-found`.
    """
    check_name(request.action)
    text = _text(request)
    generation = loaded_generation(request.plugin_id, catalog)
    action = _action(request.action, generation)
    if request.runtime_id is not None and generation.runtime(request.runtime_id) is None:
        raise RequestRefused(
            f"The package {generation.plugin_id!r} has no runtime {request.runtime_id!r}.",
            code="runtime-not-found",
        )
    return AdmittedAction(generation, action, text)


def check_active(plugin_id: str, session: SessionRecord) -> None:
    """Refuse a package that is no part of the session.

    Raises:
        RequestRefused: `plugin-not-active`.
    """
    if plugin_id in session.active_packages:
        return
    active = ", ".join(session.active_packages) or "none"
    raise RequestRefused(
        f"The package {plugin_id!r} is not active in session {session.session_id!r}.",
        code="plugin-not-active",
        hint=f"Active there: {active}.",
    )


def _text(request: ActionRequest) -> str:
    try:
        text = dump_json(request.payload)
    except JsonValueError as error:
        raise RequestRefused(
            f"The payload cannot be written as JSON: {error}.", code="payload-invalid"
        ) from error
    problem = text_size_problem(text)
    if problem is not None:
        raise RequestRefused(f"The payload is too large: {problem}.", code="payload-invalid")
    return text


def check_name(action: str) -> None:
    """Refuse a name that could pass for a grant of the host.

    Raises:
        RequestRefused: `action-reserved`.
    """
    if is_reserved_action(action):
        prefixes = ", ".join(repr(prefix) for prefix in RESERVED_ACTION_PREFIXES)
        raise RequestRefused(
            f"{action!r} is no action of a package: names that begin with {prefixes} belong to the "
            "host.",
            code="action-reserved",
        )


def _action(name: str, generation: Generation) -> Action[..., Any]:
    found = generation.actions.get(name)
    if found is not None:
        return found
    near = difflib.get_close_matches(name, generation.actions, n=1)
    known = ", ".join(generation.actions) or "none"
    raise RequestRefused(
        f"The package {generation.plugin_id!r} has no RPC action {name!r}.",
        code="unknown-action",
        hint=f"Did you mean {near[0]!r}?" if near else f"Its actions: {known}.",
    )
