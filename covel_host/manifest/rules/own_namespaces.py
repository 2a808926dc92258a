"""Names of the package's own data namespaces where they are used (spec/manifest.md 5.3, 5.6)."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.rules.facts import RootFacts, RuntimeFacts
from covel_host.manifest.rules.rule import Path, Problem, field, rule

_OWN_DATA: Final = "plugin-data:self:"


@rule("5.3", "own-namespace-unknown", "`selfData` and effects name declared namespaces.")
def runtime_namespaces(runtime: RuntimeFacts) -> Iterator[Problem]:
    if runtime.root is None:
        return
    for index, item in enumerate(runtime.io.self_data):
        path = runtime.at("io", "selfData", index, "namespace")
        yield from _unknown(item.namespace, item.namespace, path, runtime.root)
    effects = runtime.manifest.effects
    if effects is None:
        return
    for name in ("reads", "writes"):
        for index, resource in enumerate(getattr(effects, name)):
            namespace = resource.removeprefix(_OWN_DATA)
            if namespace != resource:
                path = runtime.at("effects", name, index)
                yield from _unknown(resource, namespace, path, runtime.root)


@rule("4.6", "own-namespace-unknown", "`watch` of a UI slot names declared namespaces.")
def watched_namespaces(root: RootFacts) -> Iterator[Problem]:
    for index, extension in enumerate(root.contributes.extensions):
        for at, name in enumerate(extension.watch):
            path: Path = ("contributes", "extensions", index, "watch", at)
            yield from _unknown(name, name, path, root)


def _unknown(written: str, namespace: str, path: Path, root: RootFacts) -> Iterator[Problem]:
    if not (root.sound("contributes", "data") and root.sound("contributes", "datasets")):
        return
    known = (*root.contributes.data, *root.contributes.datasets)
    if namespace in known:
        return
    near = nearest(namespace, known)
    yield Problem(
        path,
        f"{field(path)} is {written!r}, and the package declares no namespace {namespace!r}.",
        f"The nearest namespace is {near!r}."
        if near is not None
        else "Declare it under `contributes.data` or `contributes.datasets`.",
    )


RUNTIME_RULES: Final = (runtime_namespaces,)
ROOT_RULES: Final = (watched_namespaces,)
