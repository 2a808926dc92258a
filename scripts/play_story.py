"""A story of ten turns, played by commands: the narrator and the packages of scripts/story.

`python scripts/play_story.py` shows what each turn says, runs and writes. Everything happens in a
temporary home; a script stands in for the model, so nothing is asked and nothing is paid.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import yaml
from demo import ROOT, covel

STORY = ROOT / "scripts" / "story"
PACKAGES = tuple(sorted(path.name for path in (STORY / "plugins").iterdir()))


def main() -> None:
    turns = yaml.safe_load((STORY / "story.yaml").read_text(encoding="utf-8"))["turns"]
    with tempfile.TemporaryDirectory(prefix="covel-story-") as folder:
        home = Path(folder)
        plugins = ("--plugins-dir", str(STORY / "plugins"))
        print("1. A session begins; the narrator is part of it unasked:\n")
        wanted = [part for name in PACKAGES for part in ("--with", name)]
        begun = json.loads(covel(home, "sessions", "new", *wanted, *plugins, "--json", shown=False))
        session_id = begun["sessionId"]
        print(f"   packages: {', '.join(begun['activePackages'])}\n")
        covel(home, "sessions", "seat", session_id, "seat-2", "--label", "The other one")
        print("2. What the next turn will run:\n")
        covel(home, "plan", session_id, *plugins)
        for number, turn in enumerate(turns, start=1):
            print(f"{number + 2}. Turn {number}. {turn['say']}\n")
            script = home / f"turn-{number}.yaml"
            script.write_text(yaml.safe_dump(scripted(turn), allow_unicode=True), encoding="utf-8")
            trusted = [part for name in PACKAGES for part in ("--trust", name)]
            seat = ["--seat", turn["seat"]] if "seat" in turn else []
            said = [session_id, turn["say"], *seat, "--model", f"scripted:{script}"]
            covel(home, "turn", *said, *trusted, *plugins)
        print("Another process reads the whole session back:\n")
        covel(home, "sessions", "show", session_id)
        print("Done. See docs/stories.md")


def scripted(turn: dict[str, Any]) -> list[dict[str, Any]]:
    """The replies of a turn in the order in which the model is asked for them."""
    replies = list(turn["narrator"])
    for reply in turn.get("people", ()):
        replies.append(reply)
        if any(call["name"] == "delegate" for call in reply.get("calls", ())):
            replies += turn["seer"]
    return replies


if __name__ == "__main__":
    main()
