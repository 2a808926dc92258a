"""The operators' page of variables, and the table that it is made of."""

from dataclasses import dataclass
from typing import Final

from covel_host.cli.log_levels import LEVELS
from covel_host.settings import DEFAULT_SUSPENSION_TTL, MIN_WINDOW_TOKENS


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of the environment that the host reads."""

    name: str
    values: str
    meaning: str
    default: str


VARIABLES: Final = (
    Variable("COVEL_HOME", "folder", "the home folder", "`~/.covel`"),
    Variable("COVEL_PLUGINS_DIR", "folder", "bundled packages", "the host's own"),
    Variable("COVEL_USER_PLUGINS_DIR", "folder", "your packages", "`plugins` in the home"),
    Variable("COVEL_TRUST", "IDs, separated by commas or blanks", "trusted packages", "none"),
    Variable(
        "COVEL_TOOL_RULES",
        "rules, separated by commas, such as `deny render-ui`",
        "rules for tools, before those of `settings.toml`",
        "none",
    ),
    Variable(
        "COVEL_LOCALE",
        "language, such as `zh`",
        "content language of new sessions; `--locale` goes before it",
        "`en`",
    ),
    Variable(
        "COVEL_INSTRUCTION_LOCALE",
        "`en` or `zh`",
        "language of prompts and notices, whatever the session's; other values count as none",
        "by session",
    ),
    Variable("COVEL_RANDOM_SEED", "whole number", "makes `ctx.random` repeatable", "a fresh seed"),
    Variable(
        "COVEL_COMPACTOR_CONTEXT_WINDOW",
        f"tokens, at least {MIN_WINDOW_TOKENS}",
        "lowers the context window of every model, for trimming and for compacting histories; "
        "never raises it",
        "the model's own",
    ),
    Variable(
        "COVEL_SUSPENSION_TTL_MS",
        "milliseconds, 0 for never",
        "after which a run that waits for an answer is given up",
        f"{DEFAULT_SUSPENSION_TTL.total_seconds() * 1000:.0f} ({DEFAULT_SUSPENSION_TTL.days} days)",
    ),
    Variable(
        "COVEL_AUTO_SNAPSHOT_RETENTION",
        "whole number of at least 1",
        "automatic snapshots kept per session",
        "20",
    ),
    Variable(
        "COVEL_LOG",
        ", ".join(f"`{level}`" for level in LEVELS) + ", in any case",
        "log level; also of single loggers, such as "
        "`warning,covel_host.turn=debug,covel.packages.my-plugin=debug`",
        "`INFO`",
    ),
    Variable("COVEL_LLM_TOML", "file", "model slots", "`llm.toml` in the home"),
    Variable("COVEL_LLM_PROVIDER", "text", "`provider` of the slot `default`", "none"),
    Variable("COVEL_LLM_MODEL", "text", "`model` of the slot `default`", "none"),
    Variable("COVEL_LLM_BASE_URL", "URL", "`baseUrl` of the slot `default`", "none"),
    Variable(
        "COVEL_LLM_MAX_CONCURRENT", "whole number, 0 for no limit", "model requests at once", "16"
    ),
    Variable("COVEL_LLM_RETRY_DISABLED", "`1` or `0`", "failed requests are not sent again", "`0`"),
)
"""Every variable of the host's own, in the order of the page."""

_OTHERS: Final = (
    Variable(
        "VECTOR_BACKEND", "`none`", "memory is searched by words alone", "meanings are searched too"
    ),
    Variable("<PROVIDER>_API_KEY", "text", "a provider's key, such as `OPENAI_API_KEY`", "none"),
    Variable("NO_COLOR", "any text", "no colours", "colours at a terminal"),
    Variable("FORCE_COLOR", "any text", "colours without a terminal, unless `NO_COLOR`", "none"),
)

_HEAD: Final = """\
# Variables

{generated}

What the host reads of the environment, once per call. What the command line says goes before it,
and it goes before [`settings.toml`](settings.md). A value that cannot be used ends the command with
`invalid-setting` (the file of model slots with `config-error`); an empty one counts as none.

| Variable | Values | Meaning | Default |
| --- | --- | --- | --- |
"""


def reference_page(generated: str) -> str:
    """`docs/variables.md`; `generated` is the line that says so."""
    rows = [
        f"| `{one.name}` | {one.values} | {one.meaning} | {one.default} |"
        for one in (*VARIABLES, *_OTHERS)
    ]
    return _HEAD.format(generated=generated) + "\n".join(rows) + "\n"
