"""What `vta doctor` says of the search index: how it is, what is wrong with it, and what mends it."""

from __future__ import annotations

from knowledge.index.embedded import EmbeddedIndex
from knowledge.index.embedded_examination import FolderExamination, examine_folder
from services.indexing.concepts import stamp_revision
from vta.errors import NotReady, UpstreamFailed
from vta.ports import KnowledgeSource, PairIndex

_WRITABLE = "make room or give this user the right to write, and the index catches up by itself"
_LEFT_OVER = "left by a process that was killed, which do no harm; vta reindex removes them"


def examine_index(index: PairIndex, documents: KnowledgeSource) -> str:
    """One line; it begins with "failed: " where searches fail or the index cannot follow the store."""
    engine = "embedded index" if isinstance(index, EmbeddedIndex) else "Elasticsearch"
    try:
        folder = examine_folder(index) if isinstance(index, EmbeddedIndex) else FolderExamination()
        stamp = index.stamp()
    except UpstreamFailed as failure:
        return f"failed: {failure.message}; the index catches up by itself once it is back"
    except NotReady as failure:
        return f"failed: {failure.message}; vta reindex builds it anew"
    if folder.unwritable is not None:
        return f"failed: the folder of the index cannot be written: {folder.unwritable}; {_WRITABLE}"
    if stamp is None:
        return f"{engine}, empty; the next question or vta reindex builds it"
    notes = [f"{engine}, made at {stamp}"]
    if (behind := _behind(stamp, documents)) > 0:
        many = "revision" if behind == 1 else "revisions"
        notes.append(f"{behind} {many} behind the store, which the next question or vta reindex makes up for")
    if folder.left_over:
        notes.append(f"{folder.left_over} {_LEFT_OVER}")
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
