"""The routes of the console: language, static files, and the parts of a course with the rights they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from services.analytics.pages import router as analytics_pages
from services.console.pages import LANGUAGE_COOKIE
from services.console.people_pages import router as people_pages
from services.console.person_pages import router as person_pages
from services.console.platform_pages import router as platform_pages
from services.courses.pages import router as settings_pages
from services.dialogue.pages import router as preview_pages
from services.facts.pages import router as facts_pages
from services.faq.pages import router as faq_pages
from services.graph.pages import router as concept_pages
from services.learners.pages import research_router as research_pages
from services.learners.pages import router as conversation_pages
from services.lti.admin_pages import router as lti_pages
from services.materials.pages import router as material_pages
from services.people.sessions import LoggedIn, Right
from services.questions.pages import router as inbox_pages
from services.status.pages import router as status_pages
from services.test_questions.pages import router as test_question_pages
from services.web.problems import forbidden
from services.web.serving import static_file
from vta.errors import Conflict
from vta.faults import Fault
from vta.languages import Language


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """A part of a course: its name in addresses and in the menu, its pages, and the rights they need.

    A write needs `right`, in a closed part reading does too; `apart` names places that need another one.
    """

    name: str
    pages: tuple[APIRouter, ...]
    right: Right
    closed: bool = False
    apart: Mapping[str, Right] = field(default_factory=dict)

    def right_needed(self, method: str, path: str) -> Right | None:
        """The right that a request to `/console/COURSE/PART...` needs; None for what everyone may read."""
        place = path.split("/")[4:5]
        if place and place[0] in self.apart:
            return self.apart[place[0]]
        return None if method in ("GET", "HEAD") and not self.closed else self.right

    async def admit(self, request: Request, who: LoggedIn) -> None:
        """A dependency: 403 where a role does not allow it, `Conflict` for a write in an archived course."""
        request.state.parts = PARTS  # the menu of the page
        needed = self.right_needed(request.method, request.url.path)
        if needed is not None and not who.may(needed):
            raise forbidden(Fault("person.no_course_role") if who.session.person else Fault("account.role"))
        if who.course.archived and needed is not Right.ARCHIVE and request.method not in ("GET", "HEAD"):
            raise Conflict(Fault("course.read_only"))


PARTS = (
    Part(name="inbox", pages=(inbox_pages,), right=Right.QUESTIONS),
    Part(name="faq", pages=(faq_pages,), right=Right.FAQ),
    Part(name="facts", pages=(facts_pages,), right=Right.FAQ),
    Part(name="materials", pages=(material_pages,), right=Right.MATERIALS),
    Part(name="graph", pages=(concept_pages,), right=Right.GRAPH),
    Part(name="conversations", pages=(conversation_pages,), right=Right.QUESTIONS, closed=True),
    Part(
        name="analytics",
        pages=(analytics_pages, research_pages),
        right=Right.QUESTIONS,
        apart={"research": Right.SETTINGS},
    ),
    Part(name="preview", pages=(preview_pages, test_question_pages), right=Right.QUESTIONS),
    Part(name="people", pages=(people_pages,), right=Right.PEOPLE, closed=True),
    Part(
        name="settings",
        pages=(settings_pages,),
        right=Right.SETTINGS,
        closed=True,
        apart={"keys": Right.KEYS} | dict.fromkeys(("archive", "copy", "remove"), Right.ARCHIVE),
    ),
)
"""In the order of the menu."""

router = APIRouter(prefix="/console", include_in_schema=False)


@router.get("")
async def home() -> Response:
    return RedirectResponse("/console/-/courses", status_code=303)


@router.get("/language/{language}")
async def choose_language(request: Request, language: Language) -> Response:
    """Remember the language in which the console is read."""
    back = request.query_params.get("next", "")
    safe = back.startswith("/console/") and "\\" not in back
    response = RedirectResponse(back if safe else "/console/log-in", status_code=303)
    response.set_cookie(
        LANGUAGE_COOKIE,
        language.value,
        path="/console",
        httponly=True,
        secure=request.url.scheme == "https",
        samesite="lax",
    )
    return response


@router.get("/static/{name}")
async def load_static(name: str) -> Response:
    return static_file("services.console", name, Fault("console.no_static_file", name=name))


router.include_router(person_pages)
router.include_router(platform_pages)
router.include_router(lti_pages)
router.include_router(status_pages)
for part in PARTS:
    for pages in part.pages:
        router.include_router(pages, prefix="/{course}", dependencies=[Depends(part.admit)])
