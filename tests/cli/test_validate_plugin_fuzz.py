"""Whatever lies in a package: no traceback, no hang, and within 300 MB."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covel_host.cli.app import run
from tests.cli.support import ROOT

FILES = ("PLUGIN.md", "PLUGIN.zh.md", "locales/zh.yaml", "schemas/a.json", "server/index.py")
RUNTIME = "runtimes/gather/RUNTIME.md"
BASE = ROOT / "templates" / "multi-runtime"
# The peak of this very program: the size of the process that started it, which `ru_maxrss`
# inherits, does not count.
MEASURE = """
import re, sys
from pathlib import Path
from covel_host.cli.app import run
code = run(["validate-plugin", *sys.argv[1:]])
status = Path("/proc/self/status")
found = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()) if status.exists() else None
print(code, int(found[1]) // 1024 if found else 0, file=sys.stderr)
"""

SETTINGS = settings(deadline=None, max_examples=120)


def checked(package: Path) -> None:
    """The check ends with findings or without, and its JSON can be read."""
    for options in (["--json"], ["--format", "full"], ["--diff"]):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(["validate-plugin", str(package), *options])
        assert code in (0, 1), err.getvalue()
        assert "Traceback" not in out.getvalue() + err.getvalue()
        if options == ["--json"]:
            json.loads(out.getvalue())


def fresh(factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(BASE, factory.mktemp("fuzz") / "moss-ledger"))


@SETTINGS
@given(file=st.sampled_from([*FILES, RUNTIME]), content=st.binary(max_size=400))
def test_random_bytes_are_findings(
    tmp_path_factory: pytest.TempPathFactory, file: str, content: bytes
) -> None:
    package = fresh(tmp_path_factory)
    (package / file).parent.mkdir(parents=True, exist_ok=True)
    (package / file).write_bytes(content)
    checked(package)


@SETTINGS
@given(
    file=st.sampled_from([RUNTIME, "PLUGIN.md", "server/index.py", "schemas/plant.json"]),
    cuts=st.lists(
        st.tuples(
            st.floats(0, 1),
            st.integers(0, 6),
            st.one_of(
                st.text(max_size=4),
                st.sampled_from(["\t", ": ", "- ", "&a ", "*a", "{", "[", "'", "\u2028", "\r"]),
            ),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_changed_files_are_findings(
    tmp_path_factory: pytest.TempPathFactory, file: str, cuts: list[tuple[float, int, str]]
) -> None:
    package = fresh(tmp_path_factory)
    text = (package / file).read_text(encoding="utf-8")
    for at, length, put in cuts:
        start = int(at * len(text))
        text = text[:start] + put + text[start + length :]
    (package / file).write_bytes(text.encode("utf-8", "surrogatepass"))
    checked(package)


def manifest(package: Path, fields: str) -> None:
    (package / "PLUGIN.md").write_text(f"---\ndescription: x\n{fields}\n---\n", encoding="utf-8")


def alias_bomb(package: Path) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    manifest(package, "\n".join(rows))


def deep_flow(package: Path) -> None:
    manifest(package, "tags: " + "[" * 200_000 + "]" * 200_000)


def deep_block(package: Path) -> None:
    manifest(package, "\n".join(f"{' ' * n}a:" for n in range(3_000)))


def deep_schema(package: Path) -> None:
    text = '{"items":' * 100_000 + "true" + "}" * 100_000
    (package / "schemas" / "plant.json").write_text(text, encoding="utf-8")


def deep_code(package: Path) -> None:
    (package / "server" / "index.py").write_text("x = " + "(" * 50_000 + ")" * 50_000)
    (package / "server" / "plants.py").write_text("x = " + "-" * 900_000 + "1")


def huge_scalar(package: Path) -> None:
    manifest(package, f"displayName: {'a' * 9_000_000}")


def many_keys(package: Path) -> None:
    manifest(package, "\n".join(f"key-{n}: {n}" for n in range(600_000)))


def many_flow_items(package: Path) -> None:
    manifest(package, f"tags: [{'a,' * 4_000_000}]")


def huge_number(package: Path) -> None:
    manifest(package, f"version: 1{'0' * 1_000_000}\nkind: 1e999999999")


def odd_text(package: Path) -> None:
    text = 'displayName: "\\ud800 \\u202e \\x1b[31m"\ntags: [\u202e, \U0010ffff, e\u0301]'
    manifest(package, text)


def link_loop(package: Path) -> None:
    shutil.rmtree(package / "runtimes")
    (package / "runtimes").symlink_to("runtimes")
    (package / "PLUGIN.md").unlink()
    (package / "PLUGIN.md").symlink_to("PLUGIN.zh.md")
    (package / "PLUGIN.zh.md").symlink_to("PLUGIN.md")


def inner_loops(package: Path) -> None:
    (package / "runtimes" / "again").symlink_to(package)
    (package / "runtimes" / "self").symlink_to("self")
    shutil.rmtree(package / "server")
    (package / "server").symlink_to(package)
    (package / "locales").symlink_to("locales")
    (package / "schemas" / "plant.json").unlink()
    (package / "schemas" / "plant.json").symlink_to("plant.json")


def pipes(package: Path) -> None:
    for name in ("schemas/plant.json", "server/index.py", RUNTIME):
        (package / name).unlink()
        os.mkfifo(package / name)


def device(package: Path) -> None:
    (package / "PLUGIN.zh.md").symlink_to("/dev/zero")
    (package / "schemas" / "plant.json").unlink()
    (package / "schemas" / "plant.json").symlink_to("/dev/zero")


def names_that_are_no_text(package: Path) -> None:
    folder = os.fsencode(package / "runtimes") + b"/\xff\xfe"
    os.mkdir(folder)
    with open(folder + b"/RUNTIME.md", "wb") as stream:
        stream.write(b"---\nschedule: x\n---\n")


def many_runtimes(package: Path) -> None:
    for number in range(1_500):
        folder = package / "runtimes" / f"r{number}"
        folder.mkdir()
        (folder / "RUNTIME.md").write_text("---\nschedule: { trigger: { type: manual } }\n---\n")


def pattern_bomb(package: Path) -> None:
    text = json.dumps({"type": "object", "properties": {"name": {"pattern": "^(a+)+$"}}})
    (package / "schemas" / "plant.json").write_text(text)


BOMBS: tuple[Callable[[Path], None], ...] = (
    *(alias_bomb, deep_flow, deep_block, deep_schema, deep_code, huge_scalar, many_keys),
    *(many_flow_items, huge_number, odd_text, link_loop, inner_loops, pipes, device),
    *(names_that_are_no_text, many_runtimes, pattern_bomb),
)


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_hostile_packages_stay_within_the_limits(
    tmp_path: Path, bomb: Callable[[Path], None]
) -> None:
    package = Path(shutil.copytree(BASE, tmp_path / "moss-ledger"))
    bomb(package)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(package)],
        env={**os.environ, "COVEL_HOME": str(tmp_path / "home")},
        capture_output=True,
        timeout=60,
    )
    shown = (done.stdout + done.stderr).decode("utf-8")
    code, peak_mb = done.stderr.decode("utf-8").split()[-2:]
    assert int(code) in (0, 1), shown[-2000:]
    assert "Traceback" not in shown
    assert int(peak_mb) < 300
