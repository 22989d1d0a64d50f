"""The routes of the sidebar: its static files, and the sample course page around it."""

from __future__ import annotations

import asyncio
from importlib.resources import as_file
from pathlib import PurePosixPath

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from services.demo.sample_courses import DEMO_COURSES, demo_page
from services.rendering.markdown import render_markdown
from services.sidebar.pages import CourseLink, render_course_page, static_folder
from services.wiring import Platform
from vta.errors import NotFound
from vta.faults import Fault
from vta.types import CourseId, Language

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def sidebar_routes(platform: Platform) -> APIRouter:
    """The router of the sidebar over one platform."""
    router = APIRouter(tags=["sidebar"], include_in_schema=False)

    @router.get("/")
    async def index() -> Response:
        return RedirectResponse(f"/courses/{DEMO_COURSES[0]}")

    @router.get("/sidebar/{name}")
    async def static_file(name: str) -> Response:
        """A script or style of the sidebar."""
        files = {item.name: item for item in static_folder().iterdir()}
        kind = _TYPES.get(PurePosixPath(name).suffix)
        if name not in files or kind is None:
            raise NotFound(Fault("sidebar.no_static_file", name=name))
        with as_file(files[name]) as path:
            return Response(path.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})

    @router.get("/courses/{course}")
    async def course_page(course: str, lang: Language | None = None) -> HTMLResponse:
        """The page of a course with the sidebar beside it, in the course's language or the one asked for."""
        found = await asyncio.to_thread(platform.stores.courses.course, CourseId(course))
        page = await asyncio.to_thread(demo_page, found.id)
        others = [
            CourseLink(name=other.name, language=other.language, url=f"/courses/{other.id}")
            for other in await asyncio.to_thread(platform.stores.courses.courses)
            if other.id in DEMO_COURSES and other.id != found.id
        ]
        return HTMLResponse(
            render_course_page(
                course=found,
                language=lang or found.language,
                page_html=render_markdown(page.text or f"# {found.name}"),
                videos=page.videos,
                cues=page.cues,
                suggestions=(),
                others=others,
            )
        )

    return router
