"""What is known of the packages at hand: who receives which world data, who provides what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from covel_host.schemas.compiled import CompiledSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthoredPlace:
    """Where world authors write the records of a namespace (`authoring.source`)."""

    kind: Literal["yaml", "json", "media"]
    path: str
    key: str | None = None
    locale_array_keys: tuple[str, ...] = ()
    visibility: Literal["public", "hidden"] = "public"
    has_lorebook: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """A namespace that takes the records of a contract.

    `schema` compiles the namespace's schema when it is first needed; a text says why it cannot be
    used.
    """

    plugin_id: str
    namespace: str
    contract: str
    schema: Callable[[], CompiledSchema | str]
    place: AuthoredPlace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """The packages a pack is looked at with.

    `providers` maps contracts to the packages that provide them, `settings` packages to the names
    of their settings. `active` are the packages of the session that is made; None while nobody
    plays, where every receiver counts as active and what is missing is a warning.
    """

    plugin_ids: frozenset[str] = frozenset()
    providers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    receivers: tuple[Receiver, ...] = ()
    active: frozenset[str] | None = None

    def receivers_of(self, contract: str) -> tuple[Receiver, ...]:
        """Every receiver of `contract`, active or not."""
        return tuple(found for found in self.receivers if found.contract == contract)

    def is_active(self, plugin_id: str) -> bool:
        """Whether what goes to the package is written."""
        return self.active is None or plugin_id in self.active
