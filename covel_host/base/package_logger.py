"""The log of one package: what its code gets as `logger`."""

import contextlib
import logging
from collections.abc import Mapping

from covel_host.base.json_text import dump_json
from plugin_sdk.values import JsonValue


class PackageLogger:
    """Lines in the host's log, under `covel.packages.<plugin id>`, data as JSON behind the text."""

    def __init__(self, plugin_id: str) -> None:
        self._log = logging.getLogger(f"covel.packages.{plugin_id}")

    def debug(self, message: str, **data: JsonValue) -> None:
        self._write(logging.DEBUG, message, data)

    def info(self, message: str, **data: JsonValue) -> None:
        self._write(logging.INFO, message, data)

    def warning(self, message: str, **data: JsonValue) -> None:
        self._write(logging.WARNING, message, data)

    def error(self, message: str, **data: JsonValue) -> None:
        self._write(logging.ERROR, message, data)

    def _write(self, level: int, message: str, data: Mapping[str, JsonValue]) -> None:
        if not self._log.isEnabledFor(level):
            return
        self._log.log(level, "%s", f"{message} {_shown(data)}" if data else message)


def _shown(data: Mapping[str, JsonValue]) -> str:
    # A log line must not fail the code that writes it: even `repr` may.
    for show in (dump_json, repr):
        with contextlib.suppress(Exception):
            return show(data)
    return f"(data that cannot be shown: {', '.join(data)})"
