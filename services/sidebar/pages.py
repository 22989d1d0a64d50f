"""The course page around the sidebar, and the sidebar alone for a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from jinja2 import Environment, PackageLoader, StrictUndefined

from services.rendering.lectures import Cue, Video
from services.sidebar.reading import Addresses, Document, Found, Home
from vta.texts import read_texts
from vta.types import Course, Language

PAGE_TEXTS = read_texts("services.sidebar", "texts.toml")
Reading = Home | Document | Found
_TEMPLATES = {Home: "contents.html", Document: "document.html", Found: "found.html"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseLink:
    """The page of another course."""

    name: str
    language: Language
    url: str


def static_folder() -> Traversable:
    """The sidebar's scripts and styles, to be served under `{api}sidebar/`."""
    return files("services.sidebar") / "static"


@cache
def static_files() -> Mapping[str, Traversable]:
    """The files of the static folder and of the folders in it, by the path to them."""
    found = {item.name: item for item in static_folder().iterdir()}
    folders = {name: item for name, item in found.items() if item.is_dir()}
    inner = {f"{name}/{item.name}": item for name, folder in folders.items() for item in folder.iterdir()}
    return found | inner


def render_course_page(
    *,
    course: Course,
    language: Language,
    page_html: str,
    videos: Sequence[Video],
    cues: Sequence[Cue],
    suggestions: Sequence[str],
    others: Sequence[CourseLink] = (),
    api: str = "/",
    reading: Reading | None = None,
    other_url: str | None = None,
) -> str:
    """The whole page as HTML; everything is escaped but `page_html`, which must be sanitised already.

    `language` is that of the interface; the course keeps its own. Cues of one video stand in order of time.
    `reading` is what the page shows of the material, `other_url` the same page in the other language.
    The page holds no inline script, so it runs under `script-src 'self'`.
    """
    other = Language.EN if language is Language.ZH else Language.ZH
    to = Addresses(course=course, language=language)
    shown = [asdict(video) | {"film": to.film(video.film)} for video in videos]
    return (
        _environment()
        .get_template("course_page.html")
        .render(
            course=course,
            page_html=page_html,
            videos=videos,
            data={"videos": shown, "cues": [asdict(cue) for cue in cues]},
            suggestions=list(suggestions),
            language=language,
            other_language=other,
            other_url=other_url or f"{api}courses/{course.id}?lang={other.value}",
            others=others,
            texts=PAGE_TEXTS[language],
            api=api,
            reading=reading,
            reading_template=_TEMPLATES[type(reading)] if reading else "",
            to=to,
        )
    )


def render_front_page(courses: Sequence[Course], language: Language) -> str:
    """The page that lists these courses and leads to the console."""
    other = Language.EN if language is Language.ZH else Language.ZH
    template = _environment().get_template("front_page.html")
    return template.render(courses=courses, language=language, other=other, texts=PAGE_TEXTS[language])


def render_embed_page(*, course: Course, language: Language, origins: Sequence[str]) -> str:
    """The page for a frame on another site: the sidebar alone, which listens to these origins only."""
    data = {"course": course.id, "origins": list(origins)}
    return _environment().get_template("embed_page.html").render(course=course, language=language, data=data)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("services.sidebar"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
