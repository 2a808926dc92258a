"""`covel schema`."""

import click


@click.command(
    "schema",
    epilog="It is of draft 2020-12 and says what a schema can say of the frontmatter: fields, "
    "types, closed sets, forms of texts. Rules across fields and files are those of `covel "
    "validate-plugin`.",
)
@click.argument("manifest", type=click.Choice(["plugin", "runtime"]))
@click.option("--json", "on_one_line", is_flag=True, help="Print it on one line.")
def command(*, manifest: str, on_one_line: bool) -> None:
    """Print the JSON Schema of a manifest, for editors."""
    import json

    from covel_host.manifest.editor_schema import plugin_schema, runtime_schema

    schema = plugin_schema() if manifest == "plugin" else runtime_schema()
    click.echo(json.dumps(schema, indent=None if on_one_line else 2, ensure_ascii=False))
