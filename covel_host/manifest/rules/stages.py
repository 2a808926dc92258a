"""Stage and trigger of a runtime (spec/manifest.md 6.2, rules 3 to 8)."""

from collections.abc import Iterator
from typing import Final

from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.rule import Problem, field, rule

STAGED: Final = ("auto", "scheduled")
_TURN_GATES: Final = (
    ("interval", "interval"),
    ("startTurn", "start_turn"),
    ("cooldownTurns", "cooldown_turns"),
)


@rule("6.2.3", "stage-missing", "`auto` and `scheduled` runtimes have a stage.")
def stage_missing(runtime: RuntimeFacts) -> Iterator[Problem]:
    trigger = runtime.schedule.trigger.type
    if trigger in STAGED and runtime.schedule.stage is None and runtime.sound("schedule"):
        path = runtime.at("schedule", "stage")
        by_default = "" if runtime.writes("schedule", "trigger", "type") else ", the default,"
        yield Problem(
            path,
            f"{field(path)} is missing; a runtime with the trigger {trigger!r}{by_default} runs in "
            "a stage.",
            "Add a stage, such as 'stage: post-turn', or a trigger of type 'event' or 'manual'.",
            place=runtime.at("schedule") if runtime.writes("schedule") else runtime.at(),
            at_key=True,
        )


@rule("6.2.4", "stage-not-allowed", "`event` and `manual` runtimes have no stage.")
def stage_not_allowed(runtime: RuntimeFacts) -> Iterator[Problem]:
    schedule = runtime.schedule
    if schedule.trigger.type not in STAGED and schedule.stage is not None:
        path = runtime.at("schedule", "stage")
        yield Problem(
            path,
            f"{field(path)} is {schedule.stage!r}; a runtime with the trigger "
            f"{schedule.trigger.type!r} runs when it is called and has no stage.",
            "Remove the stage.",
        )


@rule("6.2.5", "topic-missing", "An `event` runtime names its topic.")
def topic_missing(runtime: RuntimeFacts) -> Iterator[Problem]:
    trigger = runtime.schedule.trigger
    sound = runtime.sound("schedule", "trigger")
    if trigger.type == "event" and trigger.topic is None and sound:
        path = runtime.at("schedule", "trigger", "topic")
        topics = _own_topics(runtime)
        hint = "Add the topic of the event that starts it, such as 'topic: moss.found'."
        if topics:
            hint = f"Add the topic that starts it; this package declares {topics[0]!r}."
        yield Problem(path, f"{field(path)} is missing; an event runtime needs it.", hint)


@rule("6.2.6", "setup-trigger", "A trigger written on a setup runtime is `auto`.")
def setup_trigger(runtime: RuntimeFacts) -> Iterator[Problem]:
    trigger = runtime.schedule.trigger.type
    if runtime.schedule.stage == "setup" and trigger != "auto":
        path = runtime.at("schedule", "trigger", "type")
        yield Problem(
            path,
            f"{field(path)} is {trigger!r}; a setup runtime runs on its own until it is done.",
            "Remove the trigger, or write 'type: auto'.",
        )


@rule("6.2.7", "setup-turn-gate", "A setup runtime has no limits that count turns.")
def setup_turn_gate(runtime: RuntimeFacts) -> Iterator[Problem]:
    if runtime.schedule.stage != "setup":
        return
    for written, name in _TURN_GATES:
        value = getattr(runtime.schedule.trigger, name)
        if value is not None:
            path = runtime.at("schedule", "trigger", written)
            yield Problem(
                path,
                f"{field(path)} is {value}; setup runs before the first turn, so there are no "
                "turns to count.",
                "Remove it; 'maxTriggerCount' limits how often setup is tried.",
            )


@rule("6.2.8", "session-scope-outside-setup", "`scope: session` is for setup runtimes.")
def session_scope(runtime: RuntimeFacts) -> Iterator[Problem]:
    stage = runtime.schedule.stage
    if stage == "setup" or not runtime.sound("schedule", "stage"):
        return
    for index, need in enumerate(runtime.schedule.needs):
        if not isinstance(need, str) and need.scope == "session":
            path = runtime.at("schedule", "needs", index, "scope")
            where = f"in stage {stage!r}" if stage else "without a stage"
            yield Problem(
                path,
                f"{field(path)} is 'session' {where}; only setup runtimes wait for something of "
                "the whole session.",
                "Remove the scope: the need is then met within the turn.",
            )


@rule("5.2", "field-without-effect", "Trigger fields and `background` fit the type of trigger.")
def trigger_fields(runtime: RuntimeFacts) -> Iterator[Problem]:
    schedule = runtime.schedule
    trigger = schedule.trigger
    if not runtime.sound("schedule"):
        return
    if trigger.interval is not None and trigger.type != "scheduled" and schedule.stage != "setup":
        path = runtime.at("schedule", "trigger", "interval")
        yield Problem(
            path,
            f"{field(path)} is {trigger.interval}; only the trigger 'scheduled' counts an "
            f"interval, and this one is {trigger.type!r}.",
            "Write 'type: scheduled', or remove the interval.",
        )
    if trigger.topic is not None and trigger.type != "event":
        path = runtime.at("schedule", "trigger", "topic")
        yield Problem(
            path,
            f"{field(path)} is {trigger.topic!r}; only the trigger 'event' listens to a topic, and "
            f"this one is {trigger.type!r}.",
            "Write 'type: event', or remove the topic.",
        )
    if schedule.background and trigger.type in STAGED:
        path = runtime.at("schedule", "background")
        yield Problem(
            path,
            f"{field(path)} is true; only runtimes with the trigger 'event' or 'manual' go to the "
            f"background, and this one is {trigger.type!r}.",
            "Use 'detached: true' for a runtime of a stage that the turn does not wait for.",
        )


def _own_topics(runtime: RuntimeFacts) -> tuple[str, ...]:
    if runtime.root is None:
        return ()
    return tuple(event.topic for event in runtime.root.contributes.events)


RULES: Final = (
    stage_missing,
    stage_not_allowed,
    topic_missing,
    setup_trigger,
    setup_turn_gate,
    session_scope,
    trigger_fields,
)
