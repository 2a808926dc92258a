import pytest

from covel_host.models.messages import CostEstimate, Usage
from covel_host.models.pricing import estimated_cost

PRICES = {"input": 2.0, "output": 8.0, "cacheRead": 0.2, "cacheWrite": 2.5, "currency": "EUR"}


def test_every_part_of_the_input_has_its_own_price() -> None:
    usage = Usage(1_000_000, 500_000, cached_input_tokens=400_000, cache_write_input_tokens=100_000)

    # 500,000 plain, 400,000 cached, 100,000 written, 500,000 out
    expected = 1.0 + 0.08 + 0.25 + 4.0
    assert estimated_cost(usage, PRICES) == CostEstimate(pytest.approx(expected), "EUR", True)


def test_what_has_no_price_stays_without_one() -> None:
    prices = {"input": 2.0, "output": 8.0, "cacheRead": None, "cacheWrite": None, "currency": "USD"}
    cost = estimated_cost(Usage(1_000, 0, cached_input_tokens=600), prices)

    assert cost == CostEstimate(pytest.approx(0.0008), "USD", False)


@pytest.mark.parametrize("usage", [Usage(), Usage(5, 5)])
def test_without_prices_or_tokens_there_is_no_estimate(usage: Usage) -> None:
    assert estimated_cost(usage, {"currency": "USD"}) is None


def test_a_price_of_nothing_is_a_price() -> None:
    assert estimated_cost(Usage(9, 9), {"input": 0, "output": 0}) == CostEstimate(0.0, "USD", True)
