"""Variables in prompt bodies that stand for nothing (spec/execution.md 5.2; spec/manifest.md 4.9).

A body may hold placeholders of its author's, so a root that the host does not know is told only
where it can be a slip of one that it knows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.rule import FileProblem, Rule, rule
from covel_host.manifest.runtime_io import RuntimeSource
from covel_host.manifest.template_variables import (
    INPUTS_ROOT,
    MEMBERS,
    PLACEHOLDER,
    ROOTS,
    SETTINGS_ROOT,
)
from covel_host.manifest.text_forms import PLUGIN_ID


@dataclass(frozen=True, slots=True)
class PromptBody:
    """One body of an agent, English or Chinese, in the file that holds it."""

    runtime: RuntimeFacts
    frontmatter: Frontmatter


@dataclass(frozen=True, slots=True)
class _Unknown:
    says: str
    hint: str


def prompt_bodies(runtime: RuntimeFacts) -> Iterator[PromptBody]:
    """The bodies that a model is given of `runtime`; a function has none."""
    if runtime.is_function:
        return
    yield PromptBody(runtime, runtime.reading.frontmatter)
    files = {} if runtime.root is None else runtime.root.package.files
    variant = files.get(runtime.reading.file.replace(".md", ".zh.md"))
    if variant is not None and runtime.reading.body_zh is not None:
        yield PromptBody(runtime, variant)


@rule(
    "execution 5.2", "template-variable-unknown", "Variables in prompt bodies stand for something."
)
def unknown_variable(body: PromptBody) -> Iterator[FileProblem]:
    source, told = body.frontmatter.source, set[str]()
    offset = len(source.text) - len(body.frontmatter.body)
    for match in PLACEHOLDER.finditer(body.frontmatter.body):
        name = match[1]
        if name in told:
            continue
        told.add(name)
        root, *path = name.split(".")
        found = _unknown(body.runtime, root, path)
        if found is not None:
            span = source.span(match.start() + offset, match.end() + offset)
            message = f"`{{{{ {name} }}}}` {found.says}."
            yield FileProblem(body.frontmatter.file, span, message, found.hint)


def _unknown(runtime: RuntimeFacts, root: str, path: list[str]) -> _Unknown | None:
    if root in MEMBERS:
        return _unknown_member(root, path)
    if root == SETTINGS_ROOT:
        return _unknown_setting(runtime, path[0])
    if root == INPUTS_ROOT:
        return _unknown_input(runtime, path)
    meant = nearest(root, sorted(ROOTS))
    if meant is None:
        return None
    return _Unknown(
        f"is read by the model as it stands: the host knows no {root!r}",
        f"Write `{{{{ {'.'.join((meant, *path))} }}}}`.",
    )


def _unknown_member(root: str, path: list[str]) -> _Unknown | None:
    known = MEMBERS[root]
    if path[0] in known:
        return None
    near = nearest(path[0], known)
    return _Unknown(
        f"stands for nothing: {root!r} has no {path[0]!r}",
        f"{root!r} has {', '.join(map(repr, known))}."
        if near is None
        else f"Write `{{{{ {'.'.join((root, near, *path[1:]))} }}}}`.",
    )


def _unknown_setting(runtime: RuntimeFacts, key: str) -> _Unknown | None:
    root = runtime.root
    if root is None or not root.sound("contributes", "settings"):
        return None
    known = [setting.key for setting in root.contributes.settings]
    if key in known:
        return None
    near = nearest(key, known)
    return _Unknown(
        f"stands for nothing: the package has no setting {key!r}",
        f"Declare {key!r} under `contributes.settings`."
        if near is None
        else f"The nearest setting is {near!r}.",
    )


def _unknown_input(runtime: RuntimeFacts, path: list[str]) -> _Unknown | None:
    if not runtime.sound("io", "inputs"):
        return None
    plugin_id, *rest = path
    inputs = runtime.io.inputs
    sources = [wanted.source for wanted in inputs.values()]
    own = [source.runtime for source in sources if isinstance(source, RuntimeSource)]
    # Whose runtime provides a contract is known in a session only.
    if len(own) < len(sources) and re.fullmatch(PLUGIN_ID, plugin_id):
        return None
    known = [(name.partition("/")[0], name.partition("/")[2] or name) for name in own]
    if any(plugin_id == plugin and rest[:1] in ([], [name]) for plugin, name in known):
        return None
    hint = "Bound values are named after the runtime they come from: `inputs.PLUGIN.RUNTIME`."
    near = nearest(".".join(path), [".".join(parts) for parts in known])
    if near is not None:
        hint = f"The nearest input is `inputs.{near}`."
    elif not inputs:
        hint = "Declare what the runtime reads under `io.inputs`."
    elif plugin_id in inputs and isinstance(source := inputs[plugin_id].source, RuntimeSource):
        at = own.index(source.runtime)
        hint = f"The value of the input {plugin_id!r} is `inputs.{'.'.join(known[at])}`."
    return _Unknown("stands for nothing: no input of the runtime comes from there", hint)


RULES: Final[tuple[Rule[PromptBody], ...]] = (unknown_variable,)
