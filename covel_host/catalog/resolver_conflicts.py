"""Which active packages cannot be active together (spec/manifest.md 8.3, steps 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from covel_host.catalog.resolver_types import Rejection, SessionPackage


def find_replaced_defaults(active: Sequence[SessionPackage]) -> Iterator[tuple[str, Rejection]]:
    """Default providers of a contract that another active package provides without the mark.

    Looked at from the last of `active` to the first, so that of two packages that would each
    replace the other the earlier one stays.
    """
    explicit: dict[str, dict[str, None]] = {}
    for package in active:
        for contract, is_default in package.offers.items():
            if not is_default:
                explicit.setdefault(contract, {})[package.plugin_id] = None
    for package in reversed(active):
        replaced = [c for c, is_default in package.offers.items() if is_default and explicit.get(c)]
        if not replaced:
            continue
        by = tuple(explicit[replaced[0]])
        for contract, is_default in package.offers.items():
            if not is_default:
                del explicit[contract][package.plugin_id]
        yield (
            package.plugin_id,
            Rejection(
                "default-replaced",
                f"Package {package.plugin_id!r} is the default provider of {replaced[0]!r} and "
                f"steps aside for {', '.join(by)}.",
                candidates=by,
            ),
        )


def find_conflicts(active: Sequence[SessionPackage]) -> Iterator[tuple[str, Rejection]]:
    """Packages that cannot stay beside an earlier one of `active` that stays."""
    accepted = _Accepted()
    for package in active:
        rejection = accepted.refusal(package)
        if rejection is None:
            accepted.add(package)
        else:
            yield package.plugin_id, rejection


class _Accepted:
    """What the packages accepted so far provide, exclude, implement alone, and declare."""

    def __init__(self) -> None:
        self._offered_by: dict[str, str] = {}
        self._excluded_by: dict[str, str] = {}
        self._single_by: dict[str, str] = {}
        self._topic_by: dict[str, str] = {}

    def add(self, package: SessionPackage) -> None:
        for taken, names in (
            (self._offered_by, package.offers),
            (self._excluded_by, package.conflicts),
            (self._single_by, package.single_points),
            (self._topic_by, package.topics),
        ):
            for name in names:
                taken.setdefault(name, package.plugin_id)

    def refusal(self, package: SessionPackage) -> Rejection | None:
        subject = f"Package {package.plugin_id!r}"
        for contract in package.conflicts:
            if other := self._offered_by.get(contract):
                text = f"{subject} conflicts with {contract!r}, which {other!r} provides."
                return Rejection("conflict", text, (other,))
        for contract in package.offers:
            if other := self._excluded_by.get(contract):
                text = f"{subject} provides {contract!r}, which {other!r} conflicts with."
                return Rejection("conflict", text, (other,))
        for point in sorted(package.single_points):
            if other := self._single_by.get(point):
                text = f"{subject} implements {point!r}, which takes one package; {other!r} has it."
                return Rejection("single-provider-conflict", text, (other,))
        for topic in package.topics:
            if other := self._topic_by.get(topic):
                text = f"{subject} declares event {topic!r}, which {other!r} declares already."
                return Rejection("duplicate-topic", text, (other,))
        return None
