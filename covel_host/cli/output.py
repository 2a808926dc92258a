"""What commands print: one JSON document, or text."""

import click

from covel_host.base.json_text import dump_json


def write_json(document: object) -> None:
    """Print `document` as one line of JSON."""
    click.echo(dump_json(document))
