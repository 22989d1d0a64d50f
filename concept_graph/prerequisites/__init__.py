"""Prerequisites discovered from a course's texts alone, without any labelled pair."""

from concept_graph.prerequisites.discovery import discover
from concept_graph.prerequisites.pairs import score_pairs

__all__ = ["discover", "score_pairs"]
