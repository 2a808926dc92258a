"""Services imported as tools (spec/manifest.md 6.5; seed: 导入的服务工具)."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.diagnostic import Related
from covel_host.manifest.agent import ServiceImport
from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.rule import Path, Problem, field, first_place, rule
from covel_host.manifest.rules.tool_names import MAX_TOOL_NAME, import_name, taken_names


@rule("6.5", "service-name-too-long", "An imported service has a usable tool name.")
def name_too_long(runtime: RuntimeFacts) -> Iterator[Problem]:
    for path, item in _imports(runtime):
        length = len(import_name(item))
        if length > MAX_TOOL_NAME:
            yield Problem(
                path,
                f"{field(path)} is {item.contract!r}, whose tool name would have {length} "
                f"characters; expected at most {MAX_TOOL_NAME}.",
                f"Give it a name: {{ contract: {item.contract}, as: … }}.",
            )


@rule("6.5", "service-imported-twice", "A contract is imported once.")
def imported_twice(runtime: RuntimeFacts) -> Iterator[Problem]:
    first: dict[str, Path] = {}
    for path, item in _imports(runtime):
        known = first.setdefault(item.contract, path)
        if known is not path:
            yield Problem(
                path,
                f"{field(path)} imports {item.contract!r}, which {field(known)} imports already.",
                "Remove one of the two.",
                related=first_place(runtime.reading.frontmatter, known),
            )


@rule("6.5", "tool-name-clash", "An imported service has a tool name of its own.")
def import_name_clash(runtime: RuntimeFacts) -> Iterator[Problem]:
    taken = taken_names(runtime)
    first: dict[str, tuple[Path, str]] = {}
    for path, item in _imports(runtime):
        name = import_name(item)
        place = path if item.tool_name is None else (*path, "as")
        whose = taken.get(name)
        related: tuple[Related, ...] = ()
        known = first.setdefault(name, (place, item.contract))
        if whose is None and known[0] is not place and known[1] != item.contract:
            whose = f"the import of {known[1]!r}"
            related = first_place(runtime.reading.frontmatter, known[0])
        if whose is not None:
            yield Problem(
                path,
                f"{field(path)} makes the tool {name!r}, which is {whose} already.",
                f"Give the import another name: {{ contract: {item.contract}, as: … }}.",
                place=place,
                related=related,
            )


def _imports(runtime: RuntimeFacts) -> Iterator[tuple[Path, ServiceImport]]:
    for index, item in enumerate(runtime.services):
        yield runtime.at("agent", "tools", "services", index), item


RULES: Final = (name_too_long, imported_twice, import_name_clash)
