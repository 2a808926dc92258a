"""Writing results by name leaves those of the other benchmarks as they are."""

from benchmarks.__main__ import RESULTS, replaced


def test_sections_are_replaced_by_their_titles() -> None:
    text = "# Results\n\nHead.\n\n## One\n\n1\n\n## Two\n\n2\n"
    assert replaced(text, ["## One\n\nI\n", "## Three\n\n3"]) == (
        "# Results\n\nHead.\n\n## One\n\nI\n\n## Two\n\n2\n\n## Three\n\n3\n"
    )


def test_the_results_that_stand_there_are_left_alone() -> None:
    text = RESULTS.read_text(encoding="utf-8")
    assert replaced(text, []) == text
