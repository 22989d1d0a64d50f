"""The word layer and the task output."""

from __future__ import annotations

import numpy as np
import pytest

from intent.encoding import TurnText
from intent.wide import LABELS, WideLayer, other_task
from intent.words import WordBranch, cut_words, hash_word
from lab.intent.labels import LabelledQuestion
from vta.scoring import pack
from vta.types.questions import IntentLabel


def build_branch() -> WordBranch:
    words = sorted(("hello", "stack"), key=hash_word)
    weights = [[2.0, 0.0] if word == "hello" else [0.0, 4.0] for word in words]
    keys = np.array([hash_word(word) for word in words], dtype=np.uint64)
    return WordBranch(keys=keys, weights=np.array(weights, dtype=np.float16))


def test_logits_are_the_mean_over_the_known_words() -> None:
    """A word that is not known counts for nothing; a question without one gets zeros."""
    turns = [TurnText(question=text) for text in ("Hello STACK", "hello, xyzzy", "栈", "")]
    assert build_branch().logits(turns).tolist() == [[1.0, 2.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]


def test_words_are_cut_in_lower_case() -> None:
    assert cut_words("Don't STOP 栈2") == ["don", "'t", "stop"]


def test_a_saved_word_layer_is_the_same_layer() -> None:
    """What is written is read again, and anything else is refused."""
    branch = build_branch()
    again = WordBranch.from_bytes(pack(branch))
    assert np.array_equal(branch.keys, again.keys)
    assert np.array_equal(branch.weights, again.weights)
    for content in (b"", b"no file", pack(branch)[:-30]):
        with pytest.raises(ValueError, match="not the arrays"):
            WordBranch.from_bytes(content)


def test_a_layer_without_the_last_output_tells_of_no_task() -> None:
    assert other_task(np.zeros((2, len(LABELS)))).tolist() == [0.0, 0.0]
    assert other_task(np.zeros((1, len(LABELS) + 1))).tolist() == [0.5]


@pytest.mark.train
def test_a_fitted_layer_tells_tasks_and_reads_unknown_words_by_their_neighbours() -> None:
    """A word that no row held has the logits of the words near it in the space of the encoder."""
    pytest.importorskip("sklearn", reason="sklearn is missing: install the extra `train`")
    from lab.intent.ngram_fitting import Tasks, WordVectors, fit_wide

    rows = [
        LabelledQuestion(question=text, label=label, session_id=str(n))
        for n, (text, label) in enumerate(
            [
                ("stack", IntentLabel.SIMPLE),
                ("queue", IntentLabel.SIMPLE),
                ("hello", IntentLabel.GENERAL_CHAT),
            ]
        )
    ]
    tasks = Tasks(asked=[TurnText(question="weather")], not_asked=[TurnText(question="stack")])
    vectors = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.0, 1.1], [-1.0, -1.0], [-1.0, -1.1]])
    words = WordVectors(words=["stack", "queue", "hello", "howdy", "weather", "rain"], vectors=vectors)
    layer = fit_wide(rows, tasks=tasks, words=words)
    assert isinstance(layer, WideLayer)
    turns = [TurnText(question=text) for text in ("howdy", "queue", "weather", "stack")]
    outputs = layer.outputs(turns)
    simple, chat = LABELS.index(IntentLabel.SIMPLE), LABELS.index(IntentLabel.GENERAL_CHAT)
    assert outputs[0, chat] > outputs[0, simple]
    assert outputs[1, simple] > outputs[1, chat]
    task = other_task(outputs)
    assert task[2] > 0.5 > task[3]
