"""The routes of the sidebar: its static files, the course page around it, and the sidebar on other sites."""

from __future__ import annotations

import asyncio
from importlib.resources import as_file
from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from pydantic import BaseModel, Field

from services.demo.sample_courses import DEMO_COURSES, demo_film, demo_page
from services.dialogue.first_questions import FirstQuestions
from services.dialogue.lookup import look_up
from services.materials.course_reading import CourseReading
from services.people.authenticator import ASKER_PROBLEMS, Asker, Authenticating, Principal, principals
from services.people.course_keys import Name
from services.rendering.markdown import render_markdown
from services.rendering.templates import static_files
from services.sidebar.pages import (
    Home,
    MaterialSearch,
    Reading,
    read_document,
    read_hit,
    render_course_page,
    render_embed_page,
    render_front_page,
)
from services.web.problems import problems
from services.web.serving import Served, ThreadedRouter, browser_language, part_of_app, static_file
from services.wiring import Platform
from vta.dialogue.question import LONGEST_QUESTION
from vta.errors import NotFound, VtaError
from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import Course, CourseId, PairId
from vta.types.pairs import Locator, Source
from vta.types.questions import Position

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors {ancestors}"
)
MOST_COURSES = 500
"""Courses that the front page lists."""
MOST_HITS = 12
_SEARCHED = 40
Second = Annotated[float | None, Query(ge=0, le=1_000_000, allow_inf_nan=False)]


router = ThreadedRouter(include_in_schema=False)
"""The course pages and their files; they are for browsers, so the OpenAPI document leaves them out."""
_READERS = [Depends(principals())]


@router.api_route("/", methods=["GET", "HEAD"])
async def index(
    request: Request, platform: Served, authenticator: Authenticating, lang: Language | None = None
) -> HTMLResponse:
    """The courses that the caller may open, and a link to the console, in the browser's language."""
    courses = await asyncio.to_thread(platform.stores.courses.courses)
    open_to = [c for c in courses if not c.archived and await authenticator.admits_browser(c.id, request)]
    language = lang or browser_language(request)
    html = render_front_page(open_to[:MOST_COURSES], language, is_empty=not courses)
    return HTMLResponse(html, headers={"Cache-Control": "no-store", "Vary": "Accept-Language"})


@router.get("/sidebar/{name:path}")
async def load_sidebar(name: str) -> Response:
    """A script or style of the sidebar."""
    return static_file("services.sidebar", name, Fault("sidebar.no_static_file", name=name))


@router.get("/courses/{course}")
async def contents(
    course: str,
    request: Request,
    platform: Served,
    authenticator: Authenticating,
    lang: Language | None = None,
) -> HTMLResponse:
    """The contents with the sidebar beside them, in the course's language or the one asked for.

    The material is only for those who may ask.
    """
    found = await asyncio.to_thread(platform.stores.courses.course, CourseId(course))
    may_read = await authenticator.admits_browser(found.id, request)
    units = await asyncio.to_thread(_reading(platform).contents, found) if may_read else None
    return await asyncio.to_thread(_page, platform, found, lang, Home(units=units), request)


@router.get("/courses/{course}/lectures/{name}")
def lecture(course: str, name: str) -> FileResponse:
    """A lecture of a sample course, whole or a range of it."""
    film = demo_film(course, name)
    if film is None:
        raise NotFound(Fault("sidebar.no_static_file", name=name))
    with as_file(film) as path:
        return FileResponse(path, media_type="video/webm", headers={"Cache-Control": "no-cache"})


@router.get("/courses/{course}/pages/{path:path}", dependencies=_READERS)
def document(
    *,
    course: Name,
    path: str,
    request: Request,
    platform: Served,
    lang: Language | None = None,
    part: Annotated[int, Query(ge=1, le=100_000)] = 1,
    at: Annotated[str | None, Query(max_length=300)] = None,
    second: Second = None,
    page: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
    heading: Annotated[str | None, Query(max_length=1000)] = None,
) -> HTMLResponse:
    """A document, at the passage `at` or at a place in it."""
    found = platform.stores.courses.course(CourseId(course))
    passage = PairId(at) if at else None
    place = Locator(start_s=second, page=page, heading_path=(heading,) if heading else ())
    shown = _reading(platform).part(found, path, number=part, passage=passage, place=place)
    return _page(platform, found, lang, read_document(shown), request)


@router.get("/courses/{course}/search", dependencies=_READERS)
def search(
    course: Name,
    q: Annotated[str, Query(max_length=200)],
    request: Request,
    platform: Served,
    lang: Language | None = None,
) -> HTMLResponse:
    """The passages that answer or hold the words of a search."""
    found = platform.stores.courses.course(CourseId(course))
    return _page(platform, found, lang, _search(platform, found, q), request)


def _reading(platform: Platform) -> CourseReading:
    return CourseReading(platform.stores.documents)


def _search(platform: Platform, course: Course, query: str) -> MaterialSearch:
    if not query.strip():
        return MaterialSearch(query=query, hits=())
    try:
        ranking = look_up(platform, course, query, top=_SEARCHED).ranking
    except VtaError:
        return MaterialSearch(query=query, hits=None)
    words = (*query.split(), *ranking.terms)
    units = _reading(platform).contents(course)
    pairs = [c.pair for c in ranking.candidates if c.pair.source is Source.MATERIAL and c.pair.document]
    hits = (read_hit(pair, words, units, course.language) for pair in pairs[:MOST_HITS])
    return MaterialSearch(query=query, hits=tuple(hits))


def _page(
    platform: Platform, course: Course, asked: Language | None, reading: Reading, request: Request
) -> HTMLResponse:
    language = asked or course.language
    is_home = isinstance(reading, Home)
    demo = demo_page(course.id)
    other = Language.EN if language is Language.ZH else Language.ZH
    samples = [each for each in platform.stores.courses.courses() if each.id in DEMO_COURSES]
    html = render_course_page(
        course=course,
        language=language,
        page_html=render_markdown(demo.text) if is_home and demo.text else "",
        videos=demo.videos,
        cues=demo.cues,
        others=[each for each in samples if each.id != course.id],
        reading=reading,
        other_url=str(request.url.replace(scheme="", netloc="").include_query_params(lang=other.value)),
    )
    return HTMLResponse(html, headers={"Cache-Control": "private, no-cache"})


class StudyOut(BaseModel):
    """A study that would use conversations, and what the learner decided on it."""

    study: str = Field(description="Plain text, written by the instructors.")
    consent: bool | None = Field(description="Null for a learner who has not decided on this text.")


class SidebarOut(BaseModel):
    """The start of the sidebar of a course."""

    suggestions: list[str] = Field(description="Those that instructors have set.")
    hints: bool
    longest_question: int = Field(description="Characters that a question may have.")
    signed_in: bool = Field(
        default=False,
        description="Whether the learner is known, so that the server lists their conversations.",
    )
    first_questions: list[str] = Field(
        default=[],
        description="Questions that the course answers, of the place first; in the language of the course. "
        "None where instructors have set what is suggested.",
    )
    greeting: str | None = Field(
        default=None, description="How the course greets, where its instructors say so."
    )
    name: str | None = Field(
        default=None, description="What the course calls its assistant, where its instructors say so."
    )
    research: StudyOut | None = Field(
        default=None, description="The study of the course, for learners whom the platform named."
    )


def _study_for(who: Principal, study: str | None, platform: Platform) -> StudyOut | None:
    """The study for a learner who can be known again."""
    if study is None or who.learner_id is None or not who.is_named:
        return None
    decided = platform.stores.privacy.consent(who.course_id, who.learner_id)
    return StudyOut(study=study, consent=decided.given if decided and decided.study == study else None)


embed_router = ThreadedRouter()


@embed_router.api_route("/embed.js", methods=["GET", "HEAD"], include_in_schema=False)
async def load() -> Response:
    """The script that other sites include; any site may load it, for there is nothing in it."""
    script = static_files("services.sidebar")["embed.js"].read_bytes()
    headers = {"Cache-Control": "public, max-age=3600", "Cross-Origin-Resource-Policy": "cross-origin"}
    return Response(script, media_type="text/javascript", headers=headers)


@embed_router.get("/embed/{course}", include_in_schema=False)
def embed_page(course: Name, platform: Served, lang: Language | None = None) -> HTMLResponse:
    """The sidebar alone, for a frame on one of the sites that the course allows."""
    found = platform.stores.courses.course(CourseId(course))
    embedding = platform.stores.settings.settings(found.id)
    html = render_embed_page(
        course=found,
        language=lang or found.language,
        origins=embedding.origins,
        is_open=platform.settings.open_sidebar,
    )
    policy = _POLICY.format(ancestors=" ".join(("'self'", *embedding.origins)))
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return HTMLResponse(html, headers=headers)


@embed_router.get(
    "/v1/courses/{course}/sidebar", tags=["embedding"], responses=problems(ASKER_PROBLEMS, bodies=False)
)
def read_start(
    *,
    platform: Served,
    who: Asker,
    first: Annotated[FirstQuestions, part_of_app(lambda parts: parts.first_questions)],
    unit: Annotated[str | None, Query(max_length=300)] = None,
    video: Annotated[str | None, Query(max_length=300)] = None,
    second: Second = None,
) -> SidebarOut:
    """The start of the sidebar: the instructors' questions, else first questions for the student's place."""
    found = platform.stores.courses.course(who.course_id)
    shown = platform.stores.settings.settings(found.id)
    position = Position(unit=unit, video=video, second=second)
    return SidebarOut(
        suggestions=list(shown.starters),
        hints=shown.hints,
        greeting=shown.greeting,
        name=shown.assistant,
        longest_question=LONGEST_QUESTION,
        signed_in=who.learner_id is not None,
        research=_study_for(who, shown.research, platform),
        first_questions=[] if shown.starters else list(first.of(found, position)),
    )
