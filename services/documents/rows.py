"""Documents as rows of the relational store, and the JSON of their columns."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.types.answers import Rejection
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import CourseId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair, Source

T = TypeVar("T")
IMPORTED_GRAPH, BUILT_GRAPH = "/graph/imported", "/graph/built"
"""The paths of graphs; no document has one that begins so, as theirs are relative to a folder."""
SECTIONS = "/sections/"
"""How the paths of what a language model said of a section begin; its digest follows. No graph holds it."""
Pair = Mapping[str, Any]
"""A pair as it is stored."""
Held = Sequence[tuple[int, Pair]]


@cache
def _form(kind: Any) -> TypeAdapter[tuple[Any, ...]]:
    return TypeAdapter(tuple[kind, ...])


def _stored(kind: Callable[..., T], values: tuple[T, ...]) -> list[Any]:
    """Pairs, concepts or edges as a column stores them; `read_stored` reads them."""
    kept: list[Any] = _form(kind).dump_python(values, mode="json", exclude_none=True)
    return kept


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
        pairs = _stored(QAPair, document.pairs)
        yield {
            "course_id": course_id,
            "path": document.path,
            "sha256": document.sha256,
            "folder": document.folder,
            "pairs": pairs,
            "switched_off": [digest_of(pair) for pair in pairs if pair["id"] in off],
            "problems": [_problem(each) for each in document.rejected],
            "release_at": document.release_at,
            "waits": document.release_at is not None,
            "concepts": _stored(Concept, document.concepts),
            "edges": _stored(ConceptEdge, document.edges),
            "contents": document.contents,
        }


def _problem(rejection: Rejection) -> dict[str, str]:
    """The reason for a rejected part, in each language."""
    return {language.value: rejection.fault.page_text(language) for language in Language}


def read_stored(kind: Callable[..., T], stored: object, course_id: str, path: str) -> tuple[T, ...]:
    """The values in a column of a document; `UpstreamFailed` for values of another kind."""
    try:
        return _form(kind).validate_python(stored)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise UpstreamFailed(
            Fault("store.document_unreadable", path=path, course=course_id, reason=reason), path=path
        ) from error


def digest_of(pair: Pair) -> str:
    """Digest of the text of a passage, for an FAQ row also of its question: 32 hex digits."""
    said = pair["answer"]
    if pair["source"] == Source.FAQ:
        said = f"{pair['question']}\x1f{said}"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def all_pairs(pairs: Iterable[Pair], held: Held) -> list[Pair]:
    """The pairs that answer and those held back, in the order of the file."""
    whole = list(pairs)
    for at, pair in held:
        whole.insert(at, pair)
    return whole


def hold_back(whole: Iterable[Pair], switched_off: Collection[str], *, waits: bool) -> dict[str, Any]:
    """The columns of a document of which these texts are switched off, or that `waits` to be released."""
    pairs, held = list[Pair](), list[tuple[int, Pair]]()
    for at, pair in enumerate(whole):
        if waits or (switched_off and digest_of(pair) in switched_off):
            held.append((at, pair))
        else:
            pairs.append(pair)
    return {"pairs": pairs, "held": held, "switched_off": sorted(switched_off), "waits": waits}
