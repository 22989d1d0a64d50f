"""A visit to a page of a course: who comes, what they send, and what they are answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Request
from fastapi.datastructures import QueryParams
from fastapi.responses import HTMLResponse, RedirectResponse

from services.console.pages import page, reader_language
from services.http.callers import check_origin
from services.http.problems import problem_of
from services.http.serving import Served
from services.identity.instructor_sessions import (
    Form,
    InstructorSession,
    LoggedIn,
    PersonSession,
    ThePerson,
    parse_form,
    read_form,
)
from services.identity.instructor_sessions import field as form_field
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput, QuestionTaken, VtaError
from vta.faults import Fault
from vta.types import CourseId, FaqEntry, FaqId, Language

LONGEST_SEARCH = 200
"""Characters that a search in an address has at most."""
Fields = Mapping[str, object] | Sequence[tuple[str, object]]
"""What an address says behind its question mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFault:
    """What was wrong with a form; `taken` is the entry that asks the same question already."""

    fault: Fault
    status: int
    taken: FaqEntry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAddress:
    """The address of a list as it is searched, filtered and ordered."""

    place: str
    fields: Mapping[str, str]

    def with_(self, **more: str) -> str:
        """The address with further or other fields; an empty one is left out."""
        return address(self.place, {name: value for name, value in {**self.fields, **more}.items() if value})

    def at(self, number: int) -> str:
        """Another page of the same."""
        return self.with_(page="" if number == 1 else str(number))


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicVisit:
    """A request to a page of the console by anybody; `form` is empty where none was sent."""

    request: Request
    platform: Platform
    form: Form = field(default_factory=dict)
    who: InstructorSession | PersonSession | None = None

    @property
    def query(self) -> QueryParams:
        """The fields of the address."""
        return self.request.query_params

    @property
    def language(self) -> Language:
        """The language in which the page is read."""
        return reader_language(self.request, self.who)

    def field(self, name: str) -> str:
        """The last value of a field of the form, empty where there is none."""
        return form_field(self.form, name)

    def page(
        self,
        template: str,
        *,
        status: int | None = None,
        fault: Fault | FormFault | VtaError | None = None,
        **values: object,
    ) -> HTMLResponse:
        """The page of a template, for whoever came. Its status is that of the fault, if no other is given.

        An error has the status of its problem, a bare fault 422.
        """
        if status is None:
            status = problem_of(fault).status if isinstance(fault, VtaError) else 422 if fault else 200
            status = fault.status if isinstance(fault, FormFault) else status
        shown = fault.fault if isinstance(fault, VtaError) else fault
        return page(self.request, template, self.who, status=status, fault=shown, **values)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonVisit(PublicVisit):
    """A visit of a person who is logged in to a page that is of no course."""

    who: PersonSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit(PublicVisit):
    """A visit of an instructor to a page of their course."""

    who: InstructorSession

    @property
    def course_id(self) -> CourseId:
        """The course of the page."""
        return self.who.course.id

    @property
    def number(self) -> int:
        """The page of a list that the address asks for, from 1."""
        return whole_number(self.query.get("page", "1"))

    @property
    def search(self) -> str:
        """What the address searches for."""
        return self.query.get("search", "")[:LONGEST_SEARCH]

    def asked(self, name: str, known: Sequence[str]) -> str:
        """What the address says in a field, if it is one of these; else empty."""
        value = self.query.get(name, "")
        return value if value in known else ""

    def kept_fields(self, *names: str) -> str:
        """These parts of the address again."""
        return urlencode({name: self.query.get(name, "")[:200] for name in names})

    def unit_in(self, units: Sequence[object]) -> int | None:
        """The place of the unit that the address names, counted from 0; None where it names none."""
        unit = self.query.get("unit", "")
        known = unit.isascii() and unit.isdigit() and len(unit) < 10 and int(unit) < len(units)
        return int(unit) if known else None

    def fault_of(self, error: InvalidInput | Conflict) -> FormFault:
        """What a page shows for an error of a form about an FAQ entry."""
        taken = None
        if isinstance(error, QuestionTaken):
            taken = self.platform.faq.entry(self.course_id, FaqId(error.entry))
        return FormFault(fault=error.fault, status=problem_of(error).status, taken=taken)

    def to(self, place: str, fields: Fields = (), anchor: str = "") -> RedirectResponse:
        """The way to a page of the course, by a new request."""
        found = address(f"/console/{self.course_id}/{place}", fields) + anchor
        return RedirectResponse(found, status_code=303)

    def list_address(self, place: str, fields: Mapping[str, str]) -> ListAddress:
        """The address of a list of the course; fields that are empty are left out."""
        given = {name: str(value) for name, value in fields.items() if value}
        return ListAddress(place=f"/console/{self.course_id}/{place}", fields=given)


async def _public_visit(request: Request, platform: Served) -> PublicVisit:
    if request.method in ("GET", "HEAD"):
        return PublicVisit(request=request, platform=platform)
    check_origin(request)
    return PublicVisit(request=request, platform=platform, form=await parse_form(request))


async def _person_visit(request: Request, platform: Served, who: ThePerson) -> PersonVisit:
    form = {} if request.method in ("GET", "HEAD") else await read_form(request, who)
    return PersonVisit(request=request, platform=platform, who=who, form=form)


async def _visit(request: Request, platform: Served, who: LoggedIn) -> Visit:
    form = {} if request.method in ("GET", "HEAD") else await read_form(request, who)
    return Visit(request=request, platform=platform, who=who, form=form)


async def _visit_with_uploads(request: Request, platform: Served, who: LoggedIn) -> Visit:
    return Visit(request=request, platform=platform, who=who)


AnybodyVisiting = Annotated[PublicVisit, Depends(_public_visit)]
"""A visit of anybody, as a parameter of a route; of a write the origin is checked."""
PersonVisiting = Annotated[PersonVisit, Depends(_person_visit)]
"""A visit of a person; of a write the form is read and checked."""
Visiting = Annotated[Visit, Depends(_visit)]
"""A visit to a page of a course; of a write the form is read and checked."""
Uploading = Annotated[Visit, Depends(_visit_with_uploads)]
"""A visit whose body is nothing but what `read_uploads` reads and checks."""


def last_page(total: int, size: int) -> int:
    """The number of the last page of a list, from 1."""
    return max(1, -(-total // size))


def whole_number(text: str) -> int:
    """A number that counts from 1; 1 for any other text."""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def address(place: str, fields: Fields) -> str:
    """An address with fields."""
    return f"{place}?{urlencode(fields)}" if fields else place
