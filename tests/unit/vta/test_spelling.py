"""Names of concepts put right in what is looked up, and nothing else."""

from __future__ import annotations

import factories as make
import pytest

from concept_graph.mentions import DictionaryLinker
from vta.dialogue.understanding import correct

COURSE = make.course("ml")
NAMES = {"k-means": (), "logistic regression": ("logit model",), "优先队列": (), "backpropagation": ()}
LINKER = DictionaryLinker(make.concept(name, *aliases, course=COURSE.id) for name, aliases in NAMES.items())


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
