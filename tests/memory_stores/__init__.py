"""Stores in memory, forgotten with the process: for trying things out and for tests.

They keep every promise of their ports except lasting; one lock makes each call a transaction.
"""

from __future__ import annotations

from memory_stores.catalogue import Memory, MemoryCourses, MemoryDocuments, MemoryExactMatches
from memory_stores.graph_edits import MemoryGraphEdits
from memory_stores.sessions import MemorySessions

__all__ = [
    "Memory",
    "MemoryCourses",
    "MemoryDocuments",
    "MemoryExactMatches",
    "MemoryGraphEdits",
    "MemorySessions",
]
