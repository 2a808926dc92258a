"""Leave to run a package's code: asked for at a terminal, else taken from trusted sources."""

import sys
from dataclasses import replace

import click

from covel_host.catalog.catalog import PackageState
from covel_host.catalog.sources import SourcesError, read_sources
from covel_host.catalog.trust import brings_code
from covel_host.cli.output import note, path_text, safe_text
from covel_host.settings import Settings

ASKED = "this terminal"
"""Where a grant comes from that a person gave when asked."""


def with_approval(state: PackageState, settings: Settings, *, may_ask: bool) -> Settings:
    """`settings` with a grant for the package as it is now, if a person gives one.

    Which source trusts a package that is not bundled is said in one line. Nothing is asked when the
    package has no code or cannot be loaded anyway; without a terminal nobody is asked.
    """
    if state.reading.blocks_loading or not brings_code(state.reading):
        return settings
    try:
        sources = read_sources(state.found.root)
    except SourcesError:
        return settings
    grant = settings.trust.grant(
        state.plugin_id,
        source=state.found.source,
        content_hash=sources.content_hash,
        root=state.found.root,
    )
    if grant is not None:
        if state.found.source != "builtin":
            note(f"Running the code of {state.plugin_id!r}, trusted by {grant.origin}.")
        return settings
    if not (may_ask and is_terminal()):
        return settings
    why = settings.trust.refusal(state.plugin_id, content_hash=sources.content_hash)
    if not _ask(state, why):
        return settings
    # What was asked about is what may run: an edit meanwhile needs another answer.
    trust = settings.trust.with_grant(
        state.plugin_id, content_hash=sources.content_hash, origin=ASKED
    )
    return replace(settings, trust=trust)


def is_terminal() -> bool:
    """Whether a person can be asked, and sees the question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _ask(state: PackageState, why: str) -> bool:
    note(f"The code of {state.plugin_id!r} needs your leave: {why}.")
    place = path_text(state.found.root)
    question = f"Run the code of {state.plugin_id!r} in {place}? It may do whatever you may."
    return click.confirm(safe_text(question), default=False, err=True)
