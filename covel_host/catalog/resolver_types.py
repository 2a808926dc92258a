"""What the session resolver is asked about, and what it answers (spec/manifest.md 8.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from covel_host.manifest.kernel_contracts import EXTENSION_POINTS, UI_SLOTS

SINGLE_EXTENSION_POINTS = frozenset(
    {"history.compact@2", "session.world-context@1", "media.image-flow@1"}
)
"""Kernel extension points that take one implementer per session (spec/manifest.md 10.6)."""

KERNEL_CONTRACTS = frozenset((*EXTENSION_POINTS, *UI_SLOTS))
"""Contracts of the kernel: `provides` cannot claim them, `conflicts` cannot name them."""

RejectionCode: TypeAlias = Literal[
    "unknown-plugin",
    "excluded",
    "approval-required",
    "invalid-conflict",
    "ambiguous-provider",
    "missing-provider",
    "default-replaced",
    "conflict",
    "single-provider-conflict",
    "duplicate-topic",
]

UnmetReason: TypeAlias = Literal[
    "missing-provider", "ambiguous-provider", "approval-required", "excluded"
]
"""Why a world's requirement is open. The first two prevent creating the session."""


@dataclass(frozen=True, slots=True)
class Provided:
    """One entry of `provides`; `is_default` marks a provider that steps aside for another."""

    contract: str
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class ImplementedPoint:
    """One entry of `contributes.extensions`; `slot` for `ui.slot@1` only."""

    point: str
    extension_id: str
    slot: str | None = None


@dataclass(frozen=True)
class SessionPackage:
    """What the resolver reads of one package.

    `is_authorized` says that its code may run: always for `builtin`, after approval for
    `community`. `topics` are the events that it declares, `has_static_prompt` whether
    `contributes.prompt` is not empty.
    """

    plugin_id: str
    kind: Literal["core", "plugin"] = "plugin"
    source: Literal["builtin", "community"] = "builtin"
    is_authorized: bool = False
    provides: tuple[Provided, ...] = ()
    requires: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    extensions: tuple[ImplementedPoint, ...] = ()
    topics: tuple[str, ...] = ()
    has_static_prompt: bool = False

    @property
    def may_run(self) -> bool:
        """Whether the package needs no approval, or has it."""
        return self.source == "builtin" or self.is_authorized

    @cached_property
    def offers(self) -> Mapping[str, bool]:
        """Contracts that the package really provides, with whether it is a default provider.

        Kernel contracts count by what is implemented, never by what `provides` says
        (spec/manifest.md 8.2).
        """
        offers = {
            entry.contract: entry.is_default
            for entry in self.provides
            if entry.contract not in KERNEL_CONTRACTS
        }
        for extension in self.extensions:
            offers[extension.point] = False
            if extension.slot is not None:
                offers[extension.slot] = False
        if self.has_static_prompt:
            offers["prompt.segment@1"] = False
        return offers

    @property
    def single_points(self) -> frozenset[str]:
        """The extension points it implements that take one implementer only."""
        return SINGLE_EXTENSION_POINTS.intersection(e.point for e in self.extensions)


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a package is not active. `candidates` are the packages among which no choice was made.

    `path` is the manifest field, for `invalid-conflict`.
    """

    code: RejectionCode
    message: str
    candidates: tuple[str, ...] = ()
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """The packages of a session.

    `active` lists requested packages in the order of the request, then the others by ID;
    `auto_added` are those of them that nobody requested. `unmet` maps contracts that the world
    requires to the reason why no active package provides them.
    """

    active: tuple[str, ...]
    auto_added: tuple[str, ...]
    rejected: Mapping[str, Rejection]
    unmet: Mapping[str, UnmetReason]
