"""The plan of a session's next turn, read from the store and the manifests, and shown."""

from dataclasses import asdict

from covel_host.catalog.catalog import PackageState
from covel_host.catalog.sources import SourcesError, read_sources
from covel_host.catalog.trust import brings_code, trust_advice
from covel_host.cli.in_session import read_packages, read_store
from covel_host.cli.output import table
from covel_host.settings import Settings
from covel_host.store.package_failures import PackageFailures, read_package_failures
from covel_host.store.records import SessionRecord
from covel_host.store.session_clock import SessionClock, read_clock
from covel_host.store.sessions import require_session
from covel_host.store.transaction import Reading
from covel_host.turn.package_pauses import paused_packages
from covel_host.turn.plan import PlannedRun, TurnPlan, plan_turn
from covel_host.turn.schedule_types import Hazard


def plan_of(settings: Settings, session_id: str) -> TurnPlan:
    """The plan for the session as it is stored now.

    Raises:
        SessionNotFoundError: there is no such session.
    """

    def read(
        reading: Reading,
    ) -> tuple[SessionRecord, SessionClock, dict[str, PackageFailures]]:
        return (
            require_session(reading, session_id),
            read_clock(reading, session_id),
            read_package_failures(reading, session_id),
        )

    session, clock, failures = read_store(settings, read)
    catalog = read_packages(settings, (), session.active_packages)
    packages = {
        name: None if (state := catalog.packages.get(name)) is None else state.reading
        for name in session.active_packages
    }
    hashes = {
        name: content_hash
        for name in failures
        if (content_hash := _content_hash(catalog.packages.get(name))) is not None
    }
    return plan_turn(
        session_id,
        session.status,
        clock,
        packages,
        paused=paused_packages(failures, hashes),
        broken=frozenset(
            name for name, state in catalog.packages.items() if _content_hash(state) is None
        ),
        untrusted=frozenset(
            name for name, state in catalog.packages.items() if _is_untrusted(state, settings)
        ),
    )


def plan_json(plan: TurnPlan) -> dict[str, object]:
    """The plan as `covel plan --json` prints it."""
    return {
        "sessionId": plan.session_id,
        "status": plan.status,
        "phase": plan.phase,
        "logicalTurn": plan.logical_turn,
        "layers": [[_run_json(run) for run in layer] for layer in plan.layers],
        "notRunning": [_run_json(run) for run in plan.others],
        "hazards": [asdict(hazard) for hazard in plan.hazards],
        "storyRuntimes": list(plan.stories.runtime_ids),
        "missingPackages": list(plan.missing),
        "untrustedPackages": list(plan.untrusted),
    }


def plan_text(plan: TurnPlan) -> str:
    """The plan for people: layer by layer, then what does not run."""
    head = f"Session {plan.session_id}: {plan.status}, phase {plan.phase}"
    lines = [f"{head}, next turn {plan.logical_turn}.\n"]
    rows = [
        (str(number), run.stage or "-", run.runtime_id, run.why)
        for number, layer in enumerate(plan.layers, start=1)
        for run in layer
    ]
    if rows:
        lines.append("\n" + table([("LAYER", "STAGE", "RUNTIME", "WHY"), *rows]))
    else:
        lines.append("\nThe next turn runs nothing.\n")
    others = [(run.runtime_id, run.stage or "-", run.why) for run in plan.others]
    if others:
        lines.append("\nNot in it:\n\n" + table([("RUNTIME", "STAGE", "WHY NOT"), *others]))
    lines += [f"\nwarning: {_hazard_text(hazard)}\n" for hazard in plan.hazards]
    if plan.stories.warning is not None:
        lines.append(f"\nwarning: {plan.stories.warning}\n")
    lines += [
        f"\nwarning: the session's package {name!r} is not installed.\n" for name in plan.missing
    ]
    lines += [
        f"\nwarning: the turn is played without {name!r}, whose code nobody allowed to run. "
        f"{trust_advice(name)}\n"
        for name in plan.untrusted
    ]
    return "".join(lines)


def _content_hash(state: PackageState | None) -> str | None:
    """Of what the package is now; `None` when it is not there or cannot be loaded."""
    if state is None or state.reading.blocks_loading:
        return None
    try:
        return read_sources(state.reading.root).content_hash
    except (SourcesError, OSError):
        return None


def _is_untrusted(state: PackageState, settings: Settings) -> bool:
    content_hash = _content_hash(state)
    if content_hash is None or not brings_code(state.reading):
        return False
    found = state.found
    grant = settings.trust.grant(
        state.plugin_id, source=found.source, content_hash=content_hash, root=found.root
    )
    return grant is None


def _run_json(run: PlannedRun) -> dict[str, object]:
    document: dict[str, object] = {
        "runtimeId": run.runtime_id,
        "stage": run.stage,
        "why": run.why,
    }
    if run.code is not None:
        document["code"] = run.code
    return document


def _hazard_text(hazard: Hazard) -> str:
    facts = {name: value for name, value in asdict(hazard).items() if name != "code"}
    return f"{hazard.code}: " + ", ".join(f"{name} {value}" for name, value in facts.items())
