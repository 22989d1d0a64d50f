"""Stores in memory, forgotten with the process: for trying things out and for tests.

They keep every promise of their ports except lasting; one lock makes each call a transaction.
"""

from __future__ import annotations

from vta.memory.catalogue import Memory, MemoryCourses, MemoryDocuments, MemoryExactMatches
from vta.memory.graph_edits import MemoryGraphEdits
from vta.memory.sessions import MemorySessions

__all__ = [
    "Memory",
    "MemoryCourses",
    "MemoryDocuments",
    "MemoryExactMatches",
    "MemoryGraphEdits",
    "MemorySessions",
]
