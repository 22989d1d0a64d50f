"""Small cohorts: hidden, and not to be worked out from what is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vta.analytics.report import partition

PEOPLE = st.lists(st.sampled_from([f"p{n}" for n in range(12)]), max_size=14)


@given(st.dictionaries(st.sampled_from("abcdef"), PEOPLE, max_size=6), st.integers(2, 6))
def test_no_shown_cell_and_no_remainder_rests_on_too_few(members, smallest):
    """Every shown cell is empty or large, and so is what is left when all shown are taken from the sum.

    That nobody at all was counted is no secret.
    """
    cells = partition(members, smallest)
    assert [cell.name for cell in cells] == list(members)
    for cell in cells:
        if not cell.hidden:
            assert cell.count == len(members[cell.name])
            assert cell.count == 0 or len(set(members[cell.name])) >= smallest
    hidden = [cell.name for cell in cells if cell.hidden]
    everyone = {person for persons in members.values() for person in persons}
    remainder = {person for name in hidden for person in members[name]}
    if not everyone:
        assert hidden == []
    elif len(everyone) < smallest:
        assert hidden == list(members)
    elif any(members[name] for name in hidden):
        assert len(remainder) >= smallest


def test_a_small_part_takes_the_next_smallest_with_it():
    """2 of 20 people could be worked out from the sum, so the next smallest part is hidden too."""
    members = {"a": ["x", "y"], "b": [f"b{n}" for n in range(6)], "c": [f"c{n}" for n in range(12)], "d": []}
    assert [(c.name, c.count) for c in partition(members)] == [("a", None), ("b", None), ("c", 12), ("d", 0)]
