"""Documents as rows of the relational store, and what their columns hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from services.storage.held_passages import digest_of
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.types import Concept, ConceptEdge, CourseDocument, CourseId, Language, QAPair, Rejection

T = TypeVar("T")
PROPOSED = "/graph/proposals"
"""The path of what a language model was asked for and a teacher has not decided: no graph holds it."""
SUPPORTED = "/graph/supported"
"""The path of explanations by a language model that a passage supports."""


@cache
def pairs_form() -> TypeAdapter[tuple[QAPair, ...]]:
    return TypeAdapter(tuple[QAPair, ...])


@cache
def concepts_form() -> TypeAdapter[tuple[Concept, ...]]:
    return TypeAdapter(tuple[Concept, ...])


@cache
def edges_form() -> TypeAdapter[tuple[ConceptEdge, ...]]:
    return TypeAdapter(tuple[ConceptEdge, ...])


def rows_of(course_id: CourseId, documents: Iterable[CourseDocument]) -> Iterator[dict[str, Any]]:
    """The documents as rows; `pairs` are all of each, and `switched_off` what it says itself."""
    seen: set[str] = set()
    for document in documents:
        if document.path in seen:
            raise InvalidInput(Fault("store.document_twice", path=document.path), path=document.path)
        foreign = next((pair for pair in document.pairs if pair.course_id != course_id), None)
        if foreign is not None:
            raise InvalidInput(
                Fault("store.foreign_pair", pair=foreign.id, course=course_id), path=document.path
            )
        seen.add(document.path)
        off = set(document.off)
        pairs = pairs_form().dump_python(document.pairs, mode="json", exclude_none=True)
        yield {
            "course_id": course_id,
            "path": document.path,
            "sha256": document.sha256,
            "folder": document.folder,
            "pairs": pairs,
            "switched_off": [digest_of(pair) for pair in pairs if pair["id"] in off],
            "problems": [_problem(each) for each in document.rejected],
            "concepts": concepts_form().dump_python(document.concepts, mode="json", exclude_none=True),
            "edges": edges_form().dump_python(document.edges, mode="json", exclude_none=True),
        }


def _problem(rejection: Rejection) -> dict[str, str]:
    """What could not be read, in each language."""
    return {language.value: rejection.fault.page_text(language) for language in Language}


def read_stored(kind: TypeAdapter[tuple[T, ...]], stored: object, course_id: str, path: str) -> tuple[T, ...]:
    """What a column of a document holds; `UpstreamFailed` where it is not of this form."""
    try:
        return kind.validate_python(stored)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise UpstreamFailed(
            Fault("store.document_unreadable", path=path, course=course_id, reason=reason), path=path
        ) from error
