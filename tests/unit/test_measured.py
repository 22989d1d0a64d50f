"""docs/measured.md and docs/runs/README.md are what the records say."""

import measured
import pytest


def test_the_pages_are_what_the_records_say():
    """Run benchmarks/measured.py where this fails."""
    for page, text in measured.pages().items():
        assert page.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(("value", "is_met"), [(0.9, True), (0.89, False)])
def test_a_goal_is_met_or_missed_by_the_figure(value, is_met):
    """At least 0.9: met by it, missed by less."""
    row = measured._row(
        {"what": "w", "record": "r", "at": ["a", {"k": 1}, "v"], "show": "share", "least": 0.9},
        {"r": {"a": [{"k": 0, "v": 1.0}, {"k": 1, "v": [value, 0.8, 1.0]}]}},
    )
    goal = "met" if is_met else "**missed**"
    assert row == f"| w | {value:.3f} [0.800, 1.000] |  |  | at least 0.9: {goal} | [r](runs/r.json) |"


def test_a_figure_whose_record_lacks_it_is_named():
    """Not left out in silence."""
    with pytest.raises(ValueError, match=r"'w': not in r\.json"):
        measured._row({"what": "w", "record": "r", "at": ["b"], "show": "share"}, {"r": {}})
