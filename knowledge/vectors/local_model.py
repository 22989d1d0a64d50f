"""A sentence-transformers model in a folder, exported to ONNX: no torch in service.

The folder holds `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`; where they are there,
`1_Pooling/config.json` names the pooling and `sentence_bert_config.json`, `tokenizer_config.json` or
`config.json` the length.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from knowledge.vectors.rows import Vectors, unit_rows
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import Embedder

_BATCH = 32
_LONGEST = 512
_LENGTHS = (
    ("sentence_bert_config.json", "max_seq_length"),
    ("tokenizer_config.json", "model_max_length"),
    ("config.json", "max_position_embeddings"),
)
_CHARACTERS_PER_TOKEN = 16
_READ_BYTES = 1 << 20


class LocalEmbedder:
    """`vta.ports.Embedder` by ONNX Runtime on one thread.

    Holds no state that changes: threads may share it. It pools by the mean over the tokens, or by the first
    token's state where the folder says so.
    """

    def __init__(self, folder: Path) -> None:
        """`InvalidInput` naming the file that is missing or cannot be used."""
        opened = open_model(folder)
        pooling = _read_json(folder / "1_Pooling" / "config.json")
        opened.tokenizer.no_padding()
        opened.tokenizer.enable_truncation(opened.length)
        self.name = _fingerprint(opened.files, pooling, opened.length)
        self._session = opened.session
        self._tokenizer = opened.tokenizer
        self._characters = opened.length * _CHARACTERS_PER_TOKEN
        self._first_token = bool(pooling.get("pooling_mode_cls_token"))
        self._inputs = tuple(each.name for each in opened.session.get_inputs())
        self._output = opened.session.get_outputs()[0]

    def embed(self, texts: Sequence[str]) -> Vectors:
        tokens = [self._tokenizer.encode(text[: self._characters]).ids or [0] for text in texts]
        by_length = sorted(range(len(tokens)), key=lambda n: len(tokens[n]))
        batches = [by_length[start : start + _BATCH] for start in range(0, len(by_length), _BATCH)]
        if not batches:
            return np.zeros((0, int(self._output.shape[-1])), dtype=np.float32)
        rows = np.concatenate([self._run([tokens[n] for n in batch]) for batch in batches])
        return unit_rows(rows[np.argsort(by_length)])

    def _run(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The pooled states of one batch, n x d."""
        shape = (len(tokens), max(map(len, tokens)))
        ids, mask = (np.zeros(shape, dtype=np.int64) for _ in range(2))
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        known = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {name: known[name] for name in self._inputs}
        states = np.asarray(self._session.run([self._output.name], feed)[0], dtype=np.float32)
        if states.ndim == 2:  # the export pools itself
            return states
        if self._first_token:
            return np.asarray(states[:, 0])
        weights = mask[..., None].astype(np.float32)
        return np.asarray((states * weights).sum(axis=1) / weights.sum(axis=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxModel:
    """A model in a folder; its tokenizer cuts at `length` tokens at most."""

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer
    length: int
    files: tuple[Path, ...]


def open_model(folder: Path) -> OnnxModel:
    """`InvalidInput` naming the file that is missing or cannot be used."""
    model = folder / "onnx" / "model.onnx"
    model = model if model.is_file() else folder / "model.onnx"
    words = folder / "tokenizer.json"
    settings = {file: _read_json(folder / file) for file, _ in _LENGTHS}
    try:
        tokenizer = Tokenizer.from_buffer(words.read_bytes())
        model.open("rb").close()
    except OSError as error:
        file = Path(error.filename or words)
        raise _unusable(file, error.strerror or str(error)) from error
    except Exception as error:  # the library raises bare Exception
        raise _unusable(words, str(error)) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library has no common error but this
        raise _unusable(model, str(error)) from error
    return OnnxModel(
        session=session,
        tokenizer=tokenizer,
        length=_max_length(settings, tokenizer),
        files=(model, *model.parent.glob("model.onnx?*"), words),
    )


def read_prefixes(folder: Path) -> Prefixes:
    """The prefixes of questions and passages in the model's `config_sentence_transformers.json`."""
    prompts = _read_json(folder / "config_sentence_transformers.json").get("prompts")
    named = prompts if isinstance(prompts, dict) else {}
    return Prefixes(
        query=str(named.get("query") or ""),
        passage=str(named.get("passage") or named.get("document") or ""),
    )


def _max_length(settings: Mapping[str, Mapping[str, object]], tokenizer: Tokenizer) -> int:
    """That of sentence-transformers, else the shortest that another file names; at most `_LONGEST` tokens."""
    named = [settings[file].get(key) for file, key in _LENGTHS]
    if tokenizer.truncation:
        named.append(tokenizer.truncation["max_length"])
    lengths = [length for length in named if isinstance(length, int)]
    own = named[0]
    return min(own, _LONGEST) if isinstance(own, int) else min([*lengths, _LONGEST])


def _fingerprint(files: Sequence[Path], pooling: Mapping[str, object], length: int) -> str:
    """Everything that makes the vectors what they are."""
    digest = hashlib.sha256(f"{length} {json.dumps(pooling, sort_keys=True)}".encode())
    for file in sorted(files):
        with file.open("rb") as opened:
            while piece := opened.read(_READ_BYTES):
                digest.update(piece)
    return f"local {digest.hexdigest()[:16]}"


def _read_json(file: Path) -> Mapping[str, object]:
    """The object in a file; nothing where there is no such file."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise _unusable(file, str(error)) from error
    return value if isinstance(value, dict) else {}


def _unusable(file: Path, reason: str) -> InvalidInput:
    return InvalidInput(Fault("index.embedding_model", file=str(file), reason=reason), path=str(file))


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """Texts put before questions and before passages; empty for most models."""

    query: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixedEmbedder:
    """`vta.ports.Embedder` of one side. Both sides bear one name, since their vectors are compared."""

    embedder: Embedder
    prefix: str
    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self.embedder.embed([self.prefix + text for text in texts])


def two_sides(embedder: Embedder, prefixes: Prefixes) -> tuple[Embedder, Embedder]:
    """The embedders of questions and of passages."""
    if prefixes == Prefixes():
        return embedder, embedder
    name = f"{embedder.name} {prefixes.query!r} {prefixes.passage!r}"
    query, passage = (
        PrefixedEmbedder(embedder=embedder, prefix=prefix, name=name)
        for prefix in (prefixes.query, prefixes.passage)
    )
    return query, passage
