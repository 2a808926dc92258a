"""Which records of packages may be searched: those whose manifest says so, and no others."""

from collections.abc import Iterator
from dataclasses import dataclass

from covel_host.manifest.contributions import Contributions


@dataclass(frozen=True, slots=True, order=True)
class SearchableNamespace:
    """A namespace of a package; `text_field` is the member of a record that holds its text."""

    plugin_id: str
    namespace: str
    text_field: str


def searchable_namespaces(
    plugin_id: str, contributes: Contributions
) -> Iterator[SearchableNamespace]:
    """The namespaces and data sets that declare `search` (spec/manifest.md 4.10)."""
    declared = {
        **{name: data.search for name, data in contributes.data.items()},
        **{name: dataset.search for name, dataset in contributes.datasets.items()},
    }
    for name, search in declared.items():
        if search is not None:
            yield SearchableNamespace(plugin_id, name, search.text)
