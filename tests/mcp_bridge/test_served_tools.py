"""Names of served tools: a tool's own one where it is the only one."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from covel_host.mcp_bridge.served_tools import served_tools
from tests.support.hosts import opened
from tests.support.packages import write_package


def named(home: Path, packages: Mapping[str, Sequence[str]], *served: str) -> list[str]:
    for plugin_id, tools in packages.items():
        code = "".join(
            f"@tool(name={name!r})\nasync def tool_{index}() -> object:\n    '''Do it.'''\n"
            for index, name in enumerate(tools)
        )
        write_package(home / "plugins" / plugin_id, code=code, tools=tools)

    async def main() -> list[str]:
        async with opened(home) as host:
            return [tool.name for tool in served_tools(host.catalog, served or [*packages])]

    return asyncio.run(main())


def test_tools_keep_their_names_in_the_order_of_the_packages(tmp_path: Path) -> None:
    packages = {"notes": ["keep", "find"], "dice": ["roll"]}
    assert named(tmp_path, packages, "notes", "dice") == ["keep", "find", "roll"]


def test_equal_names_are_both_told_apart_by_their_packages(tmp_path: Path) -> None:
    packages = {"notes": ["find", "keep"], "maps": ["find"]}
    assert named(tmp_path, packages, "maps", "notes") == ["maps__find", "notes__find", "keep"]


def test_a_package_that_is_not_served_changes_no_name(tmp_path: Path) -> None:
    packages = {"notes": ["find"], "maps": ["find"]}
    assert named(tmp_path, packages, "notes") == ["find"]


def test_a_name_that_looks_joined_never_meets_a_joined_one(tmp_path: Path) -> None:
    packages = {"notes": ["find"], "maps": ["find", "notes__find"]}
    names = named(tmp_path, packages, "notes", "maps")
    assert names == ["notes__find", "maps__find", "maps__notes__find"]


def test_a_package_named_twice_is_served_once(tmp_path: Path) -> None:
    assert named(tmp_path, {"notes": ["find"]}, "notes", "notes") == ["find"]
