"""Inputs of the turn: what the runs of an execution gave, bound to the slots of a later one.

Spec/manifest.md 12.2, spec/execution.md 3.1.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from covel_host.manifest.runtime_io import ContractSource, Input, RuntimeSource
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.runtime.prompt_inputs import BoundValue, InputBinding
from covel_host.schemas.compiled import CompiledSchema
from plugin_sdk.values import JsonObject, JsonValue

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,17}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenValue:
    """What the latest run of a runtime gave, for others to build on.

    `contract` is the runtime's output contract, `schema` what its package publishes for it.
    """

    runtime_id: str
    value: JsonValue
    contract: str | None = None
    schema: CompiledSchema | None = None


KERNEL: Final = "kernel"
"""The source of a value that the host itself gives."""


def bound_inputs(
    manifest: RuntimeManifest,
    given: Mapping[str, GivenValue],
    *,
    digest: Callable[[], JsonObject],
) -> dict[str, InputBinding]:
    """The turn-scoped inputs by slot; `given` is by runtime ID, `digest` is `turn-digest@1`.

    With cardinality `one` a contract gives the value of its first provider, by runtime ID; `all`
    gives every one, in that order. A value that does not fit the contract, or in which `select`
    finds nothing, is none, and a slot without a value is left out.
    """
    bindings = {}
    for slot, wanted in manifest.io.inputs.items():
        if wanted.scope != "turn":
            continue
        is_list = isinstance(wanted.source, ContractSource) and wanted.source.cardinality == "all"
        values = tuple(_values(wanted, given, digest))
        if values:
            bindings[slot] = InputBinding(values if is_list else values[:1], is_list=is_list)
    return bindings


def accepted(
    bindings: Mapping[str, InputBinding], schemas: Mapping[str, CompiledSchema]
) -> dict[str, InputBinding]:
    """The bindings that the consumer's own schemas take; a list is checked as a whole."""
    return {
        slot: binding
        for slot, binding in bindings.items()
        if slot not in schemas or schemas[slot].accepts(_whole(binding))
    }


def _whole(binding: InputBinding) -> JsonValue:
    values = [bound.value for bound in binding.values]
    return values if binding.is_list else values[0]


def _values(
    wanted: Input, given: Mapping[str, GivenValue], digest: Callable[[], JsonObject]
) -> Iterator[BoundValue]:
    for one in _sources(wanted, given, digest):
        # Checked again: hooks may have changed the output since (spec/transactions.md 2.4).
        schema = one.schema if isinstance(wanted.source, ContractSource) else None
        if schema is not None and not schema.accepts(one.value):
            continue
        for value in _selected(one.value, wanted.select or ""):
            yield BoundValue(value, one.runtime_id)


def _sources(
    wanted: Input, given: Mapping[str, GivenValue], digest: Callable[[], JsonObject]
) -> Iterable[GivenValue]:
    source = wanted.source
    if isinstance(source, RuntimeSource):
        found = given.get(source.runtime)
        return () if found is None else (found,)
    if isinstance(source, ContractSource):
        contract = source.contract
        return (given[name] for name in sorted(given) if given[name].contract == contract)
    return (GivenValue(runtime_id=KERNEL, value=digest()),)


def _selected(value: JsonValue, pointer: str) -> tuple[JsonValue, ...]:
    """The value that a JSON pointer leads to, none where there is nothing."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and _INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            return ()
    return (value,)
