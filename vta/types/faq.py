"""FAQ entries, their versions and batches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from vta.types.courses import CourseId, FaqId


class FaqState(StrEnum):
    """Whether an FAQ entry answers anybody."""

    LIVE = "live"
    DRAFT = "draft"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqDraft:
    """An instructor's question and answer.

    `similar_questions` are further wordings; `negative_questions` look alike and are not answered by it.
    `category` is a word that instructors sort entries by, empty for none.
    """

    question: str
    answer: str
    similar_questions: tuple[str, ...] = ()
    negative_questions: tuple[str, ...] = ()
    category: str = ""
    state: FaqState = FaqState.LIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqEntry:
    """One version of an FAQ entry; they count from 1 without gaps, and a removal is one as well."""

    id: FaqId
    course_id: CourseId
    version: int
    draft: FaqDraft
    editor: str
    edited_at: datetime
    removed: bool = False

    @property
    def answers(self) -> bool:
        """Whether students are answered with it."""
        return not self.removed and self.draft.state is FaqState.LIVE


class FaqOrder(StrEnum):
    """Which entries come first: by when they were made or last edited, how often asked, or by their words."""

    OLDEST = "oldest"
    NEWEST = "newest"
    MOST_ASKED = "asked"
    QUESTION = "question"
    CATEGORY = "category"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqQuery:
    """A filter of entries: text in question, answer or wordings, category, and state.

    `removed` asks for the removed ones in the place of the others; an empty `category` for those without.
    """

    sought: str = ""
    removed: bool = False
    category: str | None = None
    state: FaqState | None = None
    order: FaqOrder = FaqOrder.OLDEST


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqChange:
    """A change of several entries; None leaves a field as it is."""

    category: str | None = None
    state: FaqState | None = None
    removed: bool | None = None


class FaqBatchKind(StrEnum):
    """How several entries came to be changed at once."""

    IMPORT = "import"
    CATEGORY = "category"
    LIVE = "live"
    DRAFT = "draft"
    REMOVE = "remove"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqBatch:
    """Entries that were added and changed together, which can be undone together, once.

    `detail` is the name of the imported file, or the category that was set.
    """

    id: str
    course_id: CourseId
    kind: FaqBatchKind
    detail: str
    editor: str
    made_at: datetime
    added: int
    changed: int
    undone_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqUndone:
    """The entries that an undo restored, as a number, and those left alone, since edited later."""

    batch: FaqBatch
    undone: int
    kept: tuple[FaqEntry, ...]
