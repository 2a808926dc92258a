"""The client of the page prints what the page says."""

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.test_examples import FILES


def test_the_client_of_the_page_prints_what_stands_below_it(tmp_path: Path) -> None:
    for path, text in FILES.items():
        if path.startswith("herb-notes/"):
            file = tmp_path / ".covel" / "plugins" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    # The client hands few variables on, the home among them.
    program = Path(sys.executable).parent
    environ = {"HOME": str(tmp_path), "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-c", FILES["herb-client.py"]],
        env=environ,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == FILES["herb-client-prints.txt"]
