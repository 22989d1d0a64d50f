"""A QA pair as one line of JSON, as it is kept beside its tokens in an index: its values in order."""

from __future__ import annotations

import json
from functools import lru_cache

from vta.types import CourseId, Locator, PairId, QAPair, Source

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_decode = json.JSONDecoder().raw_decode
_SOURCES = {source.value: source for source in Source}
_NOWHERE = Locator()


def pair_to_json(pair: QAPair) -> str:
    """Written value by value: `dataclasses.asdict` copies each and takes a tenth of an ingest."""
    place = pair.locator
    return _encode(
        (
            pair.id,
            pair.course_id,
            pair.source,
            pair.question,
            pair.answer,
            pair.domains,
            pair.document,
            (place.heading_path, place.page, place.video, place.start_s, place.end_s)
            if place != _NOWHERE
            else None,
            pair.url,
            pair.similar_questions,
            pair.negative_questions,
        )
    )


@lru_cache(maxsize=4_096)  # many questions find the same pairs
def pair_from_json(text: str) -> QAPair:
    """The pair. `ValueError`, `KeyError` or `TypeError` for a text that is none."""
    (id, course, source, question, answer, domains, document, place, url, similar, negative), _ = _decode(
        text
    )
    return QAPair(
        id=PairId(id),
        course_id=CourseId(course),
        source=_SOURCES[source],
        question=question,
        answer=answer,
        domains=tuple(domains),
        document=document,
        locator=_locator(*place) if place else _NOWHERE,
        url=url,
        similar_questions=tuple(similar),
        negative_questions=tuple(negative),
    )


def _locator(
    heading_path: list[str],
    page: int | None,
    video: str | None,
    start_s: float | None,
    end_s: float | None,
) -> Locator:
    return Locator(heading_path=tuple(heading_path), page=page, video=video, start_s=start_s, end_s=end_s)
