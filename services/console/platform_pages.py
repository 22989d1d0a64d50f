"""The platform as its admins see it: all courses and people, LTI platforms, and the audit log."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from io import BytesIO

from fastapi import APIRouter, Depends
from fastapi.responses import RedirectResponse, Response

from knowledge.sources.decoding import read_text_file
from services.console.audit_pages import asked_of, log_page
from services.console.forms import action_of, read_uploads
from services.console.people_pages import NewLink
from services.console.person_pages import ask_about_keys, uses_passwords
from services.console.visits import (
    PageRouter,
    PersonUploading,
    PersonVisit,
    PersonVisiting,
    address,
    last_page,
)
from services.people.roster import RosterPlan, apply_roster, plan_roster
from services.people.sessions import ThePerson
from services.people.store import CourseRole, Person, PersonId, PlatformRole
from services.reading.given_files import plain_name
from services.web.problems import forbidden
from services.web.serving import public_address
from vta.faults import Fault
from vta.types.courses import CourseId
from vta.types.language_model import ModelUsage

PLATFORM = "/console/-/platform"
_ROWS = 50
"""Courses or people on a page."""


async def require_platform_admin(who: ThePerson) -> None:
    """A dependency that lets in the admins of the platform; 403 for others."""
    if not who.is_admin:
        raise forbidden(Fault("person.no_admin"))


_pages = PageRouter(prefix="/-")


@_pages.get("/platform-courses")
def show_courses(visit: PersonVisiting) -> Response:
    """All courses with their people, what waits, the last question, and what their models used this month."""
    stores, today = visit.platform.stores, datetime.now(UTC).date()
    number = visit.number
    total, found = stores.course_overviews.find(visit.search, offset=(number - 1) * _ROWS, limit=_ROWS)
    used: dict[CourseId | None, list[ModelUsage]] = defaultdict(list)
    for usage in stores.usage.of_days([each.course.id for each in found], today.replace(day=1), today):
        used[usage.course_id].append(usage)
    return visit.page(
        "platform_courses.html",
        courses=[(each, *_sums(visit, used[each.course.id])) for each in found],
        prices=bool(visit.platform.settings.llm_prompt_price or visit.platform.settings.llm_completion_price),
        search=visit.search,
        total=total,
        number=number,
        last=last_page(total, _ROWS),
    )


def _sums(visit: PersonVisit, usages: list[ModelUsage]) -> tuple[int, float]:
    """Tokens and cost; the cost is 0 where no price is set."""
    tokens = sum(each.prompt_tokens + each.completion_tokens for each in usages)
    return tokens, sum(visit.platform.settings.cost_of(each) or 0.0 for each in usages)


@_pages.get("/platform-people")
def show_people(visit: PersonVisiting) -> Response:
    """All accounts whose name or e-mail address holds what is searched."""
    sought = visit.search.casefold()
    people = visit.platform.stores.people.people()
    found = [each for each in people if sought in each.email or sought in each.name.casefold()]
    shown, places = visit.listed(found, _ROWS)
    return visit.page(
        "platform_people.html",
        people=shown,
        roles=tuple(PlatformRole),
        oneself=visit.who.person.id,
        uses_passwords=uses_passwords(visit.platform),
        search=visit.search,
        done="done" in visit.query,
        link=None,
        **places,
    )


@_pages.form("/platform-people/role", show_people)
def change_role(visit: PersonVisiting) -> Response:
    """Give someone another role on the platform."""
    role = PlatformRole(action_of(visit.form, tuple(PlatformRole), "role"))
    stores, person = visit.platform.stores, _person(visit)
    if person.role is PlatformRole.ADMIN and role is not PlatformRole.ADMIN:
        taught = stores.memberships.courses_of(person.id, PlatformRole.MEMBER)
        own = {each.course.id for each in taught if each.role is CourseRole.INSTRUCTOR}
        lost = [each for each in stores.keys.made_by(person.id) if each.course_id not in own]
        if asked := ask_about_keys(visit, person, lost):
            return asked
    visit.platform.people.set_platform_role(person.id, role, by=visit.who.person)
    return _back(visit)


@_pages.form("/platform-people/disable", show_people)
def disable(visit: PersonVisiting) -> Response:
    """Let an account open nothing any more, or again."""
    disabled, person = visit.field("disabled") == "yes", _person(visit)
    lost = visit.platform.stores.keys.made_by(person.id) if disabled else ()
    if asked := ask_about_keys(visit, person, lost):
        return asked
    visit.platform.people.set_disabled(person.id, disabled, by=visit.who.person)
    return _back(visit)


@_pages.form("/platform-people/password", show_people)
def make_password_link(visit: PersonVisiting) -> Response:
    """Make a link by which someone sets a new password, shown this once."""
    person = _person(visit)
    root = public_address(visit.platform, visit.request)
    secret = visit.platform.stores.invitations.make_password_link(person.id)
    link = NewLink(address=f"{root}/console/-/passwords/{secret}", of=person.name)
    return show_people(visit.showing(link=link))


@_pages.form("/platform-people/table", show_people)
async def preview_table(visit: PersonUploading) -> Response:
    """What a table of people and their courses would change, before it does."""
    async with read_uploads(visit, "table") as uploads:
        name = plain_name(uploads[0].filename or "")
        text = await asyncio.to_thread(read_text_file, uploads[0].file, path=name)
    return await asyncio.to_thread(_preview, visit, name, text)


@_pages.form("/platform-people/import", show_people)
def import_table(visit: PersonVisiting) -> Response:
    """Carry out what the preview showed; where that is no longer the same, show it again."""
    stores, name, text = visit.platform.stores, visit.field("name"), visit.field("table")
    plan = plan_roster(stores, BytesIO(text.encode()), path=name)
    if _mark(plan) != visit.field("mark"):
        return _preview(visit, name, text)
    root = f"{public_address(visit.platform, visit.request)}/console/-/passwords"
    made = apply_roster(stores, plan)
    links = [(each, f"{root}/{stores.invitations.make_password_link(each.id)}") for each in made]
    shown = links if uses_passwords(visit.platform) else []
    return visit.page("people_table.html", plan=plan, links=shown, done=True)


def _preview(visit: PersonVisit, name: str, text: str) -> Response:
    plan = plan_roster(visit.platform.stores, BytesIO(text.encode()), path=name)
    return visit.page(
        "people_table.html", links=(), plan=plan, mark=_mark(plan), name=name, table=text, done=False
    )


def _mark(plan: RosterPlan) -> str:
    """A digest of what a table would change, 16 hex digits."""
    return sha256(repr(plan).encode()).hexdigest()[:16]


def _person(visit: PersonVisit) -> Person:
    return visit.platform.stores.people.person(PersonId(visit.field("person")))


def _back(visit: PersonVisit) -> Response:
    """To the list as it was searched."""
    fields = {"search": visit.field("search"), "page": visit.field("page"), "done": ""}
    return RedirectResponse(address(f"{PLATFORM}-people", fields), status_code=303)


@_pages.get("/platform-log")
def show_log(visit: PersonVisiting) -> Response:
    """The audit log, of a course or person where one is asked for."""
    asked = {name: asked_of(visit, name) for name in ("course", "person")}
    course = CourseId(asked["course"]) if asked["course"] else None
    return log_page(visit, asked, partial(visit.platform.stores.audit_log.entries, course_id=course))


router = APIRouter()
router.include_router(_pages, dependencies=[Depends(require_platform_admin)])
