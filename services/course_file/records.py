"""The line of `course.json`, and those of `faq.jsonl` and `graph_edits.jsonl`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Self

from pydantic import AwareDatetime, Field, StringConstraints

from services.course_file.form import Ids, Name, Record, Share
from services.storage.course_settings import LONGEST_REFUSAL, Embedding
from services.storage.course_transfer import KeptEntry
from vta.types import Course, CourseId, FaqDraft, FaqState, GraphEdit, Language, RecordedEdit

Moment = Annotated[
    AwareDatetime, Field(ge=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9000, 1, 1, tzinfo=UTC))
]


class CourseRecord(Record):
    """The one line of `course.json`: the course and its settings."""

    id: Name
    name: str
    domains: tuple[str, ...]
    language: Language
    relevance: Share | None = None
    alpha: Share | None = None
    beta: Annotated[float, Field(gt=0)] | None = None
    refusal: Annotated[str, StringConstraints(max_length=LONGEST_REFUSAL)] | None = None
    origins: tuple[str, ...] = ()
    hints: bool = True

    @classmethod
    def of(cls, course: Course, embedding: Embedding) -> Self:
        return cls.of_fields(course, origins=embedding.origins, hints=embedding.hints)

    def course(self, id: CourseId) -> Course:
        return self.fields_of(Course, id=id)


class EntryRecord(Record):
    """A line of `faq.jsonl`: an FAQ entry as it is now."""

    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    created_at: Moment
    question: str
    answer: str
    similar_questions: tuple[str, ...] = ()
    negative_questions: tuple[str, ...] = ()
    category: str = ""
    state: FaqState = FaqState.LIVE

    @classmethod
    def of(cls, entry: KeptEntry) -> Self:
        return cls.of_fields(entry.draft, id=entry.id, created_at=entry.created_at)

    def draft(self) -> FaqDraft:
        return self.fields_of(FaqDraft)


class EditRecord(Record):
    """A line of `graph_edits.jsonl`: an edit with its number."""

    number: Annotated[int, Field(ge=1, lt=2**31)]
    created_at: Moment
    edit: Annotated[GraphEdit, Field(discriminator="kind")]

    @classmethod
    def of(cls, recorded: RecordedEdit) -> Self:
        return cls.of_fields(recorded)

    def line(self) -> str:
        """The record with all its fields: the kind of an edit has a default, and is needed to read it."""
        return self.model_dump_json()

    def recorded(self, ids: Ids) -> RecordedEdit:
        return self.fields_of(RecordedEdit, course_id=ids.course)
