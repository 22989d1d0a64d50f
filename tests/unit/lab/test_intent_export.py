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

    from lab.intent.export import SMALL, export
    from lab.intent.fitting import configure, infer
    from lab.intent.onnx_graph import list_large_constants
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


def test_shared_weights_behind_identities_are_found() -> None:
    """An Identity between a constant and its reader is bypassed; one that writes an output stays."""
    from onnx import TensorProto, helper

    from lab.intent.onnx_graph import bypass_identities

    weight = helper.make_tensor("w", TensorProto.FLOAT, [2, 2], [1.0, 0, 0, 1])
    nodes = [
        helper.make_node("Identity", ["w"], ["w1"]),
        helper.make_node("Identity", ["w1"], ["w2"]),
        helper.make_node("MatMul", ["x", "w2"], ["y"]),
        helper.make_node("Identity", ["y"], ["out"]),
    ]
    shape = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2]) for name in ("x", "out")]
    model = helper.make_model(helper.make_graph(nodes, "g", shape[:1], shape[1:], [weight]))
    assert bypass_identities(model) == 2
    assert [list(node.input) for node in model.graph.node] == [["x", "w"], ["y"]]


def test_transposed_constants_are_turned_around_once() -> None:
    """Two readers of one transposed constant share the turned one; the original is dropped."""
    from onnx import TensorProto, helper, numpy_helper

    from lab.intent.onnx_graph import fold_transposes

    weight = helper.make_tensor("w", TensorProto.FLOAT, [2, 3], [1.0, 2, 3, 4, 5, 6])
    nodes = [
        helper.make_node("Transpose", ["w"], ["a"], perm=[1, 0]),
        helper.make_node("Transpose", ["w"], ["b"], perm=[1, 0]),
        helper.make_node("MatMul", ["x", "a"], ["y"]),
        helper.make_node("MatMul", ["x", "b"], ["z"]),
        helper.make_node("Add", ["y", "z"], ["out"]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3])]
    outputs = [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 2])]
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, [weight]))
    assert fold_transposes(model) == 2
    (left,) = model.graph.initializer
    assert numpy_helper.to_array(left).tolist() == [[1, 4], [2, 5], [3, 6]]
    assert [node.input[1] for node in model.graph.node[:2]] == [left.name] * 2
