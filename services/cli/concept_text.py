"""A concept and what comes before and after it, in lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.cli.output import show
from vta.places import describe_place
from vta.types import Concept, ConceptStudy, Language, Place, RelatedConcept


def show_study(study: ConceptStudy) -> None:
    """Print a study; empty parts are left out."""
    show(f"{_explain(study.concept)}\n  {_where(study.place)}")
    _show_part("Direct prerequisites, surest first", _related(study.prerequisites), 0)
    steps = [
        f"{n}. {_explain(step.concept)} ({_where(step.place)})" for n, step in enumerate(study.path, start=1)
    ]
    _show_part("Learning path", steps, study.path_left_out)
    _show_part("Builds on it", _related(study.dependents), study.dependents_left_out)


def _show_part(title: str, lines: Sequence[str] | Iterator[str], left_out: int) -> None:
    lines = list(lines)
    if lines:
        show("\n".join((f"\n{title}:", *lines)))
    if left_out:
        show(f"  and {left_out} more")


def _related(related: Sequence[RelatedConcept]) -> Iterator[str]:
    for each in related:
        origin = "written by a person" if each.edge.curated else f"score {each.edge.score:.2f}"
        yield f"- {_explain(each.concept)} ({_where(each.place)}; {origin})"
        yield from (f"    > {line}" for line in each.edge.evidence)


def _explain(concept: Concept) -> str:
    return f"{concept.name}: {concept.definition or 'no definition'}"


def _where(place: Place | None) -> str:
    return describe_place(place, Language.EN) if place else "no place found in the course"
