"""The picture of a neighbourhood: golden files, what is cut, and what never gets in.

`python tests/unit/concept_graph/test_picture.py` writes the golden files anew.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from concept_graph.picture import draw_neighbourhood, shorten, text_width
from vta.languages import Language
from vta.types.concepts import Concept, Neighbourhood
from vta.types.courses import ConceptId

GOLDEN = Path(__file__).parents[2] / "data" / "golden"
SVG = "{http://www.w3.org/2000/svg}"


def concept(name: str) -> Concept:
    return Concept(id=ConceptId(name), name=name)


def around(name: str, *columns: tuple[str, ...], after: tuple[str, ...] = ()) -> Neighbourhood:
    """Everything of a column leads to the first of the next one."""
    inner = [(name,), *columns]
    order = [(before, inner[n][0]) for n, column in enumerate(columns) for before in column]
    order += [(name, each) for each in after]
    return Neighbourhood(
        concept=concept(name),
        before=tuple(tuple(map(concept, column)) for column in columns),
        after=tuple(map(concept, after)),
        order=tuple((ConceptId(a), ConceptId(b)) for a, b in order),
    )


PICTURES = {
    "neighbourhood.zh.svg": draw_neighbourhood(
        around("栈", ("线性表", "后进先出"), ("逻辑结构",), after=("深度优先搜索", "调用栈")), Language.ZH
    ),
    "neighbourhood.en.svg": draw_neighbourhood(
        around("principal component analysis", ("R&D <b>", "covariance matrix"), after=("scree plot",)),
        Language.EN,
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_line_for_line_its_golden_file(name: str) -> None:
    """A change of the look shows as a diff."""
    assert PICTURES[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_what_comes_before_is_left_and_what_builds_on_it_right() -> None:
    """The x of the boxes grows from the farthest prerequisite over the concept to what builds on it."""
    root = ET.fromstring(PICTURES["neighbourhood.zh.svg"])
    x = {box.findtext(f"{SVG}title"): int(box.attrib["x"]) for box in root.findall(f"{SVG}svg")}
    assert x["逻辑结构"] < x["线性表"] == x["后进先出"] < x["栈"] < x["深度优先搜索"] == x["调用栈"]
    assert len(root.findall(f"{SVG}g/{SVG}path")) == 5


def test_a_picture_says_in_words_what_it_shows() -> None:
    """Title and description, in the language of the course, name all that is drawn."""
    chinese, english = (ET.fromstring(PICTURES[f"neighbourhood.{each}.svg"]) for each in ("zh", "en"))
    assert chinese.attrib["role"] == "img"
    assert chinese.findtext(f"{SVG}title") == "“栈”的概念图"
    assert chinese.findtext(f"{SVG}desc") == "先修：线性表、后进先出、逻辑结构。 后续：深度优先搜索、调用栈。"
    assert (
        english.findtext(f"{SVG}desc")
        == "Known before: R&D <b>, covariance matrix. Builds on it: scree plot."
    )


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("栈", ("栈",)),
        ("", ("…",)),
        ("\u0000\u202e \n", ("…",)),
        ("gradient descent", ("gradient", "descent")),
        ("backpropagation", ("backpropagation",)),
        ("stochastic gradient descent", ("stochastic", "gradient desce…")),
        ("stochastic  gradient", ("stochastic", "gradient")),
        ("深度优先搜索", ("深度优先搜索",)),
        ("双向链表的插入与删除操作", ("双向链表的插入", "与删除操作")),
        ("双向链表的插入与删除操作以及它们的代价", ("双向链表的插入", "与删除操作以及…")),
        ("x" * 40, ("x" * 15, "x" * 14 + "…")),
    ],
)
def test_a_long_name_is_cut_to_two_lines(name: str, lines: tuple[str, ...]) -> None:
    """Broken between words where it can be; an ellipsis says that something is missing."""
    assert shorten(name) == lines


def test_chinese_is_twice_as_wide() -> None:
    """Wide characters count two, marks that stand over another none."""
    assert [text_width(text) for text in ("ab", "栈a", "（）", "e\u0301", "")] == [2, 3, 4, 1, 0]


def test_markup_in_a_name_stays_a_name() -> None:
    """A name that would be an element is text, in box, title and description."""
    attack = "</title><script>alert(1)</script>"
    picture = draw_neighbourhood(around(attack, (f"{attack}2",)), Language.EN)
    tags = {element.tag.removeprefix(SVG) for element in ET.fromstring(picture).iter()}
    assert tags == {"svg", "title", "desc", "style", "g", "path", "rect", "text"}
    assert "<script" not in picture


if __name__ == "__main__":
    for file_name, content in PICTURES.items():
        (GOLDEN / file_name).write_text(content, encoding="utf-8")
