"""Writing a fitted ALBERT as the files that service reads: ONNX weights, tokenizer, configuration."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from intent.albert import CONFIG_FILE, MODEL_FILE, TOKENIZER_FILE, AlbertIntentClassifier, ModelConfig
from intent.encoding import TurnEncoder, TurnText
from intent.fitting import infer
from vta.errors import VtaError

if TYPE_CHECKING:
    from transformers import AlbertForSequenceClassification

TOLERANCE = 1e-4


def export(
    model: AlbertForSequenceClassification,
    encoder: TurnEncoder,
    config: ModelConfig,
    out: Path,
    samples: Sequence[TurnText],
) -> float:
    """Write the three files into `out`; returns the largest difference of torch and ONNX logits on samples.

    The files are written aside and moved into place once they agree within `TOLERANCE`; otherwise
    `VtaError`, and what was in `out` stays.
    """
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".export-") as aside:
        folder = Path(aside)
        (folder / TOKENIZER_FILE).write_text(encoder.to_json(), encoding="utf-8")
        (folder / CONFIG_FILE).write_text(config.to_json() + "\n", encoding="utf-8")
        _write_onnx(model, encoder, folder / MODEL_FILE)
        exported = AlbertIntentClassifier.load(folder).logits(samples)
        difference = float(np.abs(exported - infer(model, encoder, samples)).max())
        if not difference <= TOLERANCE:
            raise VtaError(f"the ONNX model differs from the torch model by {difference:.2g} in its logits")
        for name in (MODEL_FILE, TOKENIZER_FILE, CONFIG_FILE):
            (folder / name).replace(out / name)
    return difference


def _write_onnx(model: AlbertForSequenceClassification, encoder: TurnEncoder, path: Path) -> None:
    import torch

    turns = [TurnText(question="what is a stack", previous="hello"), TurnText(question="hello")]
    encoded = encoder.encode(turns)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    inputs = tuple(torch.from_numpy(getattr(encoded, name)) for name in names)
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length", max=encoder.max_length)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of its own internals
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
