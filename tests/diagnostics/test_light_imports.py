"""Reading sound packages and printing nothing costs none of the modules for mistakes."""

import subprocess
import sys
from pathlib import Path

SELDOM = (
    "covel_host.diagnostics.explain",
    "covel_host.diagnostics.fix_diff",
    "covel_host.diagnostics.fix_files",
    "covel_host.diagnostics.format_github",
    "covel_host.diagnostics.format_sarif",
    "covel_host.diagnostics.yaml_recovery",
    "covel_host.manifest.editor_schema",
    "covel_host.manifest.field_texts_root",
    "covel_host.manifest.model_errors",
    "covel_host.manifest.repairs",
    "difflib",
    "rich",
    "jsonschema_rs",
)
PROGRAM = """
import sys
from pathlib import Path
from covel_host.diagnostics.formats import FORMATS, Report
from covel_host.manifest.package import read_package
reading = read_package(Path(sys.argv[1]))
FORMATS["full"](Report(reading.diagnostics, 1))
print(*[name for name in sys.argv[2:] if name in sys.modules])
"""


def test_a_sound_package_loads_nothing_for_mistakes(tmp_path: Path) -> None:
    root = tmp_path / "moss-ledger"
    root.mkdir()
    (root / "PLUGIN.md").write_text("---\ndescription: Counts herbs.\n---\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root), *SELDOM],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []
