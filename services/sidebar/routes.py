"""The routes of the sidebar: its static files, and the course page around it."""

from __future__ import annotations

import asyncio
from importlib.resources import as_file
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from services.demo.sample_courses import DEMO_COURSES, demo_film, demo_page
from services.http.serving import browser_language
from services.identity.authenticator import Authenticator
from services.identity.course_keys import Name
from services.rendering.markdown import render_markdown
from services.rendering.templates import static_files
from services.sidebar.pages import (
    Found,
    Home,
    Reading,
    read_document,
    read_hit,
    render_course_page,
    render_front_page,
)
from services.use_cases.course_reading import CourseReading
from services.use_cases.lookup import look_up
from services.wiring import Platform
from vta.errors import NotFound, VtaError
from vta.faults import Fault
from vta.types import Course, CourseId, Language, Locator, PairId, Source

MOST_COURSES = 500
"""Courses that the front page lists."""
MOST_HITS = 12
_SEARCHED = 40
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def sidebar_routes(platform: Platform, authenticator: Authenticator) -> APIRouter:
    """The router of the sidebar over one platform."""
    router = APIRouter(tags=["sidebar"], include_in_schema=False)

    @router.api_route("/", methods=["GET", "HEAD"])
    async def index(request: Request, lang: Language | None = None) -> HTMLResponse:
        """The courses that whoever asks may open, and the way to the console, in the browser's language."""
        courses = await asyncio.to_thread(platform.stores.courses.courses)
        open_to = [c for c in courses if not c.archived and await authenticator.admits_browser(c.id, request)]
        html = render_front_page(open_to[:MOST_COURSES], lang or browser_language(request))
        return HTMLResponse(html, headers={"Cache-Control": "no-store", "Vary": "Accept-Language"})

    @router.get("/sidebar/{name:path}")
    async def static_file(name: str) -> Response:
        """A script or style of the sidebar."""
        files = static_files("services.sidebar")
        kind = _TYPES.get(PurePosixPath(name).suffix)
        if name not in files or kind is None:
            raise NotFound(Fault("sidebar.no_static_file", name=name))
        with as_file(files[name]) as path:
            return Response(path.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})

    router.include_router(_course_pages(platform, authenticator))
    return router


def _course_pages(platform: Platform, authenticator: Authenticator) -> APIRouter:
    """A course's page: its contents, its documents, its search; the material only for those who may ask."""
    router = APIRouter(prefix="/courses/{course}")
    reading = CourseReading(platform.stores.documents)
    readers = [Depends(authenticator.principals())]

    @router.get("")
    async def contents(course: str, request: Request, lang: Language | None = None) -> HTMLResponse:
        """The contents with the sidebar beside them, in the course's language or the one asked for."""
        found = await asyncio.to_thread(platform.stores.courses.course, CourseId(course))
        may_read = await authenticator.admits_browser(found.id, request)
        units = await asyncio.to_thread(reading.contents, found) if may_read else None
        return await asyncio.to_thread(_page, platform, found, lang, Home(units=units), request)

    @router.get("/lectures/{name}")
    async def lecture(course: str, name: str) -> FileResponse:
        """A lecture of a sample course, whole or a range of it."""
        film = await asyncio.to_thread(demo_film, course, name)
        if film is None:
            raise NotFound(Fault("sidebar.no_static_file", name=name))
        with as_file(film) as path:
            return FileResponse(path, media_type="video/webm", headers={"Cache-Control": "no-cache"})

    @router.get("/pages/{path:path}", dependencies=readers)
    async def document(
        course: Name,
        path: str,
        request: Request,
        lang: Language | None = None,
        part: Annotated[int, Query(ge=1, le=100_000)] = 1,
        at: Annotated[str | None, Query(max_length=300)] = None,
        second: Annotated[float | None, Query(ge=0, le=1_000_000, allow_inf_nan=False)] = None,
        page: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
        heading: Annotated[str | None, Query(max_length=1000)] = None,
    ) -> HTMLResponse:
        """A document, at the passage `at` or at a place in it."""
        found = await asyncio.to_thread(platform.stores.courses.course, CourseId(course))
        passage = PairId(at) if at else None
        place = Locator(start_s=second, page=page, heading_path=(heading,) if heading else ())
        shown = await asyncio.to_thread(reading.part, found, path, number=part, passage=passage, place=place)
        read = await asyncio.to_thread(read_document, shown)
        return await asyncio.to_thread(_page, platform, found, lang, read, request)

    @router.get("/search", dependencies=readers)
    async def search(
        course: Name,
        q: Annotated[str, Query(max_length=200)],
        request: Request,
        lang: Language | None = None,
    ) -> HTMLResponse:
        """The passages that answer or hold the words of a search."""
        found = await asyncio.to_thread(platform.stores.courses.course, CourseId(course))
        hits = await asyncio.to_thread(_search, platform, reading, found, q)
        return await asyncio.to_thread(_page, platform, found, lang, hits, request)

    return router


def _search(platform: Platform, reading: CourseReading, course: Course, query: str) -> Found:
    if not query.strip():
        return Found(query=query, hits=())
    try:
        ranking = look_up(platform, course, query, top=_SEARCHED).ranking
    except VtaError:
        return Found(query=query, hits=None)
    words = (*query.split(), *ranking.terms)
    units = reading.contents(course)
    pairs = [c.pair for c in ranking.candidates if c.pair.source is Source.MATERIAL and c.pair.document]
    hits = (read_hit(pair, words, units, course.language) for pair in pairs[:MOST_HITS])
    return Found(query=query, hits=tuple(hits))


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
        suggestions=(),
        others=[each for each in samples if each.id != course.id],
        reading=reading,
        other_url=str(request.url.replace(scheme="", netloc="").include_query_params(lang=other.value)),
    )
    return HTMLResponse(html, headers={"Cache-Control": "private, no-cache"})
