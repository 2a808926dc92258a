"""An example of a kind of problem: a manifest that has it, and how it is meant."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """Two manifests, or the fields of two, that differ in the mistake alone.

    Texts that begin with three dashes or a heading are whole files; others are fields of a
    `PLUGIN.md`, which has a description besides.
    """

    wrong: str
    right: str


def manifest_text(example: str) -> str:
    """One text of an example as a whole `PLUGIN.md`."""
    if example.startswith(("---", "# ")):
        return example
    given = any(line.startswith("description:") for line in example.splitlines())
    description = "" if given else "description: Counts herbs.\n"
    return f"---\n{description}{example}---\n"
