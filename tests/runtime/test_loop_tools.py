"""One table says which tools steer the loop; the rules of other rooms agree with it."""

from covel_host.runtime.loop_tools import LOOP_TOOLS
from covel_host.tools.pools import SERIAL_TOOLS


def test_the_tools_of_the_table_are_exactly_the_barriers() -> None:
    assert set(LOOP_TOOLS) == SERIAL_TOOLS


def test_only_delegating_is_work_of_its_own() -> None:
    assert [name for name, row in LOOP_TOOLS.items() if row.is_work] == ["delegate"]
