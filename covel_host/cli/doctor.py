"""`covel doctor`."""

import os

import click

from covel_host.cli.options import json_option, safe_option, trust_option
from covel_host.cli.output import write_json, write_text


@click.command("doctor")
@trust_option
@safe_option
@json_option
def command(*, trusted: tuple[str, ...], is_safe: bool, as_json: bool) -> int:
    """Check this installation, its folders, packages and models."""
    from covel_host.cli.checks import checks_json, checks_text
    from covel_host.cli.doctor_checks import all_checks
    from covel_host.cli.failures import FINDINGS

    if is_safe:
        from covel_host.cli.safe_mode import begin_safe_mode

        begin_safe_mode(())
    checks = all_checks(os.environ, trusted=trusted, is_safe=is_safe)
    if as_json:
        write_json(checks_json(checks))
    else:
        write_text(checks_text(checks))
    return FINDINGS if any(check.state == "problem" for check in checks) else 0
