"""A visit to a page of the console: who comes, what they send, and what they are answered."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Annotated, Any, Self, TypeVar
from urllib.parse import quote, urlencode

from fastapi import Depends, Request
from fastapi.datastructures import QueryParams
from fastapi.responses import HTMLResponse, RedirectResponse

from services.console.pages import page, reader_language
from services.people.sessions import (
    ConsoleUser,
    Form,
    InstructorSession,
    LoggedIn,
    PersonSession,
    ThePerson,
    parse_form,
    read_form,
)
from services.people.sessions import field as form_field
from services.store.audit_log import NOBODY, act_as
from services.web.callers import check_origin
from services.web.problems import problem_of
from services.web.serving import Served, ThreadedRouter
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput, QuestionTaken, VtaError
from vta.languages import Language
from vta.types.courses import CourseId, FaqId
from vta.types.faq import FaqEntry

T = TypeVar("T")
LONGEST_SEARCH = 200
"""Characters that a search in an address has at most."""
Fields = Mapping[str, object] | Sequence[tuple[str, object]]
"""The query of an address."""


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

    def of(self, name: str, *, anchor: str, **more: str) -> str:
        """The address of something in the list, from which one finds back to it."""
        name = quote(name, safe="")
        return replace(self, place=f"{self.place}/{name}").with_(**more) + f"#{anchor}{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicVisit:
    """A request to a page of the console by anybody; `form` is empty where none was sent.

    `fault` is why a form was refused, and `shown` what else its handler lets the page show.
    """

    request: Request
    platform: Platform
    form: Form = field(default_factory=dict)
    who: ConsoleUser | None = None
    fault: VtaError | None = None
    shown: Mapping[str, object] = field(default_factory=dict)

    @property
    def query(self) -> QueryParams:
        return self.request.query_params

    @property
    def language(self) -> Language:
        return reader_language(self.request, self.who)

    @property
    def wants_json(self) -> bool:
        """True for a script, which reads JSON instead of a page."""
        return "application/json" in self.request.headers.get("accept", "")

    @property
    def taken(self) -> FaqEntry | None:
        """The entry that asks already what a refused form asks, if that is why."""
        return None

    @property
    def number(self) -> int:
        """The page of a list that the address asks for, from 1."""
        return whole_number(self.field("page", self.query.get("page", "1")))

    @property
    def search(self) -> str:
        return self.field("search", self.query.get("search", ""))[:LONGEST_SEARCH]

    def listed(self, found: Sequence[T], size: int) -> tuple[Sequence[T], dict[str, int]]:
        """The page of a list that the address asks for, or the last one, and what the links to others say."""
        last = last_page(len(found), size)
        number = min(self.number, last)
        shown = found[(number - 1) * size : number * size]
        return shown, {"total": len(found), "number": number, "last": last}

    @property
    def server(self) -> str:
        """The address of this server, for texts that are copied."""
        return self.platform.settings.public_url or str(self.request.base_url).rstrip("/")

    def field(self, name: str, usual: str = "") -> str:
        """The last value of a field of the form, what is usual where there is none."""
        return form_field(self.form, name) if name in self.form else usual

    def showing(self, **values: object) -> Self:
        """The same visit, whose page shows these values in the place of its usual ones."""
        return replace(self, shown={**self.shown, **values})

    def page(self, template: str, **values: Any) -> HTMLResponse:
        """The page of a template; of a refused form with the status of the problem."""
        shown: dict[str, Any] = {
            "status": problem_of(self.fault).status if self.fault else 200,
            "saved": "saved" in self.query,
            "fault": self.fault.fault if self.fault else None,
            "wrong": (self.fault.field or "") if self.fault else "",
            "taken": self.taken,
            "typed": self.field,
            "server": self.server,
        }
        return page(self.request, template, self.who, **{**shown, **values, **self.shown})


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
        return self.who.course.id

    @property
    def taken(self) -> FaqEntry | None:
        """The entry that asks already what a refused form asks, if that is why."""
        if not isinstance(self.fault, QuestionTaken):
            return None
        return self.platform.faq.entry(self.course_id, FaqId(self.fault.entry))

    def asked(self, name: str, known: Sequence[str]) -> str:
        """The value of a field of the address, if it is one of these; else empty."""
        value = self.query.get(name, "")
        return value if value in known else ""

    def to(self, place: str, fields: Fields = (), anchor: str = "") -> RedirectResponse:
        """The way to a page of the course, by a new request."""
        found = address(f"/console/{self.course_id}/{place}", fields) + anchor
        return RedirectResponse(found, status_code=303)

    def listing(self, place: str, names: Sequence[str]) -> ListAddress:
        """The address of a list as it is shown, or was where the form was sent from."""
        given = {name: self.field(name) if self.form else self.query.get(name, "") for name in names}
        return self.list_address(place, {name: value[:LONGEST_SEARCH] for name, value in given.items()})

    def list_address(self, place: str, fields: Mapping[str, str]) -> ListAddress:
        """The address of a list of the course; fields that are empty are left out."""
        given = {name: str(value) for name, value in fields.items() if value}
        return ListAddress(place=f"/console/{self.course_id}/{place}", fields=given)


async def _admitted(request: Request, who: LoggedIn) -> InstructorSession:
    """The user whom a part of the course has admitted; a page outside all parts is an error."""
    if not hasattr(request.state, "parts"):
        raise RuntimeError(f"{request.url.path} is of no part of the console")
    return who


_Admitted = Annotated[InstructorSession, Depends(_admitted)]


async def _public_visit(request: Request, platform: Served) -> PublicVisit:
    act_as(NOBODY)
    if request.method in ("GET", "HEAD"):
        return PublicVisit(request=request, platform=platform)
    check_origin(request)
    return PublicVisit(request=request, platform=platform, form=await parse_form(request))


async def _person_visit(request: Request, platform: Served, who: ThePerson) -> PersonVisit:
    form = {} if request.method in ("GET", "HEAD") else await read_form(request, who)
    return PersonVisit(request=request, platform=platform, who=who, form=form)


async def _person_visit_with_uploads(request: Request, platform: Served, who: ThePerson) -> PersonVisit:
    return PersonVisit(request=request, platform=platform, who=who)


async def _visit(request: Request, platform: Served, who: _Admitted) -> Visit:
    form = {} if request.method in ("GET", "HEAD") else await read_form(request, who)
    return Visit(request=request, platform=platform, who=who, form=form)


async def _visit_with_uploads(request: Request, platform: Served, who: _Admitted) -> Visit:
    return Visit(request=request, platform=platform, who=who)


AnybodyVisiting = Annotated[PublicVisit, Depends(_public_visit)]
PersonVisiting = Annotated[PersonVisit, Depends(_person_visit)]
"""A visit of a person; of a write the form is read and checked."""
Visiting = Annotated[Visit, Depends(_visit)]
"""A visit to a page of a course; of a write the form is read and checked."""
PersonUploading = Annotated[PersonVisit, Depends(_person_visit_with_uploads)]
Uploading = Annotated[Visit, Depends(_visit_with_uploads)]
"""Visits whose body is nothing but what `read_uploads` reads and checks."""


class PageRouter(ThreadedRouter):
    """Pages, and forms that are sent from them."""

    def form(
        self,
        path: str,
        page: Callable[..., Any],
        refusals: tuple[type[VtaError], ...] = (InvalidInput, Conflict),
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator for the handler of a form; a refusal is shown on the page, with the typed values.

        `page` is a handler with the same parameters, which finds the refusal in its visit. A script gets the
        problem.
        """

        def register(handle: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(handle)
            async def handled(visit: PublicVisit, **given: Any) -> Any:
                try:
                    return await _call(handle, visit, **given)
                except refusals as error:
                    if visit.wants_json:
                        raise
                    return await _call(page, replace(visit, fault=error), **given)

            del handled.__wrapped__  # else the route would have the parameters' types looked up here
            vars(handled)["__signature__"] = inspect.signature(handle, eval_str=True)
            self.post(path)(handled)
            return handle

        return register


async def _call(handle: Callable[..., Any], *given: Any, **named: Any) -> Any:
    if inspect.iscoroutinefunction(handle):
        return await handle(*given, **named)
    return await asyncio.to_thread(handle, *given, **named)


def last_page(total: int, size: int) -> int:
    """The number of the last page of a list, from 1."""
    return max(1, -(-total // size))


def whole_number(text: str) -> int:
    """A number that counts from 1; 1 for any other text."""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def address(place: str, fields: Fields) -> str:
    return f"{place}?{urlencode(fields)}" if fields else place
