"""The JSON of instructors, checked here and nowhere else, and what the JSON of all routes shares."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Self

from pydantic import AliasPath, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from vta.faq import LONGEST_CATEGORY, LONGEST_TEXT, MOST_VARIANTS
from vta.languages import Language
from vta.types.courses import FaqId, KeyId, Role
from vta.types.faq import FaqBatchKind, FaqChange, FaqDraft, FaqState
from vta.types.inbox import QuestionState


class RequestModel(BaseModel):
    """What comes in; a field that it does not have is refused."""

    model_config = ConfigDict(extra="forbid")


class ReplyModel(BaseModel):
    """A reply with fields of a dataclass of ours."""

    @classmethod
    def of(cls, each: object) -> Self:
        """The reply with the fields of the dataclass, all of which it must have."""
        return cls.model_validate(each, from_attributes=True)


def plain_text(most: int, *, least: int | None = None) -> StringConstraints:
    """A text of so many characters, none of them NUL, which PostgreSQL cannot store."""
    return StringConstraints(min_length=least, max_length=most, pattern=r"^[^\x00]*$")


ShortText = Annotated[str, plain_text(200)]
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[\w.:@-]+$")]


FaqText = Annotated[str, plain_text(LONGEST_TEXT, least=1)]
Category = Annotated[str, plain_text(LONGEST_CATEGORY)]
MOST_AT_ONCE = 1000
"""Entries that one request changes."""
Variants = Annotated[tuple[FaqText, ...], Field(max_length=MOST_VARIANTS)]


class FaqIn(
    RequestModel, json_schema_extra={"examples": [{"question": "什么时候交作业？", "answer": "周五之前。"}]}
):
    """An FAQ entry as an instructor writes it."""

    question: FaqText
    answer: FaqText
    similar_questions: Variants = Field(default=(), description="Further wordings of the question.")
    negative_questions: Variants = Field(default=(), description="Look alike, and are not answered by it.")
    category: Category = Field(default="", description="A word to sort entries by.")
    state: FaqState = Field(default=FaqState.LIVE, description="A draft answers nobody.")

    def to_draft(self) -> FaqDraft:
        return FaqDraft(**dict(self))


def _in_draft(name: str) -> Any:
    """A field of a reply that is one of an entry's draft."""
    return Field(validation_alias=AliasPath("draft", name))


class FaqOut(ReplyModel):
    """One version of an entry."""

    id: str
    version: int
    question: str = _in_draft("question")
    answer: str = _in_draft("answer")
    similar_questions: list[str] = _in_draft("similar_questions")
    negative_questions: list[str] = _in_draft("negative_questions")
    category: str = _in_draft("category")
    state: FaqState = _in_draft("state")
    editor: str
    edited_at: datetime
    removed: bool


class FaqList(BaseModel):
    """Entries in the order asked for; `total` counts all that match."""

    total: int
    entries: list[FaqOut]


class FaqHistory(BaseModel):
    """All versions of an entry, oldest first."""

    versions: list[FaqOut]


class RollbackIn(RequestModel):
    """The version to go back to."""

    version: int = Field(ge=1, le=1_000_000)


class FaqBatchIn(RequestModel, json_schema_extra={"examples": [{"entries": ["3f2a"], "state": "draft"}]}):
    """A change of several entries at once: a category, a state, or removing and restoring."""

    entries: Annotated[list[Identifier], Field(min_length=1, max_length=MOST_AT_ONCE)]
    category: Category | None = None
    state: FaqState | None = None
    removed: bool | None = None

    @model_validator(mode="after")
    def one_change(self) -> Self:
        if [self.category, self.state, self.removed].count(None) != 2:
            raise ValueError("give one of category, state and removed")
        return self

    @property
    def change(self) -> FaqChange:
        return FaqChange(category=self.category, state=self.state, removed=self.removed)


class FaqBatchOut(ReplyModel):
    """An import or a change of several entries; `detail` is the file or the category."""

    id: str
    kind: FaqBatchKind
    detail: str
    editor: str
    made_at: datetime
    added: int
    changed: int
    undone_at: datetime | None


class FaqBatchList(BaseModel):
    """The last imports and changes of several entries, newest first."""

    batches: list[FaqBatchOut]


class FaqUndoneOut(ReplyModel):
    """An undone batch: the number of restored entries, and the entries that were edited since and stay."""

    batch: FaqBatchOut
    undone: int
    kept: list[FaqOut]


class QuestionOut(ReplyModel):
    """A question handed to a real TA."""

    id: str
    turn_id: str
    question: str
    state: QuestionState
    created_at: datetime
    faq_id: str | None
    reason: str | None
    resolved_at: datetime | None
    assignee: str | None = Field(description="The TA who takes care of it.")
    standalone_question: str | None = Field(description="What a follow-up asks by itself.")


class QuestionList(BaseModel):
    """Questions for the TA, oldest first; `total` counts those found, on whatever page."""

    questions: list[QuestionOut]
    total: int
    next: str | None = Field(description="The `cursor` of the next page; null on the last.")


QuestionIds = Annotated[list[Identifier], Field(min_length=1, max_length=1000)]


class OfQuestions(RequestModel):
    """Waiting questions by their ids."""

    questions: QuestionIds


class TaAnswerIn(OfQuestions):
    """Answers questions: with a new entry, or with one that is there, which their wordings then join."""

    entry: FaqIn | None = None
    faq_id: Identifier | None = None

    @model_validator(mode="after")
    def one_of_both(self) -> Self:
        if (self.entry is None) == (self.faq_id is None):
            raise ValueError("give either entry or faq_id")
        return self

    @property
    def answer(self) -> FaqDraft | FaqId:
        return self.entry.to_draft() if self.entry else FaqId(self.faq_id or "")


class MergeIn(OfQuestions):
    """Lets questions join an entry that answers them already."""

    faq_id: Identifier


class RejectIn(OfQuestions):
    """Says that questions will not be answered, and why; their askers read it."""

    reason: ShortText


class ReopenIn(OfQuestions):
    """Lets settled questions wait again."""


class CourseIn(RequestModel):
    """A course to make."""

    id: Identifier
    name: Annotated[str, plain_text(200, least=1)]
    domains: Annotated[list[ShortText], Field(min_length=1, max_length=20)]
    language: Language


class CourseEdit(RequestModel):
    """The changes of a course; a field that is left out stays."""

    name: Annotated[str, plain_text(200, least=1)] | None = None
    domains: Annotated[list[ShortText], Field(min_length=1, max_length=20)] | None = None
    archived: bool | None = Field(
        default=None, description="Archived, nothing can be asked or changed; all can be read."
    )


class CourseOut(ReplyModel):
    """A course."""

    id: str
    name: str
    domains: list[str]
    language: Language
    archived: bool


class CourseList(BaseModel):
    """Courses by id."""

    courses: list[CourseOut]


class KeyIn(RequestModel):
    """A key to make."""

    role: Role
    replaces: Identifier | None = Field(
        default=None, description="The id of a key of the same role that works on for some hours."
    )
    hours: Annotated[int, Field(ge=0, le=24 * 30)] = Field(
        default=24, description="For how long the key that is replaced works on."
    )

    @property
    def replacing(self) -> dict[str, Any]:
        """The arguments of `SqlKeys.make` for a replacement."""
        key = None if self.replaces is None else KeyId(self.replaces)
        return {"replaces": key, "lasts": timedelta(hours=self.hours)}


class KeyOut(ReplyModel):
    """A key without its secret."""

    id: str
    role: Role
    created_at: datetime
    revoked: bool
    ends_at: datetime | None = Field(description="When a key that was replaced will be refused.")
    maker: str | None = Field(description="Who made it; null for an admin, and where it was not recorded.")


class NewKeyOut(BaseModel):
    """A new key; its text is shown this once."""

    key: str
    id: str


class KeyList(BaseModel):
    """The keys of a course, oldest first."""

    keys: list[KeyOut]
