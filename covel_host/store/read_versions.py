"""What a read rests on, told in a few numbers: which revisions wrote what was read.

A read set keeps these; comparing them with the current ones says whether the read still holds
(spec/transactions.md 5.1).
"""

from dataclasses import dataclass

from sqlalchemy import bindparam, func, select

from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import PLUGIN_DATA
from covel_host.store.transaction import Reading
from covel_host.store.values import parsed_object
from plugin_sdk.values import JsonObject

_AFTER = select(func.count(), func.coalesce(func.max(PLUGIN_DATA.c.version), 0)).where(
    *[PLUGIN_DATA.c[name] == bindparam(name) for name in ("session_id", "plugin_id", "namespace")],
    PLUGIN_DATA.c.key > bindparam("after"),
)
_RANGE_TO_END = Statement(_AFTER)
_RANGE = Statement(_AFTER.where(PLUGIN_DATA.c.key <= bindparam("through")))


@dataclass(frozen=True, slots=True)
class RevisedText:
    """The JSON text of a record, not parsed yet, and the revision that wrote it."""

    revision: int
    text: str

    def parsed(self) -> JsonObject:
        """The record, a fresh one each time."""
        return parsed_object(self.text)


@dataclass(frozen=True, slots=True)
class RangeVersion:
    """How many records a range of keys has, and the newest version among them (0 for none).

    Every commit that writes in the range changes one of the two: a record that is added or changed
    has that commit's revision, one that is removed is one less.
    """

    count: int
    newest: int


def data_range_version(
    reading: Reading,
    session_id: str,
    plugin_id: str,
    namespace: str,
    *,
    after: str = "",
    through: str | None = None,
) -> RangeVersion:
    """The version of the current records with keys after `after` up to `through` (None: the end).

    The rows are counted in the database and their values never read.
    """
    parameters: Parameters = {
        "session_id": session_id,
        "plugin_id": plugin_id,
        "namespace": namespace,
        "after": after,
    }
    if through is None:
        row = reading.row(_RANGE_TO_END, parameters)
    else:
        row = reading.row(_RANGE, {**parameters, "through": through})
    assert row is not None
    return RangeVersion(count=row[0], newest=row[1])
