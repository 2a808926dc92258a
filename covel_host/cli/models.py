"""`covel models`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from covel_host.cli.options import json_option
from covel_host.cli.output import write_json, write_text

if TYPE_CHECKING:
    from covel_host.models.probe import ProbeResult

_ALL = ""


@click.command("models")
@click.option(
    "--test",
    "tested",
    is_flag=False,
    flag_value=_ALL,
    default=None,
    metavar="[SLOT]",
    help="Send one short request to this slot, or to every text slot.",
)
@json_option
def command(*, tested: str | None, as_json: bool) -> int:
    """Show the model slots and where each setting comes from."""
    from covel_host.cli.failures import FINDINGS
    from covel_host.cli.model_text import models_json, models_text
    from covel_host.models.slot_file import load_slots
    from covel_host.settings import read_settings

    settings = read_settings(os.environ)
    slots = load_slots(
        environment=settings.environ,
        home=settings.home,
        working_directory=settings.working_directory,
    )
    tests: Mapping[str, ProbeResult] = {}
    if tested is not None:
        from covel_host.cli.model_tests import try_slots

        tests = try_slots(settings, slots, None if tested == _ALL else tested)
    if as_json:
        write_json(models_json(slots, tests))
    else:
        write_text(models_text(slots, tests))
    return FINDINGS if any(result.error is not None for result in tests.values()) else 0
