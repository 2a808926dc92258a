"""`covel explain`."""

import click

from covel_host.cli.options import json_option


@click.command(
    "explain",
    epilog="A NAME is that of a diagnostic, or a reserved one: a tool of the framework, a hook or "
    "its event, an extension point, a UI slot, a prefix of the host. Nothing but the host is read.",
)
@click.argument("subject", metavar="CODE|NAME")
@json_option
def command(*, subject: str, as_json: bool) -> None:
    """Say what a diagnostic code or a reserved name means."""
    from covel_host.cli.output import write_json, write_text
    from covel_host.diagnostics import explain
    from covel_host.diagnostics.codes import code_info
    from covel_host.manifest.kernel_contracts import EXTENSION_POINTS, UI_SLOTS

    text = explain.explain(subject, extension_points=EXTENSION_POINTS, ui_slots=UI_SLOTS)
    if text is None:
        raise _unknown(
            subject,
            explain.suggestions(subject, extension_points=EXTENSION_POINTS, ui_slots=UI_SLOTS),
        )
    if not as_json:
        write_text(text)
        return
    info = code_info(subject)
    if info is None:
        write_json({"kind": "reserved-name", "text": text})
        return
    example = explain.EXAMPLES.get(info.name)
    write_json(
        {
            "kind": "diagnostic",
            "code": info.code,
            "name": info.name,
            "severity": info.severity,
            "blocksLoading": info.blocks_loading,
            "since": info.since,
            "documentation": info.documentation,
            "example": example and {"wrong": example.wrong, "right": example.right},
            "text": text,
        }
    )


def _unknown(subject: str, near: list[str]) -> click.UsageError:
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return click.UsageError(f"{subject!r} is neither a diagnostic nor a reserved name.{hint}")
