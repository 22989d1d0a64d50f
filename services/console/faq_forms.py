"""The form of an FAQ entry."""

from __future__ import annotations

from services.identity.instructor_sessions import Form, field
from vta.types import FaqDraft


def draft_of(form: Form) -> FaqDraft:
    """What the form says, one variant a line."""
    return FaqDraft(
        question=field(form, "question"),
        answer=field(form, "answer"),
        similar_questions=tuple(filter(str.strip, field(form, "similar").split("\n"))),
        negative_questions=tuple(filter(str.strip, field(form, "negative").split("\n"))),
    )
