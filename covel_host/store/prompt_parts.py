"""Parts of traced prompts, each kept once in a session under a name made of what it holds."""

import json
from collections.abc import Collection, Mapping

from sqlalchemy import bindparam, func, select
from sqlalchemy.dialects.sqlite import insert

from covel_host.store.statements import Statement
from covel_host.store.tables import PROMPT_PARTS
from covel_host.store.transaction import Reading, Transaction

_KEEP = Statement(insert(PROMPT_PARTS).on_conflict_do_nothing())
_NAMES = func.json_each(bindparam("part_ids")).table_valued("value", name="wanted")
_READ = Statement(
    select(PROMPT_PARTS.c.part_id, PROMPT_PARTS.c.content).where(
        PROMPT_PARTS.c.session_id == bindparam("session_id"),
        PROMPT_PARTS.c.part_id.in_(select(_NAMES.c.value)),
    )
)


def keep_prompt_parts(transaction: Transaction, session_id: str, parts: Mapping[str, str]) -> None:
    """Keep parts by name; those that are there already stay as they are.

    Raises:
        RowConflictError: the session does not exist.
    """
    transaction.run_many(
        _KEEP,
        [
            {"session_id": session_id, "part_id": part_id, "content": content}
            for part_id, content in parts.items()
        ],
    )


def read_prompt_parts(
    reading: Reading, session_id: str, part_ids: Collection[str]
) -> dict[str, str]:
    """The texts of those parts that are kept, by name."""
    wanted = json.dumps(sorted(set(part_ids)))
    rows = reading.rows(_READ, {"session_id": session_id, "part_ids": wanted})
    return {row[0]: row[1] for row in rows}
