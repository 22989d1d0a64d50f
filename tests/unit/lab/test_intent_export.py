from pathlib import Path

import numpy as np
import pytest
from left_out import needs_libraries

from intent.albert import AlbertIntentClassifier, ModelConfig
from intent.encoding import TurnText
from intent.wide import LABELS
from lab.intent.labels import LabelledQuestion
from lab.intent.settings import TRAINING_LIBRARIES, TrainingSettings
from vta.types.questions import IntentLabel

pytestmark = [pytest.mark.train, needs_libraries(*TRAINING_LIBRARIES)]

SIZES = TrainingSettings(
    vocabulary=400, max_length=32, embedding=64, hidden=128, layers=3, heads=4, intermediate=512
)
ROWS = [
    LabelledQuestion(question=text, label=IntentLabel.SIMPLE, session_id="1")
    for text in ("what is a stack", "什么是栈和队列", "hello there my friend", "怎么申请证书")
] * 3
TURNS = [TurnText(question=row.question, previous="hello"[: n % 6]) for n, row in enumerate(ROWS)]


def test_int8_has_no_large_fp32_weights_and_agrees_with_torch(tmp_path: Path) -> None:
    """fp32 logits are torch's; int8 is smaller, near them, and no matrix was skipped."""
    import onnx
    import torch
    from transformers import AlbertForSequenceClassification

    from lab.intent.export import SMALL, export, list_large_constants
    from lab.intent.fitting import configure, infer
    from lab.intent.starting import start_from_rows

    encoder = start_from_rows(ROWS, SIZES).encoder
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = AlbertForSequenceClassification(configure(encoder, SIZES)).eval()
    config = ModelConfig(labels=LABELS, max_length=32, temperature=1.0)
    plain = export(model, encoder, config, tmp_path / "fp32", TURNS, quantised=False)
    small = export(model, encoder, config, tmp_path / "int8", TURNS, quantised=True)
    graphs = {name: onnx.load(tmp_path / name / "model.onnx") for name in ("fp32", "int8")}
    assert list_large_constants(graphs["fp32"], SMALL)
    assert not list_large_constants(graphs["int8"], SMALL)
    operations = [node.op_type for node in graphs["int8"].graph.node]
    assert "Identity" not in operations
    assert operations.count("MatMulInteger") >= 6 * SIZES.layers
    assert plain.difference == plain.fp32_difference <= 1e-4
    wanted = infer(model, encoder, TURNS)
    served = AlbertIntentClassifier.load(tmp_path / "int8").logits(TURNS)
    assert np.abs(served - wanted).max() == pytest.approx(small.difference, abs=1e-6)
    assert 0 < small.difference < 0.2 * np.abs(wanted).max()
    for name in graphs:
        assert b"site-packages" not in (tmp_path / name / "model.onnx").read_bytes()
    sizes = {name: (tmp_path / name / "model.onnx").stat().st_size for name in graphs}
    assert sizes["int8"] < 0.75 * sizes["fp32"]
