import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from intent.albert import AlbertIntentClassifier
from intent.wide import LABELS
from lab.intent.calibration import calibrate_crosswise, fit_temperature
from lab.intent.labels import LabelledQuestion
from lab.intent.settings import TRAINING_LIBRARIES, TrainingSettings
from lab.intent.splits import fold_sessions
from lab.intent.training import read_shipped_utterances, train
from vta.errors import InvalidInput, VtaError

TINY = TrainingSettings(
    vocabulary=800,
    max_length=32,
    embedding=32,
    hidden=64,
    layers=1,
    heads=2,
    intermediate=64,
    pretraining_epochs=1,
    adaptation_epochs=1,
    epochs=10,
    learning_rate=3e-3,
    folds=2,
)


def to_rows(sessions: int) -> list[LabelledQuestion]:
    return [
        LabelledQuestion(question=f"q{turn}", label=LABELS[turn], session_id=str(session))
        for session in range(sessions)
        for turn in range(3)
    ]


def write_rows(path: Path, rows: list[LabelledQuestion]) -> Path:
    lines = [
        {"id": number, "question": row.question, "session_id": row.session_id, "category": row.label.value}
        for number, row in enumerate(rows)
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_folds_keep_sessions_whole() -> None:
    """A session is tested by one fold, folds are of one size, and the seed alone decides."""
    rows = to_rows(50)
    folds = fold_sessions(rows, 5, seed=3)
    assert len({(row.session_id, fold) for row, fold in zip(rows, folds, strict=True)}) == 50
    assert Counter(folds) == dict.fromkeys(range(5), 30)
    assert fold_sessions(rows, 5, seed=3) == folds
    assert fold_sessions(rows, 5, seed=4) != folds


def test_temperature_recovers_how_sure_logits_should_be() -> None:
    """Logits that are three times too large get a temperature near 3."""
    random = np.random.default_rng(0)
    logits = random.normal(size=(4000, 6))
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    drawn = [LABELS[random.choice(6, p=row)] for row in chances]
    rows = [LabelledQuestion(question="q", label=l, session_id=str(n)) for n, l in enumerate(drawn)]  # noqa: E741
    assert fit_temperature(3 * logits, rows) == pytest.approx(3, rel=0.1)


def test_crosswise_calibration_does_not_look_at_its_own_half() -> None:
    """Changing the labels of one half changes the probabilities of the other half only."""
    random = np.random.default_rng(0)
    logits = random.normal(size=(60, 6))
    rows = [LabelledQuestion(question="q", label=LABELS[n % 6], session_id=f"{n:02}") for n in range(60)]
    flipped = [
        row
        if n % 2
        else LabelledQuestion(question="q", label=LABELS[int(logits[n].argmax())], session_id=f"{n:02}")
        for n, row in enumerate(rows)
    ]
    changed = (calibrate_crosswise(logits, rows) != calibrate_crosswise(logits, flipped)).any(axis=1)
    assert not changed[::2].any()
    assert changed[1::2].all()


def test_a_missing_training_library_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without torch, training is refused with the name of the extra to install, and nothing is written."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(VtaError, match="'torch'") as caught:
        train(tmp_path / "x.jsonl", tmp_path / "out")
    assert "extra `train`" in caught.value.message
    assert not (tmp_path / "out").exists()


@pytest.mark.train
@pytest.mark.slow
def test_a_tiny_training_beats_majority_and_can_be_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under two minutes: held-out accuracy 10 points above majority, weights that load, a card with them."""
    for name in TRAINING_LIBRARIES:
        pytest.importorskip(name, reason=f"{name} is missing: install the extra `train`")
    english = [
        row for data in read_shipped_utterances() if data.name == "utterances_en.jsonl" for row in data.rows
    ]
    data = write_rows(tmp_path / "mine.jsonl", english)
    text = tmp_path / "course.txt"
    text.write_text("A stack is a list. " * 50 + "栈是一种线性表。" * 50, encoding="utf-8")
    out = tmp_path / "out"
    report = train(data, out, seed=1, settings=TINY, pretrain=[text], with_shipped_utterances=False)
    counts = Counter(row.label for row in english)
    held_out = report.comparisons[0]
    assert held_out.model.n == held_out.albert.n == len(english)
    assert held_out.albert.accuracy > max(counts.values()) / len(english) + 0.1
    assert held_out.model.accuracy > max(counts.values()) / len(english) + 0.1
    assert report.check.fp32_difference <= 1e-3
    assert AlbertIntentClassifier.load(out).predict("hello").probabilities
    assert sorted(path.name for path in out.iterdir()) == [
        "MODEL_CARD.md",
        "config.json",
        "model.onnx",
        "ngrams.npz",
        "tokenizer.json",
    ]
    card = (out / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "mine.jsonl" in card
    assert "course.txt" in card
    assert json.loads(json.dumps(report.to_json()))["seed"] == 1
    assert capsys.readouterr().out == ""


@pytest.mark.train
def test_bad_data_stops_training_before_anything_is_written(tmp_path: Path) -> None:
    """A bad row is `InvalidInput` and the output folder is not made."""
    for name in TRAINING_LIBRARIES:
        pytest.importorskip(name, reason=f"{name} is missing: install the extra `train`")
    (tmp_path / "bad.jsonl").write_text("{}")
    with pytest.raises(InvalidInput, match="line 1"):
        train(tmp_path / "bad.jsonl", tmp_path / "out")
    assert not (tmp_path / "out").exists()
