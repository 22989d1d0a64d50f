"""Prerequisites discovered from a course's texts, with weights fitted on other, judged courses."""

from concept_graph.prerequisites.discovery import discover
from concept_graph.prerequisites.pairs import score_pairs

__all__ = ["discover", "score_pairs"]
