"""Hypothesis strategies for courses and their pairs: needed at import, so they are no fixtures."""

from __future__ import annotations

import factories as make
from hypothesis import strategies as st

from vta.languages import Language
from vta.types.concepts import Concept, Mention
from vta.types.courses import ConceptId, Course, CourseId
from vta.types.pairs import QAPair, Source

chit_chats = st.sampled_from([0.0, 0.05, 0.4, 0.9, 1.0])
mentioned = st.sampled_from([None, "栈", "stack", "二叉树"])
domain_sets = st.lists(st.sampled_from(["计算机", "maths", "physics"]), unique=True, max_size=3).map(tuple)


@st.composite
def platforms(
    draw: st.DrawFn, phrases: st.SearchStrategy[str], answers: st.SearchStrategy[str], *, most: int
) -> tuple[list[Course], list[QAPair]]:
    """Up to three courses and up to `most` pairs of all sources; ids are not in the order of the pairs."""
    courses = [
        Course(
            id=CourseId(f"c{n}"),
            name=f"C{n}",
            domains=draw(domain_sets),
            language=Language.ZH,
            shares_concepts=True,
            takes_concepts=True,
        )
        for n in range(draw(st.integers(1, 3)))
    ]
    pairs = [
        make.pair(
            draw(phrases),
            draw(answers),
            id=f"{(n * 7) % most:02}",
            course=draw(st.sampled_from(courses)).id,
            source=draw(st.sampled_from(list(Source))),
            similar_questions=tuple(draw(st.lists(phrases, max_size=1))),
        )
        for n in range(draw(st.integers(1, most)))
    ]
    return courses, pairs


def mentions_of(name: str | None) -> list[Mention]:
    """The one concept that a question names, if any."""
    if name is None:
        return []
    concept = Concept(id=ConceptId(name), name=name)
    return [Mention(concept=concept, start=0, end=len(name), surface=name)]
