import pytest

from plugin_sdk import ToolError

STOCK = {"herbs": {"mint": {"left": 2}, "rue": {"left": 0}}}


def test_only_what_is_left_is_listed(covel):
    found = covel.call_service("example.herbs@1", {"prefix": ""}, data=STOCK)
    assert [(herb.name, herb.left) for herb in found] == [("mint", 2)]
    assert covel.call_service("example.herbs@1", {"prefix": "r"}, data=STOCK) == []


def test_nobody_takes_more_than_is_left(covel):
    assert covel.call_service("take-herb", {"name": "mint", "count": 2}, data=STOCK).left == 0
    with pytest.raises(ToolError, match="Only 2"):
        covel.call_service("take-herb", {"name": "mint", "count": 3}, data=STOCK)
