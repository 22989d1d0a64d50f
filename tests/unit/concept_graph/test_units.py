"""Concepts by unit, and the picture of one."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from concept_graph.paths import Unit, find_units
from concept_graph.picture import MOST_DRAWN, draw_unit
from vta.types import Concept, ConceptEdge, ConceptId, Language, Locator

SVG = "{http://www.w3.org/2000/svg}"


def concept(name: str, document: str | None = None, *headings: str) -> Concept:
    return Concept(id=ConceptId(name), name=name, document=document, locator=Locator(heading_path=headings))


def edge(before: str, after: str, score: float = 1.0) -> ConceptEdge:
    return ConceptEdge(prerequisite=ConceptId(before), concept=ConceptId(after), score=score)


def names(units: tuple[Unit, ...]) -> list[tuple[str, list[str]]]:
    return [(unit.name, [each.name for each in unit.concepts]) for unit in units]


def test_a_unit_is_a_document_in_the_order_of_teaching() -> None:
    """Notes and video of one lecture are one; it is called by its first heading or else its file."""
    found = find_units(
        [
            concept("nowhere"),
            concept("b", "10.md", "Ten"),
            concept("a", "9.srt"),
            concept("c", "notes/10-x.md", "Ten", "More"),
            concept("d", "video/10-x.srt"),
        ]
    )
    assert names(found) == [("9", ["a"]), ("Ten", ["b"]), ("Ten", ["c", "d"]), ("", ["nowhere"])]


def test_a_single_document_is_parted_by_its_headings() -> None:
    """By the highest that parts it: the chapters below the title of a book."""
    found = find_units(
        [
            concept("a", "book.md", "Book", "One", "x"),
            concept("b", "book.md", "Book", "Two"),
            concept("c", "book.md", "Book", "One", "y"),
        ]
    )
    assert names(found) == [("One", ["a", "c"]), ("Two", ["b"])]
    assert find_units([]) == ()
    assert len(find_units([concept("a", "book.md", "Book")])) == 1


def test_a_picture_shows_what_leads_to_the_concepts_of_the_unit() -> None:
    """What comes first is on the left, the unsure edge dashed, a concept of another unit lighter."""
    unit = Unit(name="<b>", concepts=tuple(map(concept, "abc")))
    known = {each: concept(each) for each in map(ConceptId, "abcxy")}
    edges = [edge("a", "b"), edge("b", "c", 0.5), edge("x", "a"), edge("c", "y")]
    drawn = draw_unit(unit, edges, known, Language.EN)
    assert drawn is not None
    picture = ET.fromstring(drawn)
    boxes = {box.findtext(f"{SVG}title"): box.attrib for box in picture.findall(f"{SVG}svg")}
    assert sorted(boxes, key=lambda name: int(boxes[name]["x"])) == ["x", "a", "b", "c"]
    assert {name: each["class"] for name, each in boxes.items()}["x"] == "neighbour"
    lines = picture.findall(f"{SVG}g/{SVG}path")
    assert sorted("stroke-dasharray" in line.attrib for line in lines) == [False, False, True]
    assert draw_unit(unit, [edge("c", "y")], known, Language.EN) is None


def test_a_picture_holds_no_more_than_can_be_seen() -> None:
    """Of many concepts, those with the most edges."""
    concepts = tuple(concept(f"c{n:03}") for n in range(100))
    known = {each.id: each for each in concepts}
    unit, edges = Unit(name="u", concepts=concepts), [edge("c000", f"c{n:03}") for n in range(1, 100)]
    drawn = draw_unit(unit, edges, known, Language.ZH)
    assert drawn is not None
    assert len(ET.fromstring(drawn).findall(f"{SVG}svg")) == MOST_DRAWN
