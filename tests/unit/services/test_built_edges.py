"""The edges built for the sample courses from their notes and subtitles, as a reader judged them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from concept_graph.extraction.extraction import extract_concepts
from concept_graph.prerequisites import discover
from services.demo.sample_courses import DEMO_COURSES
from services.reading.readers import build_readers
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair

ROOT = Path(__file__).parents[3]
JUDGED = ROOT / "tests" / "data" / "edges_judged.tsv"
FIRST = 50


def read_passages(folder: Path, course: Course) -> Iterator[QAPair]:
    """The passages of the notes and subtitles; the curated concepts are left out."""
    readers = build_readers()
    for file in sorted(each for each in folder.rglob("*") if each.suffix in (".md", ".srt", ".vtt")):
        path = file.relative_to(folder).as_posix()
        reader = next(each for each in readers if each.handles(path))
        with file.open("rb") as opened:
            yield from reader.read(opened, path=path, course=course).pairs


@cache
def built(course_id: str) -> tuple[tuple[QAPair, ...], tuple[Concept, ...], tuple[ConceptEdge, ...]]:
    with as_file(files("services.demo").joinpath("courses", course_id)) as folder:
        given = json.loads((folder / "course.json").read_text(encoding="utf-8"))
        course = Course(
            id=CourseId(course_id),
            name=given["name"],
            domains=tuple(given["domains"]),
            language=Language(given["language"]),
        )
        passages = tuple(read_passages(folder / "material", course))
    concepts = extract_concepts(passages, course=course)
    return passages, concepts, discover(passages, concepts)[:FIRST]


@cache
def judgements(course_id: str) -> dict[tuple[str, str], bool]:
    rows = (line.split("\t") for line in JUDGED.read_text(encoding="utf-8").splitlines()[1:])
    return {(a, b): right == "1" for course, a, b, right, _ in rows if course == course_id}


def test_what_is_shown_of_the_sample_courses_is_right() -> None:
    """Of their shown edges, to which nothing is fitted, nine of ten were read to be right."""
    shown = []
    for course_id in DEMO_COURSES:
        _, concepts, edges = built(course_id)
        name = {concept.id: concept.name for concept in concepts}
        known = judgements(course_id)
        shown += [known[name[each.prerequisite], name[each.concept]] for each in edges if each.is_sure]
    assert len(shown) >= 3
    assert sum(shown) >= 0.9 * len(shown)


@pytest.mark.parametrize("course_id", DEMO_COURSES)
def test_every_edge_of_a_sample_course_quotes_its_place(course_id: str) -> None:
    """The evidence names a document of the course and quotes a line that stands in it."""
    passages, _, edges = built(course_id)
    assert len(edges) > 10
    texts: dict[str, str] = {}
    for passage in passages:
        texts[passage.document or ""] = texts.get(passage.document or "", "") + passage.answer
    for edge in edges:
        place, *parts = edge.evidence[0].split(": ")
        document = next(each for each in texts if place.startswith(each))
        plain = "".join(texts[document].split())
        endings = (": ".join(parts[n:]) for n in range(len(parts)))
        assert any("".join(line.strip("…").split()) in plain for line in endings if len(line) > 8)


@pytest.mark.parametrize("course_id", DEMO_COURSES)
def test_no_number_name_or_prop_is_a_concept(course_id: str) -> None:
    """Of a short course neither numbers, first names nor the things of its stories become concepts."""
    names = {concept.name.lower() for concept in built(course_id)[1]}
    noise = {"一", "二", "九", "四十", "货架", "包裹", "宝箱", "办法", "八名选手", "一棵二叉树"}
    noise |= {
        "anna",
        "ben",
        "carl",
        "ten",
        "thousand",
        "mails",
        "bags",
        "kilometre took",
        "itself",
        "customer",
    }
    assert names.isdisjoint(noise)
