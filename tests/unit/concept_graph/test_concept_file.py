"""The concept file: what may be left out, and how each fault is named."""

from __future__ import annotations

import json

import pytest

from concept_graph.concept_file import MAX_NAME, read_concepts, write_concepts
from concept_graph.names import concept_id
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course, CourseId

COURSE = Course(id=CourseId("ds"), name="数据结构", domains=("计算机科学",), language=Language.ZH)


def read(content: object) -> tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]:
    return read_concepts(json.dumps(content), path="course/concepts.json", course=COURSE)


def ids(*names: str) -> list[str]:
    return [concept_id(COURSE.id, name) for name in names]


def test_only_the_name_is_needed() -> None:
    """A concept of the file is of the course, in its domains, sure, and else empty."""
    (concept,), edges = read({"concepts": [{"name": " 栈 "}]})
    assert concept == Concept(
        id=concept_id(COURSE.id, "栈"),
        name="栈",
        domains=("计算机科学",),
        courses=(COURSE.id,),
        score=1.0,
        curated=True,
    )
    assert edges == ()


def test_every_field_is_read() -> None:
    """What the file says is kept word for word."""
    (concept,), _ = read(
        {
            "concepts": [
                {
                    "name": "Stack",
                    "aliases": ["栈", "LIFO list"],
                    "definition": "A stack is a list.",
                    "domains": [],
                    "score": 0.25,
                    "first_seen": "01.srt",
                }
            ]
        }
    )
    assert (concept.name, concept.aliases, concept.definition) == (
        "Stack",
        ("栈", "LIFO list"),
        "A stack is a list.",
    )
    assert (concept.domains, concept.score, concept.first_seen) == ((), 0.25, "01.srt")


def test_prerequisites_may_be_written_at_the_concept_or_as_edges() -> None:
    """Both forms give edges, by name or alias in any spelling; the fuller entry of `edges` counts."""
    _, edges = read(
        {
            "concepts": [
                {"name": "栈", "prerequisites": ["Array", "链表"]},
                {"name": "数组", "aliases": ["array"]},
                {"name": "链表"},
            ],
            "edges": [
                {"prerequisite": "數組", "concept": "栈", "score": 0.5, "evidence": ["第 3 行"]},
                {"prerequisite": "数组", "concept": "链表"},
            ],
        }
    )
    array, linked, stack = ids("数组", "链表", "栈")
    assert [(e.prerequisite, e.concept, e.score, e.evidence) for e in edges] == [
        (array, stack, 0.5, ("第 3 行",)),
        (linked, stack, 1.0, ()),
        (array, linked, 1.0, ()),
    ]


@pytest.mark.parametrize(
    ("content", "field", "words"),
    [
        ([], None, "must be an object"),
        ({}, "concepts", "is missing"),
        ({"concepts": {}}, "concepts", "must be a list"),
        ({"concepts": ["栈"]}, "concepts[0]", "must be an object"),
        ({"concepts": [{"name": "栈"}, {"aliases": []}]}, "concepts[1].name", "is missing"),
        ({"concepts": [{"name": "\u200b "}]}, "concepts[0].name", "must not be empty"),
        ({"concepts": [{"name": "x" * (MAX_NAME + 1)}]}, "concepts[0].name", "at most"),
        ({"concepts": [{"name": 3}]}, "concepts[0].name", "must be a text"),
        ({"concepts": [{"name": "a\u0000b"}]}, "concepts[0].name", "control characters"),
        ({"concepts": [{"name": "a\ud800b"}]}, "concepts[0].name", "lone surrogates"),
        ({"concepts": [{"name": "Stack"}, {"name": "STACK"}]}, "concepts[1].name", "'STACK'"),
        ({"concepts": [{"name": "a", "aliases": ["b"]}, {"name": "b"}]}, "concepts[0].aliases[0]", "'b'"),
        (
            {"concepts": [{"name": "a", "aliases": ["c"]}, {"name": "b", "aliases": ["d", "C"]}]},
            "concepts[1].aliases[1]",
            "concept 'b'",
        ),
        ({"concepts": [{"name": "a", "aliases": "b"}]}, "concepts[0].aliases", "must be a list"),
        ({"concepts": [{"name": "a", "aliases": [None]}]}, "concepts[0].aliases[0]", "must be a text"),
        ({"concepts": [{"name": "a", "score": 1.5}]}, "concepts[0].score", "from 0 to 1"),
        ({"concepts": [{"name": "a", "score": True}]}, "concepts[0].score", "from 0 to 1"),
        ({"concepts": [{"name": "a", "score": float("nan")}]}, "concepts[0].score", "from 0 to 1"),
        ({"concepts": [{"name": "a", "defintion": "x"}]}, "concepts[0].defintion", "unknown field"),
        ({"concepts": [{"name": "a", "prerequisites": ["b"]}]}, "concepts[0].prerequisites[0]", "'b'"),
        ({"concepts": [{"name": "a", "prerequisites": ["A"]}]}, "concepts[0].prerequisites[0]", "its own"),
        (
            {"concepts": [{"name": "a"}, {"name": "b", "prerequisites": ["a", "a"]}]},
            "concepts[1].prerequisites[1]",
            "twice",
        ),
        ({"concepts": [{"name": "a"}], "edges": [{"concept": "a"}]}, "edges[0].prerequisite", "is missing"),
        (
            {"concepts": [{"name": "a"}], "edges": [{"prerequisite": "a", "concept": "z"}]},
            "edges[0].concept",
            "'z'",
        ),
        (
            {
                "concepts": [{"name": "a"}, {"name": "b"}],
                "edges": [{"prerequisite": "a", "concept": "b"}] * 2,
            },
            "edges[1].prerequisite",
            "twice",
        ),
        ({"concepts": [], "extra": 1}, "extra", "unknown field"),
    ],
)
def test_a_fault_names_its_file_and_field(content: object, field: str | None, words: str) -> None:
    """Every fault is `InvalidInput` that says where it is and what is wrong."""
    with pytest.raises(InvalidInput) as caught:
        read(content)
    assert (caught.value.path, caught.value.field) == ("course/concepts.json", field)
    assert caught.value.message.startswith("course/concepts.json: ")
    assert words in caught.value.message


def test_broken_json_names_its_line() -> None:
    """The line of the fault is in the error and in its message."""
    with pytest.raises(InvalidInput, match=r"c\.json, line 3: not valid JSON") as caught:
        read_concepts('{"concepts": [\n  {"name": "栈"}\n  {"name": "图"}\n]}', path="c.json", course=COURSE)
    assert caught.value.line == 3


@pytest.mark.parametrize("text", ["[" * 100_000, '{"concepts": [' + "9" * 5000 + "]}"])
def test_monstrous_json_is_a_fault_like_any_other(text: str) -> None:
    """Nesting and numbers beyond all measure are refused, not a crash."""
    with pytest.raises(InvalidInput, match="not valid JSON"):
        read_concepts(text, path="c.json", course=COURSE)


def test_the_written_form_is_the_exported_one() -> None:
    """Names stand for ids, and every field of the export is there."""
    concepts, edges = read({"concepts": [{"name": "栈", "prerequisites": ["数组"]}, {"name": "数组"}]})
    written = json.loads(write_concepts(concepts, edges))
    assert set(written["concepts"][0]) == {"name", "aliases", "definition", "domains", "score", "first_seen"}
    assert written["edges"] == [{"prerequisite": "数组", "concept": "栈", "score": 1.0, "evidence": []}]
