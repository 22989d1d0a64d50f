"""The arithmetic of the small models, and that the names in their files are those of their features."""

from __future__ import annotations

import numpy as np
import pytest

from concept_graph.extraction.features import COLUMNS, EXPLAINED
from concept_graph.word_files import read_words
from knowledge import relevance
from vta.dialogue.teaching import sentences
from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import read_pieces
from vta.patterns import read_table
from vta.scoring import linear, logistic, logistics
from vta.text import Analyser

RELEVANCE = read_table("knowledge", relevance.WEIGHTS)


def test_a_linear_model_adds_bias_and_weighted_features_of_numbers_and_of_columns() -> None:
    weights = {"bias": 1.0, "x": 2.0}
    assert linear(weights, {"x": 3.0, "without a weight": 9.0}) == 7.0
    assert linear(weights, {"x": np.array([3.0, 4.0])}).tolist() == [7.0, 9.0]


@pytest.mark.parametrize("logit", [-1e4, -2.0, 0.0, 2.0, 1e4])
def test_a_logit_of_any_size_is_a_probability(logit: float) -> None:
    """Of one as of many, and that of the opposite is the rest."""
    assert 0 <= logistic(logit) <= 1
    assert logistic(logit) + logistic(-logit) == pytest.approx(1)
    assert logistics(np.array([logit])) == pytest.approx(logistic(logit))


@pytest.mark.parametrize(
    ("weights", "features"),
    [
        (RELEVANCE["vectors"], relevance.Features._fields),
        (RELEVANCE["words"], {*relevance.Features._fields} - {"similarity", "document", "foreign"}),
        (
            read_table("vta.dialogue.teaching", sentences.WEIGHTS)["words"],
            *sentences.extract_features(Asked("q", (), analyser=Analyser()), read_pieces("A heap.")),
        ),
        (read_words("naming"), (*COLUMNS, EXPLAINED)),
    ],
    ids=["relevance", "relevance by words", "sentences", "names of concepts"],
)
def test_each_feature_has_a_weight_of_its_name(weights: dict[str, float], features: dict[str, float]) -> None:
    """`linear` would pass over a feature, or a weight, that is called otherwise."""
    assert set(weights) - {"bias"} == set(features)
