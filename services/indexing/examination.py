"""What `vta doctor` says of the search index: how it is, what is wrong with it, and what mends it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

from knowledge.index.embedded import EmbeddedIndex
from services.indexing.concepts import stamp_revision
from vta.errors import NotReady, UpstreamFailed
from vta.ports import KnowledgeSource, PairIndex

_WRITABLE = "make room or give this user the right to write, and the index catches up by itself"
_LEFT_OVER = "left by a process that was killed, which do no harm; vta reindex removes them"
_SAMPLE_BYTES = 1_000_000
"""More than an edit writes; a rebuild writes more."""
_READ = 10_000
"""Pairs that are read to see whether they can be; all of a large index would take minutes."""


def examine_index(index: PairIndex, documents: KnowledgeSource) -> str:
    """One line; it begins with "failed: " where searches fail or the index cannot follow the store."""
    embedded = index if isinstance(index, EmbeddedIndex) else None
    engine = "Elasticsearch" if embedded is None else "embedded index"
    try:
        stamp = index.stamp()
        if embedded is not None and stamp is not None:
            embedded.read_pairs(_READ)
    except UpstreamFailed as failure:
        return f"failed: {failure.message}; the index catches up by itself once it is back"
    except NotReady as failure:
        return f"failed: {failure.message}; vta reindex builds it anew"
    if embedded is not None and (reason := _unwritable(embedded.generations.path)):
        return f"failed: the folder of the index cannot be written: {reason}; {_WRITABLE}"
    if stamp is None:
        return f"{engine}, empty; the next question or vta reindex builds it"
    notes = [f"{engine}, made at {stamp}"]
    if (behind := _behind(stamp, documents)) > 0:
        many = "revision" if behind == 1 else "revisions"
        notes.append(f"{behind} {many} behind the store, which the next question or vta reindex makes up for")
    if embedded is not None and (left := _left_over(embedded)):
        notes.append(f"{left} {_LEFT_OVER}")
    return "; ".join(notes)


def revisions_behind(index: PairIndex, documents: KnowledgeSource) -> int:
    """How many changes of the store an index does not hold yet; 0 for one that is empty or cannot be read."""
    try:
        stamp = index.stamp()
    except (UpstreamFailed, NotReady):
        return 0
    return 0 if stamp is None else _behind(stamp, documents)


def _behind(stamp: str, documents: KnowledgeSource) -> int:
    return max(0, documents.revision() - (stamp_revision(stamp) or 0))


def _left_over(index: EmbeddedIndex) -> int:
    """Generations of processes that were killed; 0 while another process is writing."""
    try:
        with FileLock(index.generations.lock_file, timeout=0):
            return len(index.generations.left_over())
    except (OSError, Timeout):
        return 0


def _unwritable(folder: Path) -> str | None:
    """Why nothing can be written, if so."""
    if not folder.exists():
        return None
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0" * _SAMPLE_BYTES)
            file.flush()
    except OSError as error:
        return error.strerror or type(error).__name__
    return None
