"""Which turns a character was played in by a sub-agent, as the results of the turns tell it."""

from sqlalchemy import bindparam, func, literal_column, select

from covel_host.store.statements import Statement
from covel_host.store.tables import TURNS
from covel_host.store.transaction import Reading

_RESULT = func.json_each(TURNS.c.results).table_valued("value")
_PLAYED = Statement(
    select(TURNS.c.turn_id)
    .distinct()
    .select_from(TURNS.join(_RESULT, literal_column("1") == 1))
    .where(
        TURNS.c.session_id == bindparam("session_id"),
        TURNS.c.revision <= bindparam("revision"),
        # Few turns have such a result, and reading all as JSON would take a thousand times longer.
        func.instr(TURNS.c.results, bindparam("written")) > 0,
        func.json_extract(_RESULT.c.value, "$.characterId") == bindparam("character_id"),
        func.json_extract(_RESULT.c.value, "$.status") == "success",
    )
)


def turns_delegated_to(
    reading: Reading, session_id: str, character_id: str, *, at_revision: int
) -> frozenset[str]:
    """The committed turns, up to that revision, in which a sub-agent played the character."""
    rows = reading.rows(
        _PLAYED,
        {
            "session_id": session_id,
            "revision": at_revision,
            "written": '"characterId"',
            "character_id": character_id,
        },
    )
    return frozenset(str(row[0]) for row in rows)
