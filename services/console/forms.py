"""What the forms of the console hold."""

from __future__ import annotations

from collections.abc import Collection

from services.http.problems import bad_request
from services.identity.instructor_sessions import Form, field
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import FaqDraft, FaqState


def draft_of(form: Form, prefix: str = "") -> FaqDraft:
    """What the form of an FAQ entry says, one variant a line; `prefix` begins the names of its fields."""
    question, answer, similar, negative = (
        field(form, prefix + name) for name in ("question", "answer", "similar", "negative")
    )
    return FaqDraft(
        question=question,
        answer=answer,
        similar_questions=tuple(filter(str.strip, similar.split("\n"))),
        negative_questions=tuple(filter(str.strip, negative.split("\n"))),
        category=field(form, prefix + "category"),
        state=FaqState.DRAFT if field(form, prefix + "state") == FaqState.DRAFT else FaqState.LIVE,
    )


def action_of(form: Form, known: Collection[str]) -> str:
    """The button that was pressed; 400 for none or another, so that nothing is done by mistake."""
    action = field(form, "action")
    if action not in known:
        raise bad_request(Fault("console.no_action"))
    return action


def number_in(form: Form, name: str) -> int:
    """The whole number in a field; `InvalidInput` for anything else."""
    text = field(form, name)
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise InvalidInput(Fault("console.no_number", name=name, text=text), field=name)
    return int(text)
