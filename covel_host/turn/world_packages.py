"""The packages at hand as world packs look at them."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache, partial

from covel_host.catalog.catalog import Catalog, PackageState
from covel_host.catalog.schema_files import SchemaFileUnusable, compile_schema_file
from covel_host.catalog.sources import SourcesError, read_sources
from covel_host.manifest.contributed_data import DataNamespace
from covel_host.schemas.compiled import CompiledSchema
from covel_host.worlds.installed import AuthoredPlace, Installed, Receiver


def installed_packages(catalog: Catalog, *, active: Collection[str] | None = None) -> Installed:
    """What the packages of `catalog` provide and receive; no code of theirs runs.

    A package with errors that keep it from being loaded provides and receives nothing. `active`
    are the packages of the session that is made, None while nobody plays.
    """
    usable = [state for state in catalog.packages.values() if not state.reading.blocks_loading]
    providers: dict[str, list[str]] = defaultdict(list)
    settings = {}
    for state in usable:
        manifest = state.reading.manifest
        if manifest is None:
            continue
        for provided in manifest.provided_contracts:
            providers[provided.contract].append(state.plugin_id)
        settings[state.plugin_id] = tuple(one.key for one in manifest.contributes.settings)
    return Installed(
        plugin_ids=frozenset(catalog.packages),
        providers={contract: tuple(names) for contract, names in providers.items()},
        settings=settings,
        receivers=tuple(found for state in usable for found in _receivers(state)),
        active=None if active is None else frozenset(active),
    )


def _receivers(state: PackageState) -> Iterator[Receiver]:
    manifest = state.reading.manifest
    for name, namespace in () if manifest is None else manifest.contributes.data.items():
        for contract in namespace.accepts:
            yield Receiver(
                plugin_id=state.plugin_id,
                namespace=name,
                contract=contract,
                schema=cache(partial(_schema, state, namespace)),
                place=_place(namespace),
            )


def _schema(state: PackageState, namespace: DataNamespace) -> CompiledSchema | str:
    root = state.reading.root
    try:
        return compile_schema_file(read_sources(root), namespace.schema_path, root=root, base=root)
    except (SchemaFileUnusable, SourcesError) as problem:
        return f"{namespace.schema_path}: {problem.message}"


def _place(namespace: DataNamespace) -> AuthoredPlace | None:
    source = None if namespace.authoring is None else namespace.authoring.source
    if source is None:
        return None
    return AuthoredPlace(
        kind=source.kind,
        path=source.path,
        key=source.key,
        locale_array_keys=tuple(source.locale_array_keys),
        visibility=source.visibility,
        has_lorebook=source.lorebook,
    )
