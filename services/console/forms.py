"""Reading of the forms of the console."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from datetime import date
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import UploadFile

from services.console.visits import LONGEST_SEARCH, PersonVisit, Visit
from services.people.sessions import CSRF_FIELD, Form, check_token, field
from services.web.callers import check_origin
from services.web.problems import bad_request, forbidden
from services.web.uploads import upload_form, uploads_of
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.faq import FaqDraft, FaqState

T = TypeVar("T")


def draft_of(form: Form, prefix: str = "") -> FaqDraft:
    """The draft in the form of an FAQ entry, one variant a line; `prefix` begins the names of its fields."""
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


def read_fields(adapter: TypeAdapter[T], fields: Mapping[str, str], *, longest: int = LONGEST_SEARCH) -> T:
    """A dataclass made of the fields of an address; one that is missing, empty or wrong is as usual."""
    given = {name: value[:longest] for name, value in fields.items() if value}
    try:
        return adapter.validate_python(given)
    except ValidationError as error:
        wrong = {each["loc"][0] for each in error.errors()}
        return adapter.validate_python({name: given[name] for name in given.keys() - wrong})


def action_of(form: Form, known: Collection[str], name: str = "action") -> str:
    """The pressed button or the choice of a field; 400 for none or another, so nothing is done by mistake."""
    action = field(form, name)
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


def day_of(text: str | None, name: str) -> date | None:
    """A day written as 2025-03-31; None where nothing is written, `InvalidInput` for anything else."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(Fault("console.no_day", text=text[:20]), field=name) from error


@asynccontextmanager
async def read_uploads(visit: Visit | PersonVisit, name: str) -> AsyncIterator[tuple[UploadFile, ...]]:
    """The files in a field of a form, checked as `read_form` checks a write; they are closed at the end.

    `InvalidInput` where there is none, `UploadRefused` where there are too many.
    """
    check_origin(visit.request)
    if not visit.request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise forbidden(Fault("console.not_our_form"))
    async with upload_form(visit.request) as form:
        token = form.get(CSRF_FIELD, "")
        check_token(token if isinstance(token, str) else "", visit.who)
        yield uploads_of(form, name)
