"""A QA pair as one line of JSON, as it is kept beside its tokens in an index."""

from __future__ import annotations

import json
from dataclasses import fields

from vta.types import CourseId, Locator, PairId, QAPair, Source

_PAIR = tuple(field.name for field in fields(QAPair))
_PLACE = tuple(field.name for field in fields(Locator))


def pair_to_json(pair: QAPair) -> str:
    """Written field by field: `dataclasses.asdict` copies every value and takes a tenth of an ingest."""
    row = {name: getattr(pair, name) for name in _PAIR}
    row["locator"] = {name: getattr(pair.locator, name) for name in _PLACE}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def pair_from_json(text: str) -> QAPair:
    raw = json.loads(text)
    place = raw["locator"]
    return QAPair(
        id=PairId(raw["id"]),
        course_id=CourseId(raw["course_id"]),
        source=Source(raw["source"]),
        question=raw["question"],
        answer=raw["answer"],
        domains=tuple(raw["domains"]),
        document=raw["document"],
        locator=Locator(
            heading_path=tuple(place["heading_path"]),
            page=place["page"],
            video=place["video"],
            start_s=place["start_s"],
            end_s=place["end_s"],
        ),
        url=raw["url"],
        similar_questions=tuple(raw["similar_questions"]),
        negative_questions=tuple(raw.get("negative_questions", ())),
    )
