import logging

import pytest

from covel_host.base.package_logger import PackageLogger


class Bad:
    def __repr__(self) -> str:
        raise RuntimeError


def written(caplog: pytest.LogCaptureFixture) -> list[tuple[str, int, str]]:
    return caplog.record_tuples


def test_lines_go_to_the_packages_own_log_with_data_as_json(
    caplog: pytest.LogCaptureFixture,
) -> None:
    logger = PackageLogger("moss-ledger")
    with caplog.at_level(logging.DEBUG, logger="covel.packages.moss-ledger"):
        logger.debug("one")
        logger.info("100 %s", note="Größe", rows=[1, None])
        logger.warning("three")
        logger.error("four")
    name = "covel.packages.moss-ledger"
    assert written(caplog) == [
        (name, logging.DEBUG, "one"),
        (name, logging.INFO, '100 %s {"note":"Größe","rows":[1,null]}'),
        (name, logging.WARNING, "three"),
        (name, logging.ERROR, "four"),
    ]


def test_a_level_that_is_off_costs_no_dump(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, logger="covel.packages.moss-ledger"):
        PackageLogger("moss-ledger").info("quiet", data=Bad())  # type: ignore[arg-type]
    assert written(caplog) == []


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({1}, "{'data': {1}}"),
        (float("nan"), "{'data': nan}"),
        (Bad(), "(data that cannot be shown: data)"),
    ],
)
def test_data_that_is_no_json_fails_no_one(
    caplog: pytest.LogCaptureFixture, data: object, shown: str
) -> None:
    PackageLogger("moss-ledger").error("kept", data=data)  # type: ignore[arg-type]
    assert caplog.messages == [f"kept {shown}"]


def test_a_value_that_holds_itself_fails_no_one(caplog: pytest.LogCaptureFixture) -> None:
    circle: list[object] = []
    circle.append(circle)
    PackageLogger("moss-ledger").error("kept", data=circle)  # type: ignore[arg-type]
    assert caplog.messages == ["kept {'data': [[...]]}"]
