"""When a runtime runs and what it waits for (spec/manifest.md 5.2, spec/decisions.md 2)."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from covel_host.manifest.fields import (
    FLAG,
    MAP,
    TEXT,
    ContractId,
    Items,
    ManifestModel,
    NonEmpty,
    Omittable,
    by_kind,
    one_name_of,
)

Stage: TypeAlias = Literal["setup", "pre-turn", "narrative", "post-turn", "audit"]
TriggerType: TypeAlias = Literal["auto", "scheduled", "manual", "event"]
Cardinality: TypeAlias = Literal["one", "all"]
Positive: TypeAlias = Annotated[int, Field(gt=0)]

RUNTIME_BRANCH: Final = "<runtime>"
CONTRACT_BRANCH: Final = "<contract>"


class Trigger(ManifestModel):
    """What starts a run; `interval`, `cooldownTurns` and `startTurn` count turns."""

    type: TriggerType = "auto"
    interval: Omittable[Positive] = None
    topic: Omittable[NonEmpty] = None
    max_trigger_count: Omittable[Positive] = None
    cooldown_turns: Omittable[Annotated[int, Field(ge=0)]] = None
    start_turn: Omittable[Positive] = None


class NeededRuntime(ManifestModel):
    """A runtime of the same package that has to succeed first."""

    runtime: NonEmpty
    scope: Literal["turn", "session"] = "turn"


class NeededContract(ManifestModel):
    """Providers of a contract that have to succeed first."""

    contract: ContractId
    cardinality: Cardinality = "one"
    scope: Literal["turn", "session"] = "turn"


class EarlierRuntime(ManifestModel):
    """A runtime of the same package that comes first, whatever its result."""

    runtime: NonEmpty


class EarlierContract(ManifestModel):
    """Providers of a contract that come first, whatever their result."""

    contract: ContractId
    cardinality: Cardinality = "one"


class Detached(ManifestModel):
    """Limits of a run that the turn does not wait for, in milliseconds."""

    settle: Omittable[Literal["before-next-execution"]] = None
    max_settle_wait_ms: Omittable[Annotated[int, Field(ge=1, le=120_000)]] = None
    max_queue_ms: Omittable[Positive] = None
    max_execution_ms: Omittable[Positive] = None


def _reference_branch(value: Any) -> str | None:
    if isinstance(value, str):
        return TEXT
    name = one_name_of(value, ("runtime", "contract"))
    return None if name is None else f"<{name}>"


_REFERENCE: Final = Discriminator(
    _reference_branch,
    custom_error_type="one-form-of-several",
    custom_error_message="{expected}",
    custom_error_context={
        "expected": "a runtime ID, or a map with exactly one of 'runtime' and 'contract'"
    },
)
Need: TypeAlias = Annotated[
    Annotated[NonEmpty, Tag(TEXT)]
    | Annotated[NeededRuntime, Tag(RUNTIME_BRANCH)]
    | Annotated[NeededContract, Tag(CONTRACT_BRANCH)],
    _REFERENCE,
]
Earlier: TypeAlias = Annotated[
    Annotated[NonEmpty, Tag(TEXT)]
    | Annotated[EarlierRuntime, Tag(RUNTIME_BRANCH)]
    | Annotated[EarlierContract, Tag(CONTRACT_BRANCH)],
    _REFERENCE,
]


class Schedule(ManifestModel):
    """Stage, trigger and order of a runtime; a bare text in `needs` and `after` is a runtime."""

    stage: Omittable[Stage] = None
    trigger: Trigger = Field(default_factory=Trigger)
    needs: Items[Need] = ()
    after: Items[Earlier] = ()
    background: bool = False
    detached: Annotated[
        Annotated[bool, Tag(FLAG)] | Annotated[Detached, Tag(MAP)],
        by_kind("true, false, or a map of limits"),
    ] = False

    @property
    def needed(self) -> tuple[NeededRuntime | NeededContract, ...]:
        """`needs` with each reference in its full form."""
        return tuple(
            NeededRuntime(runtime=item) if isinstance(item, str) else item for item in self.needs
        )

    @property
    def earlier(self) -> tuple[EarlierRuntime | EarlierContract, ...]:
        """`after` with each reference in its full form."""
        return tuple(
            EarlierRuntime(runtime=item) if isinstance(item, str) else item for item in self.after
        )

    @property
    def detached_limits(self) -> Detached | None:
        """The limits of detached runs, `None` when the turn waits for the runtime."""
        if isinstance(self.detached, Detached):
            return self.detached
        return Detached() if self.detached else None
