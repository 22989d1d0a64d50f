import warnings

import numpy as np
import pytest

from intent.albert import to_prediction
from intent.wide import LABELS
from lab.intent.calibration import calibrate_alpha, choose_alpha_crosswise
from lab.intent.evaluation import compare, evaluate
from lab.intent.labels import LabelledQuestion
from lab.intent.metrics import count_confusion, expected_calibration_error, macro_f1, precision_recall_f1
from lab.measures.metrics import roc_auc
from vta.errors import InvalidInput
from vta.types.questions import IntentLabel, IntentPrediction

SEEDS = range(20)


def to_row(label: IntentLabel) -> LabelledQuestion:
    return LabelledQuestion(question="q", label=label, session_id="1")


class Majority:
    """Answers `simple` with certainty."""

    def predict(self, question: str, *, previous: str = "", course: str = "") -> IntentPrediction:
        return to_prediction(np.array([1.0, 0, 0, 0, 0, 0]))


@pytest.mark.train
@pytest.mark.parametrize("seed", SEEDS)
def test_figures_agree_with_scikit_learn(seed: int) -> None:
    """Macro-F1, precision, recall, F1 and ROC-AUC, ties included, are those of scikit-learn."""
    oracle = pytest.importorskip("sklearn.metrics", reason="scikit-learn (extra `train`) is the oracle")
    random = np.random.default_rng(seed)
    true, predicted = random.integers(0, 6, 60), random.integers(0, 5, 60)
    confusion = count_confusion(true, predicted, 6)
    assert (confusion == oracle.confusion_matrix(true, predicted, labels=range(6))).all()
    assert macro_f1(confusion) == pytest.approx(oracle.f1_score(true, predicted, average="macro"))
    positive, found = true > 2, predicted > 2
    expected = oracle.precision_recall_fscore_support(positive, found, average="binary")[:3]
    assert precision_recall_f1(positive, found) == pytest.approx(expected)
    scores = np.round(random.random(60), 1)
    assert roc_auc(positive, scores) == pytest.approx(oracle.roc_auc_score(positive, scores))


def test_calibration_error_by_hand() -> None:
    """Two bins: 0.9 sure and half right on two rows, 0.2 sure and right on one: (2 * 0.4 + 0.8) / 3."""
    confidence, correct = np.array([0.9, 0.9, 0.2]), np.array([True, False, True])
    assert expected_calibration_error(confidence, correct, bins=2) == pytest.approx((0.8 + 0.8) / 3)
    assert expected_calibration_error(np.array([0.0, 1.0]), np.array([False, True])) == 0


def test_undefined_figures_are_none() -> None:
    """Without positives, or without rows, there is no recall and no area under the curve."""
    nobody = np.zeros(3, dtype=np.bool_)
    assert precision_recall_f1(nobody, nobody) == (None, None, None)
    assert roc_auc(nobody, np.ones(3)) is None
    assert expected_calibration_error(np.zeros(0), np.zeros(0, dtype=np.bool_)) is None


def test_chit_chat_figures_leave_class_other_out() -> None:
    """Rows of class `other` count six-way and nowhere in the chit-chat figures."""
    sure = {label: to_prediction(np.eye(6)[number]) for number, label in enumerate(LABELS)}
    rows = [to_row(label) for label in LABELS]
    wrong = [sure[IntentLabel.GENERAL_CHAT if label is IntentLabel.OTHER else label] for label in LABELS]
    result = compare(rows, wrong)
    assert result.accuracy == pytest.approx(5 / 6)
    assert result.chit_chat.n == 5
    assert (result.chit_chat.precision, result.chit_chat.recall, result.chit_chat.auc) == (1, 1, 1)
    assert result.confusion[IntentLabel.OTHER][IntentLabel.GENERAL_CHAT] == 1


def test_alpha_is_the_cut_on_h() -> None:
    """A row counts as chit-chat where h > alpha, not where h = alpha."""
    prediction = to_prediction(np.array([0.6, 0, 0, 0.3, 0.1, 0]))
    rows = [to_row(IntentLabel.GENERAL_CHAT)]
    assert compare(rows, [prediction], alpha=prediction.chit_chat).chit_chat.recall == 0
    assert compare(rows, [prediction], alpha=0.39).chit_chat.recall == 1


def test_evaluate_asks_a_classifier_and_prints_the_agreed_object() -> None:
    """`evaluate` works on any classifier; its JSON has the keys of `vta intent evaluate`."""
    rows = [to_row(IntentLabel.SIMPLE), to_row(IntentLabel.SIMPLE), to_row(IntentLabel.GENERAL_CHAT)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = evaluate(Majority(), rows).to_json()
    assert list(shown) == ["n", "accuracy", "macro_f1", "chit_chat", "ece", "confusion"]
    assert shown["accuracy"] == pytest.approx(2 / 3)
    assert shown["macro_f1"] == pytest.approx(0.4)
    assert shown["chit_chat"] == {"precision": None, "recall": 0.0, "f1": 0.0, "auc": 0.5}
    assert shown["ece"] == pytest.approx(1 / 3)
    assert str(shown["confusion"]).startswith("{'simple': {'simple': 2, "), "as it is shown without --json"


def test_no_rows_are_refused() -> None:
    """There are no figures of nothing."""
    with pytest.raises(InvalidInput, match="no labelled question"):
        evaluate(Majority(), [])


def to_scored(scores: list[float], chat: list[bool]) -> tuple[list[LabelledQuestion], list[IntentPrediction]]:
    labels = [IntentLabel.GENERAL_CHAT if is_chat else IntentLabel.SIMPLE for is_chat in chat]
    rows = [
        LabelledQuestion(question="q", label=label, session_id=f"{number:03}")
        for number, label in enumerate(labels)
    ]
    return rows, [to_prediction(np.array([1 - h, 0, 0, h, 0, 0])) for h in scores]


def test_alpha_loses_no_more_questions_than_allowed() -> None:
    """Of 50 questions with h = 0.00, 0.01, ... one may be lost at 2 %: the least such alpha is 0.48."""
    rows, predictions = to_scored([n / 100 for n in range(50)] + [0.45, 0.9], [False] * 50 + [True] * 2)
    choice = calibrate_alpha(rows, predictions, max_lost=0.02)
    assert (choice.chosen.alpha, choice.chosen.lost, choice.chosen.caught) == (0.48, 0.02, 0.5)
    assert [point.alpha for point in choice.curve] == sorted({point.alpha for point in choice.curve})
    assert calibrate_alpha(rows, predictions, max_lost=0).chosen.alpha == 0.49
    with pytest.raises(InvalidInput, match="needs rows"):
        calibrate_alpha(rows[:50], predictions[:50])
    with pytest.raises(InvalidInput, match="share"):
        calibrate_alpha(rows, predictions, max_lost=1.5)


def test_alpha_of_a_half_is_chosen_on_the_other_half() -> None:
    """Changing the scores of one half of the sessions changes the alpha of the other half alone."""
    chat = [number % 4 < 2 for number in range(40)]
    rows, predictions = to_scored([0.8 if is_chat else 0.2 for is_chat in chat], chat)
    _, changed = to_scored(
        [
            (0.8 if is_chat else 0.2) if number % 2 else (0.1 if is_chat else 0.05)
            for number, is_chat in enumerate(chat)
        ],
        chat,
    )
    before, after = choose_alpha_crosswise(rows, predictions), choose_alpha_crosswise(rows, changed)
    assert (before == 0.2).all()
    assert (after[::2] == 0.2).all()
    assert (after[1::2] == 0.05).all()
