"""Plain texts that are read in this process are too small to hurt it, whatever is in them."""

from __future__ import annotations

import io
from contextlib import suppress

import pytest
from processor_time import cheapest

from services.reading.bounded_readers import LARGEST_PLAIN, PLAIN_KINDS
from services.reading.readers import build_readers
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.courses import Course, CourseId

COURSE = Course(id=CourseId("ds"), name="DS", domains=("algorithms",), language=Language.EN)
MOST_S = 3.0
"""Of processor time; 0.4 on the machine that it was measured on."""
MOST_CHARACTERS = 2_000_000
SRT = "1\n00:00:00,000 --> 00:00:01,000\n"

BLOCKS = (">", "> ", "- ", "> - ", "<!-- a ", "[a]: b\n", "# a\n", "# ab\nx\n", "a\n=\n")
SPANS = ("[", "[a](", "![[]()", "*a **a ", "_a__", "`a``", "<a ", "<", "&amp", "\\")
NASTY = [
    *[("a.md", "", unit) for unit in BLOCKS],
    *[("a.md", "# ", unit) for unit in SPANS],
    ("a.md", "|a|b|\n|-|-|\n", "|a|b|\n"),
    ("a.md", "# " + "word " * 1600 + "\n\n", "## a\n\nb\n\n"),
    ("a.md", "# a\n\n", "a is a "),
    ("a.md", "# 栈\n\n", "栈，又称"),
    ("a.txt", "", "\n \t"),
    ("a.txt", "", "（"),
    ("a.vtt", "00:00.000 --> 00:01.000\n", "<v "),
    ("a.srt", SRT, "<font "),
    ("a.srt", SRT, "{\\pos("),
    ("a.srt", "", SRT + "a b\n\n"),
    ("a.csv", "question,answer", ","),
    ("a.csv", "question,answer\n", '"'),
    ("a.csv", "question,answer,similar_questions\na,b,", "c|"),
    ("a.jsonl", '{"question": ', "["),
    ("a.jsonl", '{"question": ', "1"),
    ("concepts.json", '{"concepts": [', '{"name": "a"},'),
]


@pytest.mark.parametrize(("path", "start", "unit"), NASTY)
def test_a_small_file_costs_little(path: str, start: str, unit: str) -> None:
    """What takes time that grows with the square, or repeats its heading, stays bounded at this size."""
    text = start + unit * (LARGEST_PLAIN // len(unit.encode()))
    data = text.encode()[:LARGEST_PLAIN].decode(errors="ignore").encode()
    assert path[path.rindex(".") :] in PLAIN_KINDS
    reader = next(each for each in build_readers() if each.handles(path))
    sizes = []

    def read() -> None:
        with suppress(InvalidInput):
            pairs = reader.read(io.BytesIO(data), path=path, course=COURSE).pairs
            sizes.append(sum(len(pair.question) + len(pair.answer) for pair in pairs))

    assert cheapest(read, enough=MOST_S) < MOST_S
    assert all(size < MOST_CHARACTERS for size in sizes)
