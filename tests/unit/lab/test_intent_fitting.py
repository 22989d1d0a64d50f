from collections.abc import Iterator

import numpy as np
import pytest
from left_out import needs_libraries

from intent.wide import LABELS
from lab.intent.labels import LabelledQuestion, to_turns
from lab.intent.recipe import learn
from lab.intent.settings import TRAINING_LIBRARIES, TrainingSettings
from lab.intent.starting import start_from_rows
from vta.types.questions import IntentLabel

pytestmark = [pytest.mark.train, needs_libraries(*TRAINING_LIBRARIES)]

SMALL = TrainingSettings(
    vocabulary=300,
    max_length=16,
    embedding=16,
    hidden=32,
    layers=2,
    heads=2,
    intermediate=32,
    adaptation_epochs=2,
    epochs=4,
    learning_rate=5e-3,
    batch=8,
)
QUESTIONS = {
    IntentLabel.SIMPLE: ["what is a stack", "什么是栈", "what is a queue", "define a tree"],
    IntentLabel.GENERAL_CHAT: ["hello there", "你好呀", "thanks a lot", "good morning"],
    IntentLabel.PLATFORM: ["where is my certificate", "怎么申请证书", "how do i enrol", "video is broken"],
}
ROWS = [
    LabelledQuestion(question=f"{question} {number}", label=label, session_id=f"{place}-{number}")
    for label, questions in QUESTIONS.items()
    for place, question in enumerate(questions)
    for number in range(4)
]


def weigh(rows: list[LabelledQuestion], seed: int = 3) -> Iterator[np.ndarray]:
    model = learn(rows, start_from_rows(rows, SMALL), SMALL, seed, "run")
    return (value.numpy() for value in model.state_dict().values())


def test_one_seed_gives_one_model() -> None:
    """Two runs with one seed give the same weights; another seed gives others."""
    first, second, other = (list(weigh(ROWS, seed)) for seed in (3, 3, 4))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_a_heavy_row_outweighs_light_ones() -> None:
    """Where equal questions have two labels, the label with the larger weight wins."""
    for heavy in (IntentLabel.SIMPLE, IntentLabel.GENERAL_CHAT):
        rows = [
            LabelledQuestion(
                question=text, label=label, session_id=str(n), weight=20 if label is heavy else 1
            )
            for n, text in enumerate(["栈", "queue", "树", "graph"] * 4)
            for label in (IntentLabel.SIMPLE, IntentLabel.GENERAL_CHAT)
        ]
        start = start_from_rows(rows, SMALL)
        model = learn(rows, start, SMALL, 3, "run")
        from lab.intent.fitting import infer

        logits = infer(model, start.encoder, to_turns(rows))
        assert {LABELS[place] for place in logits.argmax(axis=1)} == {heavy}
