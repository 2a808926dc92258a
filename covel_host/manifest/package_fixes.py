"""The fixes of one package, planned or made.

Packages are fixed one by one: two folders may hold packages of one ID, and a fix belongs to one of
them.
"""

from pathlib import Path

from covel_host.diagnostics.fix_files import FixOutcome, settle
from covel_host.diagnostics.fixes import FixPlan, plan_fixes
from covel_host.manifest.layout import printable
from covel_host.manifest.validation import Validation, validate_folder


def plan_package(validation: Validation) -> FixPlan:
    """What fixing the package as it was found would change; nothing is written."""
    return plan_fixes(validation.diagnostics, sources=lambda plugin, file: validation.source(file))


def fix_package(root: Path, *, plugin_id: str | None = None) -> FixOutcome:
    """Fix the package at `root`, and what shows only then; says what was fixed and what was not.

    `plugin_id` is the folder's name unless given.
    """
    named = plugin_id if plugin_id is not None else printable(root.absolute().name)

    def plan() -> FixPlan:
        return plan_package(validate_folder(root, plugin_id=plugin_id))

    return settle(plan, roots={named: root})
