"""`make demo`: one plugin folder from a copy to a committed turn, each step by its own command.

Everything happens in a temporary home; nothing of yours is touched and no model is called.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
COVEL = Path(sys.executable).parent / "covel"
PAYLOAD = '{"value": "hello"}'


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="covel-demo-") as folder:
        home = Path(folder)
        package = home / "plugins" / "echo-demo"
        print(f"1. A plugin is a folder: templates/echo-demo is copied to {package}\n")
        shutil.copytree(ROOT / "templates" / "echo-demo", package)
        print("2. It is validated; none of its code runs:\n")
        covel(home, "validate-plugin", str(package))
        print("3. It runs with the offline model, which needs no key and no network:\n")
        run = json.loads(
            covel(
                home,
                *("run", "echo-demo", "--payload", PAYLOAD, "--model", "offline"),
                *("--trust", "echo-demo", "--json"),
                shown=False,
            )
        )
        show_calls(run)
        print("4. Another process reads the committed turn back:\n")
        covel(home, "sessions", "show", run["sessionId"])
        print("Done. Next: docs/tutorial/first-plugin.md, or a story in the terminal: covel play")


def show_calls(run: dict[str, Any]) -> None:
    """The tool calls of a run: what the model wrote and the envelope it got."""
    for call in run["toolCalls"]:
        arguments = json.dumps(call["arguments"], ensure_ascii=False)
        print(f"   the model called     {call['name']} {arguments}")
        print(f"   the model got        {call['envelope']}")
    print(f"   committed            {run['committed']} (session revision {run['revision']})\n")


def covel(home: Path, *arguments: str, shown: bool = True) -> str:
    """What one `covel` command prints; a failing one ends the demo."""
    print(f"   $ covel {shlex.join(arguments)}\n", flush=True)
    done = subprocess.run(
        [str(COVEL), *arguments],
        env={**os.environ, "COVEL_HOME": str(home), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    if done.returncode != 0:
        print(done.stdout)
        crash_log = home / "logs" / "crash.log"  # gone with the folder when the demo ends
        if crash_log.exists():
            print(crash_log.read_text(encoding="utf-8"))
        sys.exit(f"The command ended with exit code {done.returncode}.")
    if shown:
        print("".join(f"   {line}\n" for line in done.stdout.splitlines()))
    return done.stdout


if __name__ == "__main__":
    main()
