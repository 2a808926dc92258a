"""What a package's code needs of the environment, as text (spec/decisions.md 1)."""

from collections.abc import Iterator
from typing import Final

from covel_host.manifest.rules.facts import RootFacts
from covel_host.manifest.rules.rule import Path, Problem, field, rule


@rule("decisions 1", "python-need-malformed", "Python needs are written as pip reads them.")
def need_malformed(root: RootFacts) -> Iterator[Problem]:
    needs = root.manifest.python
    if needs is None:
        return
    # Imported here: few packages have needs of their own.
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    if needs.requires is not None:
        try:
            SpecifierSet(needs.requires)
        except InvalidSpecifier:
            path: Path = ("python", "requires")
            yield Problem(
                path,
                f"{field(path)} is {needs.requires!r}; expected a range of Python versions, such "
                "as '>=3.11'.",
                _range_hint(needs.requires),
            )
    for index, text in enumerate(needs.dependencies):
        try:
            Requirement(text)
        except InvalidRequirement as error:
            path = ("python", "dependencies", index)
            reason = str(error).splitlines()[0].rstrip(".:")
            yield Problem(
                path,
                f"{field(path)} is {text!r}; expected a requirement as pip reads it, such as "
                f"'httpx>=0.27' ({reason}).",
            )


def _range_hint(written: str) -> str | None:
    digits = written.lstrip("^~=v ")
    return f"Write '>={digits}'." if digits[:1].isdigit() else None


RULES: Final = (need_malformed,)
