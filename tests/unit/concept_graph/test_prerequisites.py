"""Prerequisites from texts alone, on small courses in which the direction is plain."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

import factories as make
import networkx as nx
import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from concept_graph.defining import DefiningSentences
from concept_graph.names import concept_id, surfaces
from concept_graph.prerequisites import discover
from concept_graph.prerequisites.discovery import (
    LEAST_PASSAGES,
    Candidates,
    choose_edges,
    find_candidates,
    find_taught,
    read_formulas,
)
from concept_graph.prerequisites.occurrences import contained, find, forms, read, tokens
from concept_graph.prerequisites.pairs import locate
from concept_graph.prerequisites.pairs import score_pairs as score_with
from concept_graph.prerequisites.quotations import MAX_LINE, Quotations
from concept_graph.prerequisites.signals import teaching_order
from knowledge.vectors.token_table import shipped_encoder
from vta.types.concepts import Concept
from vta.types.courses import CourseId
from vta.types.pairs import Locator, QAPair, Source

COURSE = CourseId("c")
ENGLISH = {
    "01-tree.md": (
        "A tree is a set of nodes joined by edges. Every tree has a root. A node of a tree has children.",
        "We draw a tree with the root on top. The children of a node are trees again.",
    ),
    "02-binary-tree.md": (
        "A binary tree is a tree in which a node has at most two children, left and right.",
        "Binary trees are stored in arrays. A binary tree with n nodes has n - 1 edges, like every tree.",
    ),
    "10-heap.md": (
        "A heap is a binary tree in which no node is larger than its children.",
        "The root of the heap, a binary tree, is the smallest. The heap serves as a priority queue.",
    ),
}
CHINESE = {
    "01-树.md": ("树是由节点和边组成的结构。树有一个根节点。", "节点可以有子节点，树的子节点又是树。"),
    "02-二叉树.md": ("二叉树是每个节点最多有两个子节点的树。", "二叉树可以存放在数组里，二叉树也是树。"),
    "03-堆.md": ("堆是一种二叉树，父节点不大于子节点。", "堆的根最小，所以堆用来实现优先队列，堆是二叉树。"),
}


def score_pairs(passages: Sequence[QAPair], pairs: Sequence[tuple[str, str]]) -> tuple[float | None, ...]:
    return score_with(passages, pairs, encoder=shipped_encoder())


def read_course(documents: Mapping[str, tuple[str, ...]], *, spoken: bool = False) -> tuple[QAPair, ...]:
    return tuple(
        make.pair(
            path,
            "".join(c for c in text.lower() if c not in ".,，。") if spoken else text,
            id=f"{path}-{n}",
            course=COURSE,
            source=Source.MATERIAL,
            document=path,
            locator=Locator(video=path, start_s=60.0 * n) if spoken else Locator(heading_path=(path[:2],)),
        )
        for path, texts in documents.items()
        for n, text in enumerate(texts)
    )


def concepts(*names: str) -> tuple[Concept, ...]:
    return tuple(Concept(id=concept_id(COURSE, name), name=name) for name in names)


@pytest.mark.parametrize("spoken", [False, True], ids=["notes", "subtitles"])
@pytest.mark.parametrize(
    ("documents", "chain"),
    [(ENGLISH, ("tree", "binary tree", "heap")), (CHINESE, ("树", "二叉树", "堆"))],
    ids=["en", "zh"],
)
def test_what_is_taught_first_and_built_upon_is_the_prerequisite(
    documents: dict[str, tuple[str, ...]], chain: tuple[str, str, str], spoken: bool
) -> None:
    """Tree before binary tree and before heap, in notes and speech; the plainest step reaches yes."""
    basic, middle, built = chain
    course = read_course(documents, spoken=spoken)
    forward = score_pairs(course, [(basic, middle), (basic, built)])
    backward = score_pairs(course, [(middle, basic), (built, basic)])
    assert all(f is not None and b is not None and f > b for f, b in zip(forward, backward, strict=True))
    assert (forward[0] or 0) >= 0.5


def test_a_name_that_does_not_occur_has_no_score() -> None:
    """None for an absent name on either side; inflected and qualified names are found."""
    pairs = [
        ("tree", "monad"),
        ("monad", "tree"),
        ("Trees", "heaps"),
        ("Tree (computing)", "heap"),
        ("eap", "heap"),
    ]
    known = [score is not None for score in score_pairs(read_course(ENGLISH), pairs)]
    assert known == [False, False, True, True, False]


def test_documents_are_read_in_the_order_of_their_numbers() -> None:
    """The order in which passages are handed over does not matter, only the documents' paths."""
    passages = read_course(ENGLISH)
    shuffled = tuple(sorted(passages, key=lambda pair: (pair.document or "")[::-1]))
    pairs = [("tree", "heap"), ("heap", "tree"), ("binary tree", "heap")]
    assert score_pairs(shuffled, pairs) == score_pairs(passages, pairs)


@pytest.mark.parametrize("passages", [(), read_course({"a.md": ("one two",)})], ids=["empty", "one line"])
def test_an_empty_or_tiny_course_is_no_error(passages: tuple[QAPair, ...]) -> None:
    """No text gives no score and no edge."""
    assert score_pairs(passages, [("tree", "heap")]) == (None,)
    assert discover(passages, concepts("tree", "heap")) == ()


@pytest.mark.parametrize(
    ("documents", "names"), [(ENGLISH, ("tree", "binary tree", "heap")), (CHINESE, ("树", "二叉树", "堆"))]
)
def test_an_edge_quotes_the_line_that_shows_it(
    documents: dict[str, tuple[str, ...]], names: tuple[str, str, str]
) -> None:
    """The evidence names the document and quotes a line of it that holds both concepts."""
    others = (
        "node",
        "root",
        "children",
        "priority queue",
        "节点",
        "优先队列",
        "数组",
        "子节点",
        "父节点",
        "edges",
    )
    beside = {"04.md": ("排序按大小排列元素。冒泡排序比较元素的大小。", "Sorting orders elements by size.")}
    edges = discover(
        read_course({**documents, **beside}), concepts(*names, *others, "排序", "元素", "sorting", "elements")
    )
    edge = next(e for e in edges if (e.prerequisite, e.concept) == tuple(f"c:{n}" for n in names[:2]))
    place, _, line = edge.evidence[0].partition(": ")
    path = place.split(" > ")[0]
    assert any(line in text for text in documents[path])
    assert line.startswith(("A binary tree is", "二叉树是"))


def test_what_is_merely_related_is_no_prerequisite() -> None:
    """Two things that stand together in every line are no edge where nothing else joins them."""
    course = read_course({f"{n}.md": ("Trees and nodes stand together here.",) * 3 for n in range(3)})
    assert discover(course, concepts("tree", "nodes")) == ()


def test_a_formula_makes_its_terms_prerequisites() -> None:
    """Of a quotient and a product the terms are needed, in both languages; a line of code says nothing."""
    course = read_course(
        {
            "1.md": ("Net income and equity are read off. 净利润和净资产先讲。",),
            "2.md": (
                "Return on equity = net income / equity",
                "净资产收益率（ROE）＝ 净利润 / 净资产 x 100",
                "turnover = net_income(equity) / 2",
            ),
        }
    )
    names = concepts(
        "net income", "equity", "Return on equity", "净利润", "净资产", "净资产收益率", "turnover"
    )
    defining = DefiningSentences({str(n): surfaces(each) for n, each in enumerate(names)})
    found = {(names[a].name, names[b].name) for a, b in read_formulas(read(course), defining)}
    assert found == {
        ("net income", "Return on equity"),
        ("equity", "Return on equity"),
        ("净利润", "净资产收益率"),
        ("净资产", "净资产收益率"),
    }


def test_the_definition_of_a_concept_names_its_prerequisites() -> None:
    """What the given definition holds is joined, wherever that stands; the concept itself is not."""
    heap, tree, node = concepts("heap", "tree", "node")
    heap = replace(heap, definition="A heap is a tree kept in order; heaps are fast.")
    text = read(read_course({"a.md": ("Heap, tree and node.",) * LEAST_PASSAGES}))
    candidates = find_candidates(text, *find_taught(text, (heap, tree, node)))
    assert _ends(candidates) == [(1, 0)]
    assert candidates.features["defined"].tolist() == [1]


def test_the_features_of_a_pair_say_what_joins_it() -> None:
    """A name joined to another or numbered; a's name is taught before b's."""
    names = ("tree", "binary tree", "tree walk", "graphs and trees", "Tree 2")
    course = read_course(
        {f"{n}.md": (f"The {name} is here, as a tree.",) * LEAST_PASSAGES for n, name in enumerate(names)}
    )
    text = read(course)
    known, found = find_taught(text, concepts(*names))
    candidates = find_candidates(text, known, found)
    rows = {known[b].name: n for n, (a, b) in enumerate(_ends(candidates)) if known[a].name == "tree"}
    features = {name: candidates.features[name] for name in ("joined", "first")}
    assert {name: [features[each][n] for each in features] for name, n in rows.items()} == {
        "binary tree": [0, 1],
        "tree walk": [0, 1],
        "graphs and trees": [1, 1],
        "Tree 2": [1, 1],
    }


@pytest.mark.parametrize(("passages", "edges"), [(LEAST_PASSAGES - 1, 0), (LEAST_PASSAGES, 1)])
def test_what_few_passages_name_has_no_prerequisites(passages: int, edges: int) -> None:
    """A kind of tree has its edge from the least number of passages on."""
    kind = ("A binary tree is a tree whose nodes have two children.",) * passages
    course = read_course({"a.md": ("A tree is a graph without cycles.",) * LEAST_PASSAGES, "b.md": kind})
    assert len(discover(course, concepts("tree", "binary tree"))) == edges


def _ends(candidates: Candidates) -> list[tuple[int, int]]:
    return list(zip(candidates.before.tolist(), candidates.after.tolist(), strict=True))


def test_an_edge_gives_way_to_surer_ones_alone() -> None:
    """A detour by surer edges replaces an edge, one by less sure edges does not."""
    course = read_course({"a.md": ("A list, a tree and a heap; the heap is a tree and the tree is a list.",)})
    text = read(course)
    known, found = find_taught(text, concepts("list", "tree", "heap"))
    pairs = np.array([0, 1, 0]), np.array([1, 2, 2])
    candidates = Candidates(before=pairs[0], after=pairs[1], features={})
    for scores, count in (((0.9, 0.8, 0.7), 2), ((0.9, 0.6, 0.7), 3)):
        assert len(choose_edges(text, known, found, candidates, np.array(scores))) == count


def test_evidence_of_a_lecture_names_the_second() -> None:
    """A subtitle's evidence says file and second."""
    edges = discover(
        read_course(ENGLISH, spoken=True), concepts("tree", "binary tree", "heap", "node", "root")
    )
    assert any(".md 0 s: " in edge.evidence[0] for edge in edges)


NAMES = ("tree", "binary tree", "heap", "node", "root", "children", "edges", "arrays")


@settings(max_examples=examples(30), deadline=None)
@given(texts=st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=8), min_size=1, max_size=6))
def test_any_course_gives_one_direction_and_no_cycle(texts: list[list[str]]) -> None:
    """Never both (a, b) and (b, a); scores in 0..1, the same again; edges without cycles."""
    passages = read_course({f"{n}.md": (", ".join(words) + ".",) for n, words in enumerate(texts)})
    pairs = [(a, b) for a in NAMES for b in NAMES]
    found = score_pairs(passages, pairs)
    assert found == score_pairs(passages, pairs)
    scores = dict(zip(pairs, found, strict=True))
    for (a, b), score in scores.items():
        back = scores[b, a]
        assert (score is None) == (back is None)
        assert score is None or back is None or (0 <= score <= 1 and min(score, back) < 0.5)
    edges = discover(passages, concepts(*NAMES))
    assert nx.is_directed_acyclic_graph(nx.DiGraph([(e.prerequisite, e.concept) for e in edges]))


LARGE_COURSE = """
import random
from itertools import islice, product
from concept_graph.prerequisites import score_pairs
from knowledge.vectors.token_table import shipped_encoder
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair, Source

draw = random.Random(1)
words = ["".join(letters) for letters in islice(product("bdfgklmnpr", repeat=4), 7000)]
asked = words[::500]
passages = []
for _ in range(3):
    draw.shuffle(words)
    for n in range(70):
        text = " ".join([*words[n::70], *draw.sample(asked, 3)])
        id = PairId(str(len(passages)))
        passages.append(
            QAPair(id=id, course_id=CourseId("c"), source=Source.MATERIAL, question="", answer=text)
        )
print(score_pairs(passages, [(a, b) for a in asked for b in asked], encoder=shipped_encoder()))
"""


def test_scores_do_not_hang_on_the_process() -> None:
    """Two processes agree to the last digit, also where more words are equally common than are looked at."""
    told = [
        subprocess.run(
            [sys.executable, "-c", LARGE_COURSE],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1]
    assert told[0].count("0.") > 100


def test_the_order_of_documents_counts_as_far_as_the_course_keeps_to_it() -> None:
    """Files without numbers stand in no order; what builds on later things lessens what order says."""
    numbered = read_course(ENGLISH)
    assert read(numbered).ordered
    assert not read([replace(each, document=(each.document or "")[3:]) for each in numbered]).ordered
    before = np.array([[0.0, 1.0], [-1.0, 0.0]])
    keeps, breaks = np.array([[0.0, 50.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [50.0, 0.0]])
    assert 1 > teaching_order(before, keeps) > teaching_order(before, keeps / 10) > 0
    assert teaching_order(before, np.zeros((2, 2))) == 0
    assert teaching_order(before, breaks) == 0


def test_pairs_are_likelier_where_only_related_ones_are_asked_about() -> None:
    """A list of pairs that have nothing to do with each other says less for each of its pairs."""
    course = read_course({**ENGLISH, "20.md": ("Soup is cooked with salt. Salt is dear.",) * 4})
    related = [("tree", "binary tree"), ("tree", "heap"), ("binary tree", "heap"), ("root", "heap")]
    others = [("tree", "soup"), ("root", "salt"), ("heap", "salt"), ("binary tree", "soup"), ("heap", "soup")]
    alone = score_pairs(course, [*related, ("salt", "soup")])
    beside = score_pairs(course, [*related, ("salt", "soup"), *others])
    assert all(a is not None and b is not None and a >= b for a, b in zip(alone, beside, strict=False))


def passage(number: int, text: str, *headings: str) -> QAPair:
    return make.passage(text, *headings, id=str(number), document="notes.md")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("k means", "We run k-means twice.", "k means"),
        ("training data set", "The training set is shuffled.", "training set"),
        ("adaptive rejection sampling", "Rejection sampling draws points.", "rejection sampling"),
        ("贪心算法策略", "贪心算法每一步取最好的。", "贪心算法"),
    ],
)
def test_another_spelling_of_a_name_is_found(name: str, text: str, said: str) -> None:
    """Joined or parted words, another order, a word between or left out."""
    course = read([passage(0, text)])
    (found,) = locate(course, [name])
    assert len(found) == 1
    words = course.tokens[0][found.places[0] : found.places[0] + found.lengths[0]]
    assert list(words) == [word for part in said.split() for word in (part if part > "\u3400" else [part])]


@pytest.mark.parametrize("text", ["Sorting algorithms compare.", "An algorithm sorts. A sorted algorithm."])
def test_a_longer_name_is_found_in_any_inflection(text: str) -> None:
    """Words of its stems side by side are the name, also where it stands elsewhere as it is written."""
    (found,) = locate(read([passage(0, text), passage(1, "The sort algorithm.")]), ["sort algorithm"])
    assert (len(found), found.whole) == (2, True)


def test_a_part_of_a_name_is_told_from_the_whole() -> None:
    """What is found of a longer name alone says that it is a part."""
    course = read([passage(0, "Rejection sampling draws points.")])
    part, whole = locate(course, ["adaptive rejection sampling", "rejection sampling"])
    assert (part.whole, whole.whole) == (False, True)


@pytest.mark.parametrize("name", ["monad", "树冠", "of the"])
def test_a_name_without_a_word_of_the_course_is_not_found(name: str) -> None:
    """Neither an absent word nor a single Chinese character or a function word stands for a name."""
    (found,) = locate(read([passage(0, "A tree of nodes. 森林由树木组成。")]), [name])
    assert len(found) == 0


def test_what_is_written_as_asked_is_found_as_before() -> None:
    """`locate` adds nothing to a name that `find` finds."""
    course = read([passage(0, "A binary tree is a tree."), passage(1, "Trees have roots; the tree binary.")])
    names = ["binary tree", "tree"]
    found = zip(locate(course, names), find(course, [forms(name) for name in names]), strict=True)
    assert all(list(one.places) == list(other.places) for one, other in found)


def test_a_chinese_name_is_inside_another_in_one_piece() -> None:
    """小顶堆 holds 堆 but not 堆顶; English words may stand apart."""
    names = ("堆", "堆顶", "小顶堆", "search tree", "binary search tree")
    assert {(names[a], names[b]) for a, b in contained([tokens(name) for name in names])} == {
        ("堆", "堆顶"),
        ("堆", "小顶堆"),
        ("search tree", "binary search tree"),
    }


@pytest.mark.parametrize(("line", "quoted"), [("A binary tree.", False), ("A binary tree is a tree.", True)])
def test_a_line_shows_both_names_apart(line: str, quoted: bool) -> None:
    """A name inside the other alone shows nothing."""
    text = read([passage(0, f"Nothing here. {line} Nothing more.")])
    tree, binary = find(text, [forms("tree"), forms("binary tree")])
    found = Quotations(text).quote(tree, binary, ("binary tree",))
    assert found == (f"notes.md: {line}" if quoted else None)


def test_a_long_line_is_cut_around_the_names() -> None:
    """Speech without punctuation is quoted in part; names too far apart are not quoted."""
    far = "word " * 200
    near = read([passage(0, f"{far}every tree has a root {far}"), passage(1, f"leaf {far} stem")])
    tree, root, leaf, stalk = find(near, [forms(name) for name in ("tree", "root", "leaf", "stem")])
    line = Quotations(near).quote(tree, root, ("root",))
    assert line is not None
    assert "every tree has a root" in line
    assert len(line) < MAX_LINE + 30
    assert Quotations(near).quote(leaf, stalk, ("stem",)) is None
