"""`covel db`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import json_option
from covel_host.cli.output import counted, path_text, write_json, write_text


@click.group("db")
def command() -> None:
    """Check the database, or back it up."""


@command.command("check")
@json_option
def check_command(*, as_json: bool) -> int:
    """Check the database: file, references, schema, revisions. It may be in use meanwhile."""
    from covel_host.cli.failures import FINDINGS
    from covel_host.settings import read_settings
    from covel_host.store.check import check_database

    report = check_database(read_settings(os.environ).database)
    if as_json:
        write_json(
            {
                "path": path_text(report.path),
                "schemaRevision": report.schema_revision,
                "sessions": report.sessions,
                "isSound": report.is_sound,
                "findings": [
                    {
                        "kind": finding.kind,
                        "severity": finding.severity,
                        "message": finding.message,
                    }
                    for finding in report.findings
                ],
            }
        )
    else:
        for finding in report.findings:
            write_text(f"{finding.severity}: {finding.message}\n")
        state = "sound" if report.is_sound else "damaged"
        write_text(
            f"{path_text(report.path)}: {state}, {counted(report.sessions, 'session')}, schema "
            f"{report.schema_revision}\n"
        )
    return 0 if report.is_sound else FINDINGS


@command.command("backup")
@click.argument("target", metavar="PATH", type=click.Path(path_type=Path))
@json_option
def backup_command(*, target: Path, as_json: bool) -> None:
    """Copy the database to PATH, a new file, while it may be in use."""
    from covel_host.settings import read_settings
    from covel_host.store.backup import back_up

    report = back_up(read_settings(os.environ).database, target)
    if as_json:
        write_json(
            {
                "path": path_text(report.path),
                "sizeBytes": report.size_bytes,
                "schemaRevision": report.schema_revision,
            }
        )
    else:
        write_text(
            f"{path_text(report.path)}: {report.size_bytes:,} bytes, schema "
            f"{report.schema_revision}\n"
        )
