"""Writes the reference pages that come out of the code: `python scripts/generate_docs.py`.

A test compares them with what stands in `docs/`, so a page never says what the code does not.
"""

import importlib
from pathlib import Path

import click

from covel_host.cli import settings_reference
from covel_host.cli.app import COMMANDS
from covel_host.diagnostics.code_table import ALL_CODES
from covel_host.diagnostics.explain import EXAMPLES
from covel_host.hooks import reference as hooks_reference
from covel_host.manifest.field_reference import reference_page
from covel_host.manifest.served import (
    CODE_CONTRIBUTIONS,
    QUIET_CONTRIBUTIONS,
    QUIET_EXTENSION_POINTS,
    QUIET_HOOK_EVENTS,
)
from covel_host.proposals import reference as proposals_reference
from covel_host.runtime import context_reference
from covel_host.services import reference as extensions_reference
from covel_host.testing import reference as kit_reference
from covel_host.tools.builtin import reference as tools_reference
from covel_host.trace import reference as events_reference

DOCS = Path(__file__).parent.parent / "docs"
GENERATED = "<!-- Written by scripts/generate_docs.py; do not edit. -->"


def diagnostics_page() -> str:
    """Every diagnostic code."""
    lines = [
        "# Diagnostics",
        "",
        GENERATED,
        "",
        "Every problem of a package has a stable code and name. `blocks loading` says whether the",
        "package is loaded all the same; the severity alone does not.",
    ]
    for info in sorted(ALL_CODES, key=lambda info: info.code):
        blocks = "blocks loading" if info.blocks_loading else "does not block loading"
        lines += [
            "",
            f"## {info.code} {info.name}",
            "",
            f"{info.severity}, {blocks}, since {info.since}",
            "",
            info.documentation,
            *_example(info.name),
        ]
    return "\n".join(lines) + "\n"


def _example(name: str) -> list[str]:
    example = EXAMPLES.get(name)
    if example is None:
        return []
    wrong, right = (text.rstrip("\n") for text in (example.wrong, example.right))
    return ["", "Wrong:", "", "```yaml", wrong, "```", "", "Right:", "", "```yaml", right, "```"]


def manifest_page() -> str:
    """Every field of both manifests."""
    return reference_page(GENERATED)


def proposals_page() -> str:
    """Every proposal type."""
    return proposals_reference.reference_page(GENERATED)


def hooks_page() -> str:
    """Every life-cycle hook."""
    return hooks_reference.reference_page(GENERATED)


def extensions_page() -> str:
    """Every extension point."""
    return extensions_reference.reference_page(GENERATED)


def events_page() -> str:
    """Every event."""
    return events_reference.reference_page(GENERATED)


def contexts_page() -> str:
    """Every context and what it holds."""
    return context_reference.reference_page(GENERATED)


def variables_page() -> str:
    """Every variable of the environment."""
    return settings_reference.reference_page(GENERATED)


def test_kit_page() -> str:
    """Everything of the author's kit."""
    return kit_reference.reference_page(GENERATED)


def builtin_tools_page() -> str:
    """Every builtin tool."""
    return tools_reference.reference_page(GENERATED)


def served_page() -> str:
    """What of the format this version runs."""
    camel = {"world_projections": "worldProjections"}
    lines = [
        "# What is served",
        "",
        GENERATED,
        "",
        "This version reads and checks the whole manifest format. What it does not run yet is said",
        "when a package is loaded or run; nothing is accepted in silence.",
        "",
        "## Contributions that keep a package from being loaded (`not-supported-yet`)",
        "",
        *(f"- `contributes.{name}`: {what}" for name, what in CODE_CONTRIBUTIONS.items()),
        "",
        "## Declarations that nothing uses yet (`not-served-yet`)",
        "",
        *(
            f"- `contributes.{camel.get(name, name)}`: {what}"
            for name, what in QUIET_CONTRIBUTIONS.items()
        ),
        *(f"- `contributes.hooks`: `{name}`, {what}" for name, what in QUIET_HOOK_EVENTS.items()),
        *(
            f"- `contributes.extensions`: `{name}`, {what}"
            for name, what in QUIET_EXTENSION_POINTS.items()
        ),
        "",
        "## Builtin tools",
        "",
        "All: [Builtin tools](builtin-tools.md).",
        "",
        "## Proposal types",
        "",
        "All: [Proposals](proposals.md).",
    ]
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """The help of every command."""
    lines = [
        "# Commands",
        "",
        GENERATED,
        "",
        "Exit codes: 0 all well, 1 findings or a failed run, 2 wrong usage, 3 an internal error.",
        "With `--json` a command prints one JSON document on standard output, an error as",
        '`{"error": {"code", "message", "hint"}}`.',
    ]
    for name in sorted(COMMANDS):
        module = importlib.import_module(f"covel_host.cli.{name.replace('-', '_')}")
        lines += _command_help(module.command, f"covel {name}")
    return "\n".join(lines) + "\n"


def _command_help(command: click.Command, name: str) -> list[str]:
    # A command keeps the help option it showed first, so this is the one of the program.
    context = click.Context(
        command,
        info_name=name,
        max_content_width=100,
        terminal_width=100,
        color=False,
        help_option_names=["-h", "--help"],
    )
    lines = ["", f"## {name}", "", "```text", command.get_help(context), "```"]
    if isinstance(command, click.Group):
        for inner in sorted(command.commands):
            lines += _command_help(command.commands[inner], f"{name} {inner}")
    return lines


PAGES = {
    "builtin-tools.md": builtin_tools_page,
    "cli.md": commands_page,
    "contexts.md": contexts_page,
    "diagnostics.md": diagnostics_page,
    "events.md": events_page,
    "test-kit.md": test_kit_page,
    "extensions.md": extensions_page,
    "hooks.md": hooks_page,
    "manifest.md": manifest_page,
    "proposals.md": proposals_page,
    "served.md": served_page,
    "variables.md": variables_page,
}


def main() -> None:
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
