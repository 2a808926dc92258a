"""One error of a model as it was reported, and the problem that is made of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from covel_host.diagnostics.diagnostic import Fix, dotted
from covel_host.diagnostics.values_shown import shown
from covel_host.diagnostics.yaml_nodes import Path
from covel_host.manifest.frontmatter import Frontmatter


@dataclass(frozen=True, slots=True)
class ModelProblem:
    """One error of a model: which diagnostic, where in the fields, and the words.

    `at_key` says that the key itself is wrong, not its value. `missing` fields have no place of
    their own. `repair` makes the fix; `claims` is the field that the fix writes, of which two
    problems of one file cannot both be made.
    """

    name: str
    path: Path
    message: str
    hint: str | None = None
    at_key: bool = False
    repair: Callable[[Frontmatter], Fix | None] | None = None
    claims: Path | None = None


@dataclass(frozen=True, slots=True)
class FieldError:
    """One pydantic error, its place cleaned of branch names.

    `written` is the text a scalar was written with, so that `1.10` is not shown as `1.1`; `plain`
    tells whether it stands there without quotes.
    """

    model: type[BaseModel]
    place: Path
    path: Path
    at_key: bool
    type: str
    value: object
    said: str
    context: dict[str, Any]
    written: str | None
    plain: bool

    @property
    def subject(self) -> str:
        """The field and its value as the start of a sentence: `` `kind` is 'x' ``."""
        if self.at_key:
            return f"The name {shown(self.path[-1])} under `{dotted(self.path[:-1])}`"
        return f"`{dotted(self.path)}` is {shown(self.value, written=self.written)}"
