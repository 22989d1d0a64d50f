"""Writing a fitted ALBERT as the files that service reads: ONNX weights, tokenizer, configuration."""

from __future__ import annotations

import json
import logging
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from intent.albert import (
    CONFIG_FILE,
    MODEL_FILE,
    NGRAMS_FILE,
    TOKENIZER_FILE,
    WORDS_FILE,
    AlbertIntentClassifier,
    ModelConfig,
    mix,
)
from intent.encoding import TurnEncoder, TurnText
from intent.wide import WideLayer
from lab.intent.fitting import infer
from vta.errors import VtaError
from vta.faults import Fault
from vta.scoring import pack

if TYPE_CHECKING:
    from onnx import ModelProto
    from transformers import AlbertForSequenceClassification

TOLERANCE = 1e-3
SMALL = 1024
"""An fp32 constant of more numbers than this must not be left in a quantised model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportCheck:
    """Against torch on the samples: the largest difference of fp32 logits, and of the logits of the file
    written, and the share of samples to which that file gives torch's label.
    """

    fp32_difference: float
    difference: float
    agreement: float


def export(
    model: AlbertForSequenceClassification,
    encoder: TurnEncoder,
    config: ModelConfig,
    out: Path,
    samples: Sequence[TurnText],
    *,
    quantised: bool = True,
    wide: WideLayer | None = None,
) -> ExportCheck:
    """Write the files into `out`, the ALBERT's weights as int8 or as fp32.

    The files are written aside and moved into place once the fp32 logits agree with torch's within
    `TOLERANCE`; otherwise `VtaError`, and what was in `out` stays.
    """
    out.mkdir(parents=True, exist_ok=True)
    wanted = mix(
        infer(model, encoder, samples), None if wide is None else wide.outputs(samples), config.ngram_share
    )
    names = [MODEL_FILE, TOKENIZER_FILE, CONFIG_FILE]
    with tempfile.TemporaryDirectory(dir=out, prefix=".export-") as aside:
        folder = Path(aside)
        (folder / TOKENIZER_FILE).write_text(encoder.to_json(), encoding="utf-8")
        (folder / CONFIG_FILE).write_text(json.dumps(asdict(config), indent=2) + "\n", encoding="utf-8")
        if wide is not None:
            (folder / NGRAMS_FILE).write_bytes(pack(wide.ngrams))
            names.append(NGRAMS_FILE)
        if wide is not None and wide.words is not None:
            (folder / WORDS_FILE).write_bytes(pack(wide.words))
            names.append(WORDS_FILE)
        write_onnx(model, encoder, folder / MODEL_FILE)
        plain = AlbertIntentClassifier.load(folder).logits(samples)
        fp32_difference = float(np.abs(plain - wanted).max())
        if not fp32_difference <= TOLERANCE:
            raise VtaError(Fault("intent.export_differs", difference=fp32_difference))
        if quantised:
            quantise(folder / MODEL_FILE)
        written = AlbertIntentClassifier.load(folder).logits(samples)
        for name in names:
            (folder / name).replace(out / name)
    return ExportCheck(
        fp32_difference=fp32_difference,
        difference=float(np.abs(written - wanted).max()),
        agreement=float(np.mean(written.argmax(axis=1) == wanted.argmax(axis=1))),
    )


def write_onnx(model: AlbertForSequenceClassification, encoder: TurnEncoder, path: Path) -> None:
    """The model as fp32 ONNX, for any number of turns of any length up to the encoder's."""
    import onnx
    import torch

    turns = [TurnText(question="what is a stack", previous="hello"), TurnText(question="hello")]
    encoded = encoder.encode(turns)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    inputs = tuple(torch.from_numpy(getattr(encoded, name)) for name in names)
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length", max=encoder.max_length)}
    with _hush():
        program = torch.onnx.export(
            model,
            inputs,
            input_names=names,
            output_names=["logits"],
            dynamic_shapes=(axes, axes, axes),
            dynamo=True,
            verbose=False,
        )
    program.save(path, external_data=False)
    graph_model = onnx.load(path)
    _drop_notes(graph_model)
    onnx.save(graph_model, path)


def quantise(path: Path) -> None:
    """Replace fp32 weights by 8-bit ones, one scale a matrix; inputs are scaled as they come.

    It sees constants alone, so the graph is simplified before: none is behind an Identity or a Transpose.
    Unsigned, since sums of signed by unsigned products overflow 16 bits on processors without VNNI.

    `VtaError` where a large fp32 constant is left.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.preprocess import quant_pre_process

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        plain, small = Path(folder) / "plain.onnx", Path(folder) / path.name
        with _hush():
            quant_pre_process(path, plain, skip_symbolic_shape=True, skip_onnx_shape=True)
            graph_model = onnx.load(plain)
            del graph_model.graph.value_info[:]  # shapes of weights, which the quantiser turns around
            quantize_dynamic(
                graph_model,
                small,
                op_types_to_quantize=["MatMul", "Gemm", "Gather"],
                weight_type=QuantType.QUInt8,
                extra_options={"MatMulConstBOnly": True},
            )
        if left := list_large_constants(onnx.load(small), SMALL):
            raise VtaError(Fault("intent.not_quantised", weights=", ".join(left)))
        small.replace(path)


def _drop_notes(model: ModelProto) -> None:
    """Take out what the exporter noted of the program it came from, names of its files included."""
    graph = model.graph
    values = (*graph.input, *graph.output, *graph.value_info, *graph.initializer)
    for part in (graph, *graph.node, *values):
        part.doc_string = ""
        del part.metadata_props[:]


def list_large_constants(model: ModelProto, limit: int) -> list[str]:
    """The names of fp32 constants of more than `limit` numbers."""
    import onnx

    tensors = [
        *model.graph.initializer,
        *(a.t for node in model.graph.node for a in node.attribute if node.op_type == "Constant"),
    ]
    return [
        tensor.name
        for tensor in tensors
        if tensor.data_type == onnx.TensorProto.FLOAT and int(np.prod(tensor.dims)) > limit
    ]


@contextmanager
def _hush() -> Iterator[None]:
    """Without the warnings that exporter and quantiser give about their own internals."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
