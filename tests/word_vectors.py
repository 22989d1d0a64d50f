"""An honest small `Embedder`: every word has a random direction, a text the sum of its words' directions."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from plain_faults import plain
from tokenizers import Tokenizer

from vta.errors import UpstreamFailed


class WordVectors:
    """`vta.ports.Embedder`. `synonyms` share a direction; while `down`, it fails as a server does.

    Keeps the texts that it was asked for.
    """

    def __init__(self, name: str = "words", dimensions: int = 32, synonyms: dict[str, str] | None = None):
        self.name = name
        self.dimensions = dimensions
        self.down = False
        self.asked: list[str] = []
        self._synonyms = synonyms or {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.down:
            raise UpstreamFailed(plain("the embeddings server cannot be reached"))
        self.asked += texts
        rows = np.zeros((len(texts), self.dimensions))
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split() or [""]:
                row += self._direction(self._synonyms.get(word, word))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def _direction(self, word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        return np.random.default_rng(seed).normal(size=self.dimensions)


def _small_tokenizer() -> tuple[list[str], Tokenizer]:
    from tokenizers import models, pre_tokenizers, processors

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz", "stack", "queue", "栈"]
    tokenizer = Tokenizer(models.WordLevel({w: n for n, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return words, tokenizer


def write_cross_encoder(folder: Path) -> Path:
    """A cross-encoder whose score is the number of tokens "stack" in question and text together."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    words, tokenizer = _small_tokenizer()
    shape = ["batch", "length"]
    table = np.array([[float(word == "stack")] for word in words], dtype=np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["states"], axis=0),
            helper.make_node("ReduceSum", ["states", "axes"], ["logits"], keepdims=0),
        ],
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, shape)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([1]), "axes")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    folder.mkdir(parents=True)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text('{"max_position_embeddings": 24}')
    return folder


def write_onnx_model(folder: Path, *, seed: int = 0, dimensions: int = 16, first_token: bool = False) -> Path:
    """A sentence-transformers folder with random weights: a token's state is its row of one table."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    words, tokenizer = _small_tokenizer()
    table = np.random.default_rng(seed).normal(size=(len(words), dimensions)).astype(np.float32)
    shape = ["batch", "length"]
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"], axis=0)],
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, shape)],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, dimensions])],
        [numpy_helper.from_array(table, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (folder / "1_Pooling").mkdir(parents=True)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer.save(str(folder / "tokenizer.json"))
    pooling = f'{{"pooling_mode_cls_token": {str(first_token).lower()}}}'
    (folder / "1_Pooling" / "config.json").write_text(pooling)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 24}')
    return folder


def small_token_table(seed: int = 0, dimensions: int = 16) -> bytes:
    """The content of a file for `TokenTable`: a few tokens with random vectors."""
    words = ["<unk>", *"abcdefghijklmnopqrstuvwxyz", "stack", "queue", "栈", "队列", "队", "列"]
    rng = np.random.default_rng(seed)
    content = io.BytesIO()
    np.savez_compressed(
        content,
        tokens=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        scores=np.array([-20.0, *(-float(len(words)) / len(word) for word in words[1:])], dtype=np.float32),
        table=rng.integers(-127, 128, size=(len(words), dimensions), dtype=np.int8),
        scales=np.full(len(words), 0.01, dtype=np.float16),
    )
    return content.getvalue()
