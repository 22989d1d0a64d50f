"""Transcripts cut to fit, quotes that were said, and passages without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.dialogue.transcripts import best_lines, cut, text_of
from vta.quotes import Line, find_quotes
from vta.tokens import estimate_tokens

LINES = (
    Line(text="A stack is last in, first out.", start=1.0, video="a.srt"),
    Line(text="What you push last, you pop first.", start=5.5, video="a.srt"),
    Line(text="队列是先进先出的。", start=9.0, video="a.srt"),
    Line(text="A printer serves its jobs from a queue.", start=12.0, video="a.srt"),
)


def test_a_chunk_holds_as_many_lines_as_fit() -> None:
    sizes = [estimate_tokens(text_of(lines)) for lines in (LINES[:2], LINES[2:], LINES)]
    chunks = cut(LINES, size=max(sizes[:2]))
    assert [len(chunk) for chunk in chunks] == [2, 2]
    assert len(cut(LINES, size=sizes[2])) == 1


def test_a_chunk_of_chinese_lines_fits_by_the_measured_count() -> None:
    lines = [Line(text="栈是一种后进先出的线性表。")] * 40
    chunks = cut(lines, size=100)
    assert [len(chunk) for chunk in chunks] == [4] * 10
    assert all(estimate_tokens(text_of(chunk)) <= 100 for chunk in chunks)


@given(
    st.lists(st.text(alphabet="ab 栈.1", max_size=60), max_size=12), st.integers(min_value=1, max_value=20)
)
def test_nothing_is_lost_and_no_chunk_is_too_large(texts: list[str], size: int) -> None:
    lines = [Line(text=text, start=float(n)) for n, text in enumerate(texts)]
    chunks = cut(lines, size=size)
    assert all(estimate_tokens(text_of(chunk)) <= size or len(text_of(chunk)) == 1 for chunk in chunks)
    said = "".join(text_of(chunk) for chunk in chunks)
    assert "".join(said.split()) == "".join("".join(texts).split())
    starts = [line.start for chunk in chunks for line in chunk]
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    ("claim", "start"),
    [
        ("last in, first out", 1.0),
        ("LAST IN FIRST OUT!", 1.0),
        ("you push last", 5.5),
        ("first out. What you push", 1.0),
        ("先进先出", 9.0),
        ("a stack is first in", None),
        ("pop", None),
        ("", None),
    ],
)
def test_a_quote_is_kept_with_its_second_only_where_it_was_said(claim: str, start: float | None) -> None:
    quotes = find_quotes([claim], LINES)
    assert [quote.start for quote in quotes] == ([] if start is None else [start])


def test_the_same_quote_is_given_once() -> None:
    (quote,) = find_quotes(["you pop first", "you pop  first."], LINES)
    assert (quote.text, quote.video) == ("you pop first", "a.srt")


@pytest.mark.parametrize(
    ("question", "starts"),
    [("Does a printer use a queue?", [12.0]), ("队列是后进先出吗？", [9.0]), ("zebra", [])],
)
def test_without_a_model_the_passages_that_share_rare_words_are_shown(
    question: str, starts: list[float]
) -> None:
    passages = best_lines(LINES, question)
    assert [passage.start for passage in passages][:1] == starts
