"""What is found and counted quickly about names is what plain loops over the text find and count."""

from __future__ import annotations

from math import log, sqrt

import factories as make
from hypothesis import given, settings
from hypothesis import strategies as st

from concept_graph.prerequisites.occurrences import Occurrences, TokenText, find, forms, read, tokens
from concept_graph.prerequisites.signals import co_occurrence
from vta.types.pairs import QAPair, Source

NAMES = ("tree", "binary tree", "trees of nodes", "heap", "树", "二叉树", "节点", "图", "叉树")
PIECES = (*NAMES, "binary", "heaps", "图书馆", "是", "the", ".", "，", " ")

lines = st.lists(st.lists(st.sampled_from(PIECES), max_size=80).map(" ".join), min_size=1, max_size=6)
WORDS = ("binary", "tree", "heap")
sentences = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
longer_names = st.lists(st.sampled_from(WORDS), min_size=2, max_size=4).map(" ".join)


def passages(texts: list[str]) -> list[QAPair]:
    return [
        make.pair("", text, id=str(n), source=Source.MATERIAL, document=f"{n // 2}.srt")
        for n, text in enumerate(texts)
    ]


def spans(text: TokenText, each: Occurrences) -> list[tuple[int, int, int]]:
    """Passage, first token in it, and tokens of each occurrence."""
    starts = each.places - text.offsets[each.passages]
    return list(zip(each.passages.tolist(), starts.tolist(), each.lengths.tolist(), strict=True))


@given(lines)
def test_names_are_found_where_they_stand(texts: list[str]) -> None:
    """Occurrences are in reading order; an English name is found wherever its words follow one another."""
    text = read(passages(texts))
    for name, each in zip(NAMES, find(text, [forms(name) for name in NAMES]), strict=True):
        found = spans(text, each)
        assert found == sorted(found)
        if not name.isascii():
            assert all("".join(text.tokens[n][start : start + size]) == name for n, start, size in found)
            continue
        words = tuple(word.rstrip("s") for word in tokens(name))
        assert [(passage, start) for passage, start, _ in found] == [
            (passage, start)
            for passage, sequence in enumerate(text.tokens)
            for start in range(len(sequence))
            if tuple(word.rstrip("s") for word in sequence[start : start + len(words)]) == words
        ]


@settings(max_examples=5 * settings().max_examples)
@given(
    st.lists(sentences, min_size=1, max_size=4), st.lists(longer_names, min_size=1, max_size=8, unique=True)
)
def test_names_with_a_common_beginning_are_found_whole(texts: list[str], names: list[str]) -> None:
    """Each name is found over its own words, also at a passage's end, whatever else begins as it does."""
    text = read(passages(texts))
    found = find(text, [forms(name) for name in names])
    for name, each in zip(names, found, strict=True):
        words = tokens(name)
        assert spans(text, each) == [
            (passage, start, len(words))
            for passage, sequence in enumerate(text.tokens)
            for start in range(len(sequence))
            if sequence[start : start + len(words)] == words
        ]


@given(lines)
def test_co_occurrence_is_that_of_a_plain_table(texts: list[str]) -> None:
    """The signed root of the log likelihood ratio of each two names is that of their table of passages."""
    text = read(passages(texts))
    found = [each for each in find(text, [forms(name) for name in NAMES]) if len(each)]
    held = [set(each.passages.tolist()) for each in found]
    units = len(text.passages)
    for row, one in zip(co_occurrence(text, found), held, strict=True):
        for value, other in zip(row, held, strict=True):
            together, alone, beside = len(one & other), len(one - other), len(other - one)
            table = ((together, alone), (beside, units - together - alone - beside))
            ratio = 0.0
            for r, cells in enumerate(table):
                for c, cell in enumerate(cells):
                    expected = sum(table[r]) * (table[0][c] + table[1][c]) / units
                    ratio += 2 * cell * log(cell / expected) if cell else 0.0
            assert abs(abs(value) - sqrt(max(ratio, 0.0))) < 1e-4
            assert value * (together - len(one) * len(other) / units) >= 0
