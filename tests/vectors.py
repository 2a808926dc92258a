"""The conformance vectors of `tests/cases/` or of another folder of the same schemas.

`python -m tests.vectors [DIR]` (`make vectors DIR=…`) runs the vectors of a folder through the
adapters that our own tests use. A folder holds any of our files under our names, and a `manifests/`
folder. The variable `COVEL_VECTORS` gives the folder to `tests/test_vectors.py`.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent / "cases"
VARIABLE = "COVEL_VECTORS"
MANIFESTS = "manifests"
TOPICS = (
    "characters",
    "completion",
    "data_ops",
    "dimensions",
    "envelopes",
    "forms",
    "keys",
    "pools",
    "ranking",
    "resolver",
    "scheduling",
    "tool_arguments",
)


class VectorsError(ValueError):
    """A folder or file of vectors cannot be read."""


def load_vectors(topic: str, *, kind: str | None = None) -> list[Any]:
    """All vectors of `tests/cases/<topic>.json` (of one `kind`), as pytest parameters by id."""
    return [
        pytest.param(vector, id=vector["id"])
        for vector in read_vectors(CASES / f"{topic}.json")
        if kind is None or vector.get("kind") == kind
    ]


def read_vectors(file: Path) -> list[dict[str, Any]]:
    """The vectors of one file, long texts expanded.

    Raises:
        VectorsError: The file is not JSON of the shape `{"vectors": [object, ...]}`.
    """
    try:
        vectors = json.loads(file.read_text(encoding="utf-8"))["vectors"]
    except (ValueError, KeyError, TypeError) as error:
        raise VectorsError(f"{file} is no file of vectors ({error!r}).") from None
    if not isinstance(vectors, list) or not all(isinstance(one, dict) for one in vectors):
        raise VectorsError(f"{file}: 'vectors' is not a list of objects.")
    return [expand(vector) for vector in vectors]


def expand(value: Any) -> Any:
    """`value` with every `$repeat` and `$join` form replaced by the text it stands for."""
    if isinstance(value, list):
        return [expand(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$repeat"}:
        text, times = value["$repeat"]
        return expand(text) * times
    if set(value) == {"$join"}:
        return "".join(expand(part) for part in value["$join"])
    return {key: expand(item) for key, item in value.items()}


def vectors_folder() -> Path:
    """The folder whose vectors are run: `COVEL_VECTORS`, or our own."""
    return Path(os.environ.get(VARIABLE) or CASES)


def vector_files(folder: Path) -> dict[str, Path]:
    """The files of vectors in a folder, by topic.

    Raises:
        VectorsError: No folder, a file with an unknown name, or nothing to run.
    """
    if not folder.is_dir():
        raise VectorsError(f"{folder} is no folder.")
    files = {file.stem: file for file in sorted(folder.glob("*.json"))}
    known = ", ".join(f"{topic}.json" for topic in TOPICS)
    if unknown := sorted(files.keys() - set(TOPICS)):
        names = ", ".join(f"{name}.json" for name in unknown)
        raise VectorsError(f"{folder} holds {names}, which no adapter reads. Known: {known}.")
    if not files and not package_folders(folder):
        raise VectorsError(f"{folder} holds no vectors. Known: {known}, {MANIFESTS}/*/expect.json.")
    return files


def package_folders(folder: Path) -> list[Path]:
    """The packages of `manifests/` that state what validation is to find."""
    return sorted(file.parent for file in (folder / MANIFESTS).glob("*/expect.json"))


def with_ids(topic: str, vectors: list[dict[str, Any]]) -> Iterator[Any]:
    """Pytest parameters `(topic, vector)` whose id is the vector's, or its place without one."""
    for place, vector in enumerate(vectors):
        yield pytest.param(topic, vector, id=f"{topic}/{vector.get('id', place)}")


class Tally:
    """Counts what came of the vectors, by topic, for the closing line."""

    def __init__(self) -> None:
        self.passed: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        topic = report.nodeid.partition("[")[2].partition("/")[0]
        if report.failed:
            self.failed[topic] += 1
        elif report.when == "call" and report.passed:
            self.passed[topic] += 1

    def closing(self) -> str:
        topics = sorted(self.passed.keys() | self.failed.keys())
        each = [f"{one} {self.passed[one]}/{self.passed[one] + self.failed[one]}" for one in topics]
        passed, failed = self.passed.total(), self.failed.total()
        return f"{passed} of {passed + failed} vectors pass, {failed} fail ({', '.join(each)})."


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.vectors", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CASES, metavar="DIR")
    folder = parser.parse_args().folder.absolute()
    try:
        files = vector_files(folder)
        for file in files.values():
            read_vectors(file)
    except VectorsError as error:
        print(error, file=sys.stderr)
        return 2
    os.environ[VARIABLE] = str(folder)
    tally = Tally()
    here = Path(__file__).parent
    tests = [here / "test_vectors.py"] if files else []
    if package_folders(folder):
        tests.append(here / "vector_adapters" / "packages_run.py")
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", f"--rootdir={here.parent}"]
    # Adapters are no test modules; their assertions are to show both sides all the same.
    pytest.register_assert_rewrite("tests.vector_adapters")
    status = pytest.main([*map(str, tests), *options], [tally])
    print(tally.closing())
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
