"""Students' questions by the six classes of the LittleMu paper's Table 1, and what courses are answered from.

python -m benchmarks paper_counts HOME QUESTIONS

HOME holds the courses: `vta bench fetch` and `vta bench load` make it for those of the public set. The kinds
of pairs are those of the paper's section 3.1; a search engine is asked when a student asks: it stores none.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from lab.intent.labels import read_labelled
from services.indexing.index_sync import concept_pairs
from services.settings import Settings
from services.wiring import build_platform
from vta.types.pairs import Source
from vta.types.questions import IntentLabel


def run(home: Path, questions: Path) -> dict[str, Any]:
    """QUESTIONS: JSON Lines {id, question, session_id, category}."""
    labelled = read_labelled(questions).rows
    classes = Counter(each.label for each in labelled)
    platform = build_platform(Settings(home=home))
    try:
        courses = platform.stores.courses.courses()
        graph = platform.knowledge.current().graph
        concepts = [concept for each in courses for concept in graph.concepts(each.id)]
        edges = [edge for each in courses for edge in graph.edges(each.id)]
        pairs = [*platform.stores.documents.pairs(), *concept_pairs(concepts)]
    finally:
        platform.close()
    sources = Counter(each.source for each in pairs)
    files = {(each.course_id, each.document) for each in pairs if each.source is Source.MATERIAL}
    return {
        "questions": len(labelled),
        "sessions": len({each.session_id for each in labelled}),
        "classes": {each.value: round(classes[each] / len(labelled), 4) for each in IntentLabel},
        "courses": len(courses),
        "files": len(files),
        "pairs": {each.value: sources[each] for each in Source},
        "concepts": len(concepts),
        "prerequisites": len(edges),
        "prerequisites_shown": sum(each.is_sure for each in edges),
    }
