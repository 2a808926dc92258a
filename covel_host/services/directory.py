"""Who offers which service in one execution (spec/manifest.md 10.4)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from plugin_sdk.records import ServiceOffer
from plugin_sdk.services import Service

Standing: TypeAlias = Literal["active", "paused", "inactive"]
"""What a package is in the session now. `inactive`: not part of it, not loaded, or its code may
not run any more; `paused`: set aside after repeated errors."""

Translations: TypeAlias = Mapping[str, Mapping[str, str]]

MissingReason: TypeAlias = Literal["missing", "several", "paused", "not-offered"]
"""Why a contract cannot be imported: nobody offers it, more than one package does, the one that
does is paused, or does not offer it to models."""


@dataclass(frozen=True, slots=True)
class OfferedService:
    """One service and the package that provides it."""

    plugin_id: str
    service: Service[..., Any]

    @property
    def offer(self) -> ServiceOffer:
        """The same as package code sees it."""
        service = self.service
        return ServiceOffer(
            plugin_id=self.plugin_id,
            name=service.name,
            contract=service.contract,
            kind=service.kind,
            description=service.description or None,
        )


@dataclass(frozen=True, slots=True)
class NoProvider:
    """A contract that cannot be imported; `plugin_ids` are for the log, never for a model."""

    reason: MissingReason
    plugin_ids: tuple[str, ...] = ()


class ServiceDirectory:
    """The services of the loaded packages of one session.

    `services` holds them by package and by name, in the session's order, `texts` each package's
    translations by locale; `standing` is asked anew at every look, because a package may be paused
    or lose its trust meanwhile.
    """

    def __init__(
        self,
        services: Mapping[str, Mapping[str, Service[..., Any]]],
        *,
        standing: Callable[[str], Standing],
        texts: Mapping[str, Translations] | None = None,
    ) -> None:
        self._services = services
        self._texts = texts or {}
        self._standing = standing

    def standing(self, plugin_id: str) -> Standing:
        """What the package is in the session now."""
        return self._standing(plugin_id)

    def texts(self, plugin_id: str) -> Translations:
        """The package's own translations, by locale and English text."""
        return self._texts.get(plugin_id, {})

    def providers(self, contract: str) -> list[OfferedService]:
        """The services of that contract whose packages are active, in order."""
        return [
            found for found in self._of(contract) if self._standing(found.plugin_id) == "active"
        ]

    def find(self, plugin_id: str, name: str, contract: str) -> OfferedService | None:
        """That one service, whatever its package is now; None when there is no such service."""
        service = self._services.get(plugin_id, {}).get(name)
        if service is None or service.contract != contract:
            return None
        return OfferedService(plugin_id, service)

    def for_models(self, contract: str) -> OfferedService | NoProvider:
        """The service that an agent's import of `contract` means (seed: 不在的工具)."""
        found = list(self._of(contract))
        active = [one for one in found if self._standing(one.plugin_id) == "active"]
        paused = [one for one in found if self._standing(one.plugin_id) == "paused"]
        owners = tuple(dict.fromkeys(one.plugin_id for one in active))
        if len(owners) > 1:
            return NoProvider("several", owners)
        if not owners:
            set_aside = tuple(dict.fromkeys(one.plugin_id for one in paused))
            return NoProvider("paused" if set_aside else "missing", set_aside)
        offered = [one for one in active if one.service.offer_to_models]
        return offered[0] if offered else NoProvider("not-offered", owners)

    def _of(self, contract: str) -> Iterator[OfferedService]:
        for plugin_id, services in self._services.items():
            for service in services.values():
                if service.contract == contract:
                    yield OfferedService(plugin_id, service)


NO_SERVICES: Final = ServiceDirectory({}, standing=lambda plugin_id: "active")
"""For runs in which no package offers anything."""
