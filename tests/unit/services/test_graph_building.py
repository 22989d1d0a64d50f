"""What building a graph does with material that is empty, tiny, repetitive or in two languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import factories as make
import pytest

from services.graph.files import build_graph
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair

COURSE = Course(id=CourseId("c"), name="Course", domains=("CS",), language=Language.EN)


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    platform = build_platform(Settings(home=tmp_path))
    platform.stores.courses.add(COURSE)
    yield platform
    platform.close()


def passages(*texts: tuple[str, str]) -> list[QAPair]:
    return [
        make.passage(text, heading, id=str(n), course=COURSE.id, document=f"{heading}.md")
        for n, (heading, text) in enumerate(texts)
    ]


def test_a_course_without_material_is_refused(platform: Platform) -> None:
    """The error says to ingest something first."""
    with pytest.raises(InvalidInput, match="no material; ingest"):
        build_graph(COURSE, [], platform.stores.documents)


@pytest.mark.parametrize("text", ["", "   ", "...", "12 34", "!!! ???"])
def test_material_without_a_concept_is_refused(platform: Platform, text: str) -> None:
    """The error names the course, and that seeds can be given."""
    with pytest.raises(InvalidInput, match=r"no concept was found .* --seeds"):
        build_graph(COURSE, passages(("12", text)), platform.stores.documents)


def test_one_line_gives_one_concept_and_no_edge(platform: Platform) -> None:
    """A single defining line is a graph of one concept with its explanation."""
    line = "A stack is a list with one open end."
    concepts, edges = build_graph(COURSE, passages(("Stack", line)), platform.stores.documents)
    assert [(each.name, each.definition) for each in concepts] == [("stack", line)]
    assert edges == ()


def test_a_word_of_any_course_is_a_concept_only_where_it_is_defined(platform: Platform) -> None:
    """ "Model" and "training" under headings are no concepts, an explained one is; no adjective is."""
    text = "Our statistical model is trained. Training takes long. It is statistical."
    given = passages(
        ("Model", f"A model is a rule with adjustable numbers. {text}"),
        ("Training", f"We start the training of the model. {text}"),
        ("Heap", f"A heap is a binary tree. {text}"),
    )
    concepts, _ = build_graph(COURSE, given, platform.stores.documents)
    names = {each.name.lower() for each in concepts}
    assert {"model", "heap"} <= names
    assert names.isdisjoint({"training", "statistical"})


def test_two_languages_make_one_graph(platform: Platform) -> None:
    """Names of both languages become concepts, and a translation in brackets makes them one."""
    given = passages(
        ("栈", "栈（stack）是一种线性表。栈只在一端插入。A stack grows at one end."),
        ("Binary tree", "A binary tree is a tree with two children a node. 二叉树用栈遍历。"),
        ("栈的应用", "遍历一棵 binary tree 时用到栈。The binary tree is walked with a stack."),
    )
    concepts, _ = build_graph(COURSE, given, platform.stores.documents)
    names = {each.name.lower(): each.aliases for each in concepts}
    assert {"栈", "binary tree"} <= names.keys()
    assert names["栈"] == ("stack",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    ["The hash table of server {n} maps a key to a bucket.", "第{n}台服务器的哈希表把键映射到桶里面。"],
    ids=["en", "zh"],
)
def test_a_hundred_thousand_near_identical_lines_take_bounded_time(platform: Platform, line: str) -> None:
    """Lines that differ in a number alone are counted once, and yield a small graph."""
    lines = [line.format(n=n) for n in range(100_000)]
    texts = [("Hash table", "\n".join(lines[n : n + 20])) for n in range(0, len(lines), 20)]
    started = perf_counter()
    concepts, edges = build_graph(
        COURSE, passages(*texts), platform.stores.documents, seeds=("hash table", "哈希表")
    )
    assert perf_counter() - started < 120
    assert len(concepts) < 20
    assert len(edges) < 20
