"""All plugin data of a session that may be shown to people, package by package."""

from collections.abc import Iterator

from sqlalchemy import BindParameter, bindparam, literal_column, select, tuple_

from covel_host.store.limits import MAX_LIMIT
from covel_host.store.plugin_data import data_record
from covel_host.store.records import PluginDataRecord
from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import PLUGIN_DATA
from covel_host.store.transaction import Reading

_PLACE = ("plugin_id", "namespace", "key")
_COLUMNS = [PLUGIN_DATA.c[name] for name in _PLACE]
_AFTER: list[BindParameter[str]] = [bindparam(f"after_{name}") for name in _PLACE]
_PAGE = Statement(
    select(PLUGIN_DATA)
    .where(
        PLUGIN_DATA.c.session_id == bindparam("session_id"),
        tuple_(*_COLUMNS) > tuple_(*_AFTER),
        # Rows of the host begin with an underscore, and so do reserved and hidden namespaces.
        PLUGIN_DATA.c.plugin_id.not_like(literal_column(r"'\_%' ESCAPE '\'")),
        PLUGIN_DATA.c.namespace.not_like(literal_column(r"'\_%' ESCAPE '\'")),
    )
    .order_by(*_COLUMNS)
    .limit(bindparam("limit"))
)


def every_shown_record(reading: Reading, session_id: str) -> Iterator[PluginDataRecord]:
    """The current records by package, namespace and key, read page by page.

    Left out are rows of the host, hidden namespaces and those the host keeps for a package
    (spec/storage.md 3, spec/protocol.md 6.2).
    """
    after = dict.fromkeys((f"after_{name}" for name in _PLACE), "")
    while True:
        page: Parameters = {**after, "session_id": session_id, "limit": MAX_LIMIT}
        rows = reading.rows(_PAGE, page)
        for row in rows:
            yield data_record(row)
        if len(rows) < MAX_LIMIT:
            return
        after = {f"after_{name}": rows[-1][place] for place, name in enumerate(_PLACE, 1)}
