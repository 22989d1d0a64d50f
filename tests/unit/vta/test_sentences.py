"""Where the sentences of an answer end."""

from __future__ import annotations

import pytest

from vta.sentences import sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("A stack grows. It shrinks.", ["A stack grows.", "It shrinks."]),
        ("She won the U.S. Open. [1] Then she rested.", ["She won the U.S. Open. [1]", "Then she rested."]),
        ("Ranked No. 1 since 1975. [2]", ["Ranked No. 1 since 1975. [2]"]),
        ("No. A queue is first in, first out.", ["No.", "A queue is first in, first out."]),
        ("Use a list, e.g. [3, 5]. See Fig. 2.", ["Use a list, e.g. [3, 5].", "See Fig. 2."]),
        ("Donald E. Knuth wrote it. He typeset it.", ["Donald E. Knuth wrote it.", "He typeset it."]),
        ("Turn to Matrix A. The rest follows.", ["Turn to Matrix A.", "The rest follows."]),
        ("Multiply it by A. The result is B.", ["Multiply it by A.", "The result is B."]),
        ("It is used in the U.S.\nIt is old.", ["It is used in the U.S.", "It is old."]),
        ("栈后进先出。队列先进先出。", ["栈后进先出。", "队列先进先出。"]),
    ],
)
def test_a_sentence_ends_with_its_mark_and_not_with_an_abbreviation(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences
