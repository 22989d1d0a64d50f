"""What is found and counted quickly about names is what plain loops over the text find and count."""

from __future__ import annotations

from array import array
from itertools import pairwise

import factories as make
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from concept_graph.prerequisites.counts import WINDOW, count
from concept_graph.prerequisites.discovery import Near, closest
from concept_graph.prerequisites.occurrences import Occurrence, Occurrences, find, forms, read, tokens
from vta.types.pairs import QAPair, Source

NAMES = ("tree", "binary tree", "trees of nodes", "heap", "树", "二叉树", "节点", "图", "叉树")
PIECES = (*NAMES, "binary", "heaps", "图书馆", "是", "the", ".", "，", " ")

lines = st.lists(st.lists(st.sampled_from(PIECES), max_size=80).map(" ".join), min_size=1, max_size=6)
WORDS = ("binary", "tree", "heap")
sentences = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
longer_names = st.lists(st.sampled_from(WORDS), min_size=2, max_size=4).map(" ".join)
mentions = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(1, 3)), max_size=12, unique=True
).map(sorted)


def passages(texts: list[str]) -> list[QAPair]:
    return [
        make.pair("", text, id=str(n), source=Source.MATERIAL, document=f"{n // 2}.srt")
        for n, text in enumerate(texts)
    ]


def columns(found: list[tuple[int, int, int]]) -> Occurrences:
    return Occurrences(array("i", [number for each in found for number in each]))


def pair_up(some: Occurrences, others: Occurrences, most: int) -> list[Near]:
    """Every mention with every other, passage by passage."""
    nearest: dict[int, Near] = {}
    for one in some:
        for other in others:
            first, last = (one, other) if one.start < other.start else (other, one)
            gap = last.start - first.start - first.length
            if one.passage == other.passage and gap >= 0:
                best = nearest.get(one.passage)
                if best is None or gap < best[0]:
                    nearest[one.passage] = gap, first, last
    return sorted(nearest.values(), key=lambda near: (near[0], near[1].passage))[:most]


@given(mentions, mentions, st.integers(1, 4))
def test_the_closest_mentions_are_those_of_all_pairs(
    some: list[tuple[int, int, int]], others: list[tuple[int, int, int]], most: int
) -> None:
    """Looking at the neighbours alone finds the same mentions as looking at every pair."""
    assert closest(columns(some), columns(others), most) == pair_up(columns(some), columns(others), most)


@given(lines)
def test_names_are_found_where_they_stand(texts: list[str]) -> None:
    """Occurrences are in reading order; an English name is found wherever its words follow one another."""
    text = read(passages(texts))
    for name, each in zip(NAMES, find(text, [forms(name) for name in NAMES]), strict=True):
        assert list(each) == sorted(each, key=lambda o: (o.passage, o.start))
        if not name.isascii():
            assert all("".join(text.tokens[o.passage][o.start : o.start + o.length]) == name for o in each)
            continue
        words = tuple(word.rstrip("s") for word in tokens(name))
        assert [(o.passage, o.start) for o in each] == [
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
        assert list(each) == [
            Occurrence(passage=passage, start=start, length=len(words))
            for passage, sequence in enumerate(text.tokens)
            for start in range(len(sequence))
            if sequence[start : start + len(words)] == words
        ]
    if any(found):
        count(text, [each for each in found if each])


@given(lines)
def test_counts_are_those_of_plain_loops(texts: list[str]) -> None:
    """Places, mentions before others, passages and windows in common are those of counting one by one."""
    text = read(passages(texts))
    found = [each for each in find(text, [forms(name) for name in NAMES]) if each]
    if not found:
        return
    counts = count(text, found)
    before = [sum(map(len, text.tokens[:n])) for n in range(len(text.tokens))]
    size = max(sum(map(len, text.tokens)), 1)
    firsts = [min(before[o.passage] + o.start for o in each) for each in found]
    for n, each in enumerate(found):
        places = np.array([before[o.passage] + o.start for o in each]) / size
        assert counts.first[n] == places.min()
        assert counts.centre[n] == np.median(places)
        assert counts.mentions[n] == len(each)
        for m, other in enumerate(found):
            assert counts.before[n, m] == sum(before[o.passage] + o.start < firsts[m] for o in each)
            shared = {o.passage for o in each} & {o.passage for o in other}
            windows = {_window(o) for o in each} & {_window(o) for o in other}
            assert counts.together_passages[n, m] == len(shared)
            assert counts.together_windows[n, m] == len(windows)
    assert counts.windows == sum(-(-len(each) // WINDOW) for each in text.tokens)
    assert all(a.passage <= b.passage for each in found for a, b in pairwise(each))


def _window(each: Occurrence) -> tuple[int, int]:
    return each.passage, each.start // WINDOW
