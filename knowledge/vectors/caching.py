"""Embeddings cached by text, so that rebuilding an index embeds only changed texts."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from knowledge.vectors.rows import Vectors
from vta.ports import Embedder

_WAIT_S = 30.0
_ASKED_AT_ONCE = 500


class CachedEmbedder:
    """`vta.ports.Embedder` that asks another one for a text only once.

    The file, one a model, holds hashes and vectors and no text. It may be deleted at any time.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self.name = embedder.name
        digest = hashlib.sha256(embedder.name.encode()).hexdigest()[:16]
        self._file = folder / f"{digest}.db"

    def embed(self, texts: Sequence[str]) -> Vectors:
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        with closing(self._open()) as kept:
            known = _look_up(kept, keys)
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            if not missing and texts:
                return np.stack([known[key] for key in keys])
            made = self._embedder.embed(list(missing.values()))
            if any(row.shape != made.shape[1:] for row in known.values()):
                # the model behind the name is another one now
                with kept:
                    kept.execute("DELETE FROM embedding")
                return self._embedder.embed(texts)
            with kept:
                rows = [(key, row.tobytes()) for key, row in zip(missing, made, strict=True)]
                kept.executemany("INSERT OR REPLACE INTO embedding VALUES (?, ?)", rows)
        known.update(zip(missing, made, strict=True))
        return np.stack([known[key] for key in keys]) if texts else made

    def _open(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        kept = sqlite3.connect(self._file, timeout=_WAIT_S)
        kept.execute(
            "CREATE TABLE IF NOT EXISTS embedding (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )
        return kept


def _look_up(kept: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
    found: dict[bytes, Vectors] = {}
    for start in range(0, len(keys), _ASKED_AT_ONCE):
        some = keys[start : start + _ASKED_AT_ONCE]
        marks = ", ".join("?" * len(some))
        rows = kept.execute(f"SELECT text, vector FROM embedding WHERE text IN ({marks})", some)  # noqa: S608
        found.update((key, np.frombuffer(vector, dtype=np.float32)) for key, vector in rows)
    return found
