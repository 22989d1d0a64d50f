"""Names of concepts put right in what is looked up, and nothing else."""

from __future__ import annotations

import pytest

from concept_graph.mentions import DictionaryLinker
from vta.dialogue.understanding import correct
from vta.types import Concept, ConceptId, Course, CourseId, Language

COURSE = Course(id=CourseId("ml"), name="ML", domains=("ml",), language=Language.EN)
NAMES = {"k-means": (), "logistic regression": ("logit model",), "优先队列": (), "backpropagation": ()}
LINKER = DictionaryLinker(
    Concept(
        id=ConceptId(name), name=name, aliases=aliases, definition="", domains=("ml",), courses=(COURSE.id,)
    )
    for name, aliases in NAMES.items()
)


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("What is Logistic Regresion?", "what is logistic regression?"),
        ("explain the logit modle", "explain the logit model"),
        ("how does backprop work", "how does backpropagation work"),
        ("什么是优先对列？", "什么是优先队列?"),
        ("What is KMeans?", "What is KMeans?"),
        ("Two logistic regressions", "Two logistic regressions"),
        ("Nothing of the course", "Nothing of the course"),
    ],
)
def test_misspelt_names_are_put_right(written: str, right: str) -> None:
    assert correct(written, LINKER.link(written, course=COURSE)) == right
