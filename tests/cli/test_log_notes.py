"""What the log is told of packages, as the lines that a person sees."""

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

from covel_host.catalog.namespace import PackageNamespace
from covel_host.cli.log_notes import noted
from tests.cli.support import Covel, copy_echo

LOG = logging.getLogger("covel.packages.moss")
HOST = logging.getLogger("covel_host.catalog.registrar")


def lines(log: Callable[[], object], *, level: int = logging.ERROR) -> list[str]:
    told: list[str] = []
    with noted(told.append, level=level):
        log()
    log()
    return told


def failure(root: Path) -> Exception:
    """An error that passed through a module of a package."""
    source = b"def fall():\n    raise ValueError('over')\n"
    space = PackageNamespace("moss", 1, root=root, modules={"steps.py": source})
    try:
        space.import_module("steps.py").fall()
    except ValueError as error:
        return error
    finally:
        space.close()
    raise AssertionError


def test_an_error_of_a_package_is_told_with_its_place(tmp_path: Path) -> None:
    error = failure(tmp_path)
    for log in (LOG, HOST):
        assert lines(partial(log.error, "It fell.", exc_info=error)) == [
            f"ValueError at {tmp_path / 'steps.py'}:2 in fall: over"
        ]


def test_what_has_no_place_is_told_as_it_was_logged() -> None:
    assert lines(lambda: LOG.error("slipped on %s", "moss")) == ["moss: slipped on moss"]
    error = ValueError("over")
    assert lines(lambda: HOST.error("It fell.", exc_info=error)) == ["It fell."]


def test_the_level_is_that_of_packages_and_the_host_tells_of_errors_alone() -> None:
    LOG.setLevel(logging.INFO)
    try:
        assert lines(lambda: LOG.info("hello")) == []
        assert lines(lambda: LOG.info("hello"), level=logging.INFO) == ["moss: hello"]
        assert lines(lambda: HOST.warning("odd"), level=logging.INFO) == []
    finally:
        LOG.setLevel(logging.NOTSET)


def test_long_texts_are_one_short_line() -> None:
    (line,) = lines(lambda: LOG.error("a\nb" * 1_000))
    assert "\n" not in line
    assert len(line) <= 300


def test_a_listener_that_fails_fails_nobody() -> None:
    with noted(lambda text: 1 / 0):
        LOG.error("on it goes")


def test_a_run_shows_where_a_tool_raised(covel: Covel, plugins: Path) -> None:
    path = copy_echo(plugins) / "server" / "index.py"
    path.write_text(path.read_text(encoding="utf-8").replace('"ok": True', '"ok": 1 / 0'))
    hurt = next(
        number for number, line in enumerate(path.read_text().splitlines(), 1) if "1 / 0" in line
    )
    ran = covel("run", "echo-demo", "--trust", "echo-demo", "--payload", '{"value": "hello"}')
    assert f"ZeroDivisionError at {path}:{hurt} in echo_value: division by zero" in ran.err
