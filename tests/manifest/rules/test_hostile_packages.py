"""No package makes the validator raise, run away or leave the package (the guard limits)."""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.diagnostics.formats import format_full, format_json
from covel_host.manifest.validation import Validation, problems_of_loading, validate_folder
from tests.manifest.rules.siblings import load_cases, make, write
from tests.support.work import calls_of, hang_guard

CASES = [case for case in load_cases() if case.files]
MAX_MEMORY_GROWTH_KB = 250_000


@contextmanager
def within_limits() -> Iterator[None]:
    """What runs inside does not hang, and grows by 250 MB at most."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with hang_guard():
        yield
    if sys.platform == "linux":
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MAX_MEMORY_GROWTH_KB


def shown(validation: Validation) -> str:
    """The problems in every format; making them must not raise either."""
    format_json(validation.diagnostics, packages=1)
    return format_full(validation.diagnostics, sources=lambda plugin, file: validation.source(file))


def package(place: Path, root: str, files: dict[str, str]) -> Path:
    folder = place / "moss-ledger"
    write(folder / "PLUGIN.md", f"---\ndescription: x\n{root}\n---\n")
    for name, content in files.items():
        write(folder / name, content)
    return folder


@settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    case=st.sampled_from(CASES),
    which=st.integers(0, 9),
    at=st.floats(0, 1),
    length=st.integers(0, 30),
    put=st.one_of(
        st.binary(max_size=12),
        st.sampled_from(
            [b"\xff", b"\0", b"[" * 50, b"{", b'"', b"*a", b"\\u", b"def ", b"\n@tool\n"]
        ),
    ),
)
def test_no_change_of_a_file_makes_the_validator_raise(
    case: object,
    which: int,
    at: float,
    length: int,
    put: bytes,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    form = case.forms[0]  # type: ignore[attr-defined]
    folder = make(case, form, tmp_path_factory.mktemp("x"))  # type: ignore[arg-type]
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    changed = files[which % len(files)]
    content = changed.read_bytes()
    start = int(at * len(content))
    changed.write_bytes(content[:start] + put + content[start + length :])
    validation = validate_folder(folder)
    assert bool(shown(validation)) == bool(validation.diagnostics)
    problems_of_loading(validation.reading)


@pytest.mark.parametrize(
    "content",
    [
        "[" * 400_000,
        "[" * 60 + "]" * 60,
        '{"a":' * 30_000,
        '{"a": "' + "[" * 900_000 + '"}',
        "[" + "0," * 450_000 + "0]",
        '"' + "\\u0041" * 150_000 + '"',
        "9" * 900_000,
        '{"pattern": "' + "a" * 900_000 + '"}',
        '{"patternProperties": {' + ",".join(f'"a{n}{{1,900}}": {{}}' for n in range(3000)) + "}}",
        '{"allOf": [' + ",".join('{"pattern": "(\\\\w{200}){200}"}' for _ in range(60)) + "]}",
        '{"$ref": "#"}',
        '{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}',
        '{"$schema": "https://example.org/own", "type": "object"}',
    ],
    ids=range(13),
)
def test_no_json_file_costs_more_than_the_limits(content: str, tmp_path: Path) -> None:
    root = "contributes: { datasets: { h: { schema: s.json, key: k } }, ui: { right: [s.json] } }"
    folder = package(tmp_path, root, {"s.json": content})
    with within_limits():
        shown(validate_folder(folder))


@pytest.mark.parametrize(
    "content",
    [
        "-" * 200_000 + "1",
        "(" * 100_000,
        "x" + ".a" * 100_000,
        "x = " + "1+" * 100_000 + "1",
        "f" + "()" * 100_000,
        "a = 1\n" * 40_000,
        "a = 1\n" * 400_000,
        "".join(" " * n + "if 1:\n" for n in range(500)),
        "if 1:\n    pass\n" + "elif 1:\n    pass\n" * 8_000,
        "try:\n    pass\nexcept E:\n    pass\n" * 6_000,
        "# -*- coding: utf-7 -*-\n+AGE-\n",
        "# -*- coding: nope -*-\n",
        "\0",
        "@tool\n" * 20_000 + "def a(): ...\n",
        "@" + "a." * 50_000 + "b\ndef a(): ...\n",
    ],
    ids=range(15),
)
def test_no_module_costs_more_than_the_limits(content: str, tmp_path: Path) -> None:
    folder = package(tmp_path, "contributes: { tools: [a] }", {"server/index.py": content})
    with within_limits():
        shown(validate_folder(folder))


def test_a_module_that_imports_in_a_circle_ends(tmp_path: Path) -> None:
    entry = "from plugin_sdk import hookimpl\n" + "".join(
        f"from .m{number} import a{number}\n" for number in range(400)
    )
    names = ", ".join(f"a{number}" for number in range(400))
    entry += f"@hookimpl\ndef register_tools():\n    return [{names}]\n"
    files = {f"server/m{n}.py": f"from .index import a{n}\n" for n in range(400)}
    folder = package(tmp_path, "tags: [x]", {"server/index.py": entry, **files})
    with within_limits():
        assert shown(validate_folder(folder)) == ""


def test_links_in_circles_are_problems_of_their_field(tmp_path: Path) -> None:
    root = (
        "contributes: { datasets: { a: { schema: loop/s.json }, b: { schema: s.json }, "
        "c: { schema: self.json } } }"
    )
    folder = package(tmp_path, root, {})
    try:
        (folder / "loop").symlink_to(folder / "loop2")
        (folder / "loop2").symlink_to(folder / "loop")
        (folder / "self.json").symlink_to(folder / "self.json")
        (folder / "s.json").symlink_to("/dev/zero")
        (folder / "locales").symlink_to(folder)
    except OSError:
        pytest.skip("links cannot be made here")
    with within_limits():
        found = {one.path: one.name for one in validate_folder(folder).diagnostics}
    assert set(found) == {
        "contributes.datasets.a.schema",
        "contributes.datasets.b.schema",
        "contributes.datasets.c.schema",
    }
    assert found["contributes.datasets.b.schema"] == "path-outside-package"


def test_many_names_cost_as_much_as_their_number(tmp_path: Path) -> None:
    def work(count: int) -> int:
        names = ", ".join(f"tool-{number}" for number in range(count))
        root = f"contributes: {{ tools: [{names}] }}\nruntime:\n  schedule: {{ stage: audit }}\n"
        root += f"  agent: {{ tools: {{ plugin: [{names}], defer: [{names}] }} }}"
        folder = package(tmp_path / str(count), root, {})
        return calls_of(lambda: validate_folder(folder))

    work(100)
    assert work(4_000) < 12 * work(400)


def test_every_odd_name_can_be_shown(tmp_path: Path) -> None:
    root = 'contributes: { datasets: { h: { schema: "\\u202e\\u0007 \\U0001F33F.json" } } }'
    folder = package(tmp_path, root, {"locales/\u202e.yaml": "a: [", "PLUGIN.\u00e9.md": "x"})
    assert shown(validate_folder(folder))


@pytest.mark.parametrize("link", ["locales", "locales/de.yaml"])
def test_label_files_are_read_inside_the_package_alone(tmp_path: Path, link: str) -> None:
    folder = package(tmp_path, "displayName: Herbs", {})
    write(tmp_path / "outside" / "de.yaml", "PLUGIN.md: { displayName: Kräuter }\n")
    place = folder / link
    place.parent.mkdir(parents=True, exist_ok=True)
    target = tmp_path / "outside"
    try:
        place.symlink_to(target if link == "locales" else target / "de.yaml")
    except OSError:
        pytest.skip("links cannot be made here")
    (found,) = validate_folder(folder).diagnostics
    assert (found.name, found.file) == ("path-outside-package", "locales/de.yaml")
    assert not found.blocks_loading
