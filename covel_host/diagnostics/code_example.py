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
