"""An excerpt of a passage is one piece of it that can stand alone: whole sentences and units in a row."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.markdown import escape_markdown
from vta.dialogue.teaching.excerpts import complete, read_pieces, show_pieces, window
from vta.units import UnitKind

CODE = "```python\nx = [1]\n```"
FORMULA = "$$a = b$$"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"
LIST = "- one\n- two"


def excerpt(passage: str, place: int) -> str:
    pieces = read_pieces(passage)
    return show_pieces(pieces, complete(pieces, place), " [1]")


def around(passage: str, best: int, width: int) -> str:
    pieces = read_pieces(passage)
    return show_pieces(pieces, window(pieces, best, width), "")


def test_a_passage_is_read_as_sentences_and_units_in_order() -> None:
    pieces = read_pieces(f"One. Two:\n\n{CODE}\n\n{FORMULA}\n\n{TABLE}\n\n{LIST}\n\nEnd.")
    assert [piece.kind for piece in pieces] == [
        UnitKind.SENTENCE,
        UnitKind.SENTENCE,
        UnitKind.CODE,
        UnitKind.FORMULA,
        UnitKind.TABLE,
        UnitKind.LIST,
        UnitKind.SENTENCE,
    ]


@pytest.mark.parametrize("unit", [CODE, FORMULA, TABLE, LIST])
def test_a_sentence_that_ends_at_a_colon_brings_the_unit_behind_it(unit: str) -> None:
    assert excerpt(f"Other. It reads:\n\n{unit}\n\nEnd.", 1) == f"Other. It reads: [1]\n\n{unit}"


@pytest.mark.parametrize("unit", [CODE, FORMULA, TABLE, LIST])
def test_a_unit_brings_the_sentence_that_introduces_it(unit: str) -> None:
    assert excerpt(f"Other. The stack is this.\n\n{unit}\n\nEnd.", 2) == f"The stack is this. [1]\n\n{unit}"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("A heap is a tree.", "It keeps the largest on top."),
        ("A heap is a tree.", "However, no order holds between siblings."),
        ("堆是一棵完全二叉树。", "它的根最大。"),
        ("快速排序平均很快。", "但最坏情况是平方级。"),
        ("选一个基准。", "然后把小的放左边。"),
    ],
)
def test_a_sentence_that_leans_on_the_one_before_is_not_quoted_without_it(first: str, second: str) -> None:
    gap = " " if first.isascii() else ""
    assert excerpt(f"Start. {first} {second}", 2) == f"{first}{gap}{second} [1]"


def test_a_chain_of_pronouns_reaches_back_to_what_they_stand_for() -> None:
    assert excerpt("Zero. One is odd. It is two. It is three. It is four.", 4) == (
        "One is odd. It is two. It is three. It is four. [1]"
    )


@pytest.mark.parametrize("sentence", ["So we push it down the tree again. ", "因此它的高度是对数。"])
def test_sentences_that_all_lean_back_do_not_bring_the_whole_passage(sentence: str) -> None:
    pieces = read_pieces("A heap is a tree. " + sentence * 60)
    assert 300 < sum(pieces[n].width for n in complete(pieces, 60)) <= 500


@pytest.mark.parametrize("lead", ["If $a$ is even then,", "The density is", "密度可以写成"])
@pytest.mark.parametrize("unit", [CODE, FORMULA, LIST])
def test_a_sentence_without_an_end_brings_the_unit_that_ends_it(lead: str, unit: str) -> None:
    assert excerpt(f"Other.\n\n{lead}\n\n{unit}\n\nEnd.", 1) == f"{lead} [1]\n\n{unit}"


@pytest.mark.parametrize("end", ["End.", "An end", "(An end.)"])
def test_a_sentence_brings_no_other_unit(end: str) -> None:
    """One that ends, and one without an end that a sentence follows, as in subtitles."""
    assert excerpt(f"{end}\n\nOther.\n\n{LIST}", 0) == f"{escape_markdown(end)} [1]"
    assert excerpt(f"An end.\n\n{LIST}", 0) == "An end. [1]"


def test_a_unit_brings_the_list_that_it_stands_in() -> None:
    steps = "1. Start at a node\n1. Move to one that solves"
    passage = f"The path is found so.\n\n{steps}\n\n{FORMULA}\n\nwhere $b$ is a node.\n\nEnd."
    assert excerpt(passage, 3) == passage.removesuffix("\n\nEnd.") + " [1]"


def test_an_excerpt_does_not_grow_to_an_introduction_without_what_it_introduces() -> None:
    passage = f"Ants dig. It reads:\n\n{CODE}\n\nBees buzz."
    assert around(passage, 0, 25) == "Ants dig."
    assert around(passage, 0, 45) == f"Ants dig. It reads:\n\n{CODE}"
    assert around("Ants dig. There are two kinds:", 0, 80) == "Ants dig."


def test_an_excerpt_does_not_grow_to_begin_with_an_announcement() -> None:
    assert around("We'll see ants. Ants dig.", 1, 80) == "Ants dig."
    assert around("We'll see ants. Ants dig.", 0, 80) == "We'll see ants. Ants dig."


def test_an_excerpt_grows_by_what_follows_twice_as_often_as_by_what_comes_before() -> None:
    passage = "Ants dig. Bees buzz. Cats purr. Dogs bark. Eels swim. Frogs hop. Gnats bite."
    assert around(passage, 3, 0) == "Dogs bark."
    assert around(passage, 3, 20) == "Dogs bark. Eels swim."
    assert around(passage, 3, 40) == "Cats purr. Dogs bark. Eels swim. Frogs hop."


def test_an_excerpt_has_what_its_best_piece_cannot_stand_without_even_beyond_its_width() -> None:
    passage = f"Heaps grow. A stack has a top. It reads:\n\n{CODE}\n\nStacks stay."
    assert around(passage, 3, 0) == f"A stack has a top. It reads:\n\n{CODE}"


SENTENCES = st.lists(
    st.sampled_from(
        (
            "Heaps grow.",
            "It is fast.",
            "So it reads:",
            "栈是后进先出的线性表。",
            "它很快。",
            CODE,
            FORMULA,
            TABLE,
        )
    ),
    min_size=1,
    max_size=12,
)


@given(blocks=SENTENCES, seed=st.randoms(use_true_random=False), width=st.integers(0, 200))
def test_an_excerpt_holds_the_best_piece_and_no_more_than_its_width_beside_what_that_needs(
    blocks: list[str], seed: random.Random, width: int
) -> None:
    pieces = read_pieces("\n\n".join(blocks))
    best = seed.randrange(len(pieces))
    places = window(pieces, best, width)
    needed = complete(pieces, best)
    assert {*needed} <= {*places} <= set(range(len(pieces)))

    def columns_of(wanted: range) -> int:
        return sum(pieces[place].width for place in wanted)

    assert columns_of(places) <= max(width, columns_of(needed))
    if places.start:
        assert columns_of(range(complete(pieces, places.start - 1).start, places.stop)) > width
    if places.stop < len(pieces):
        longer = range(places.start, complete(pieces, places.stop).stop)
        assert columns_of(longer) > width or pieces[longer[-1]].text.endswith(":")


def test_an_excerpt_begins_with_no_output_and_no_pronoun() -> None:
    """Before what answers comes only what can stand: code with its sentence, output with its code."""
    passage = f"Print it:\n\n{CODE}\n\n```\n[1]\n```\n\nA heap is a tree."
    assert around(passage, 3, 40) == "A heap is a tree."
    assert around(passage, 2, 0) == passage.removesuffix("\n\nA heap is a tree.")
    assert around("A tree grows in the sun. It is tall. Ants dig.", 2, 20) == "Ants dig."


def test_code_is_shown_without_the_indentation_of_all_its_lines() -> None:
    assert excerpt("```python\n    x = [1]\n```", 0) == f"{CODE}\n\n[1]"


def test_paragraphs_stay_paragraphs() -> None:
    assert around("Heaps grow.\n\nTrees shrink.", 0, 80) == "Heaps grow.\n\nTrees shrink."


def test_a_unit_alone_has_its_mark_in_a_line_of_its_own() -> None:
    assert excerpt(CODE, 0) == f"{CODE}\n\n[1]"


def test_a_unit_that_cannot_be_shown_safely_is_no_piece() -> None:
    assert [piece.text for piece in read_pieces("One.\n\n$$<img src=x>$$\n\nTwo.")] == ["One.", "Two."]
