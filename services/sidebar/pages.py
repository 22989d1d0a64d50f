"""The course page around the sidebar, with the material it shows, and the sidebar alone for a frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from urllib.parse import quote, urlencode

from services.demo.sample_courses import Video, VideoCue
from services.materials.course_reading import CourseUnit, DocumentPart, new_headings
from services.rendering.markdown import plain_text, render_markdown
from services.rendering.templates import template_environment
from vta.headings import without_numbering
from vta.languages import Language
from vta.places import format_time, place_name
from vta.texts import read_texts
from vta.types.courses import Course
from vta.types.pairs import QAPair

PAGE_TEXTS = read_texts("services.sidebar", "texts.toml")
SNIPPET = 180
"""Characters of a passage that a search shows."""
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """The addresses of a course's pages in one language of the interface."""

    course: Course
    language: Language

    @property
    def root(self) -> str:
        return f"/courses/{quote(self.course.id, safe='')}"

    @property
    def home(self) -> str:
        return self.root + self._query({})

    def document(self, path: str, **place: object) -> str:
        """The page of a document: `at` names a passage of it, `part` a part."""
        return f"{self.root}/pages/{quote(path)}{self._query(place)}"

    def film(self, name: str) -> str:
        """The address of a lecture that can be played; none without a name."""
        return f"{self.root}/lectures/{quote(name)}" if name else ""

    def _query(self, values: Mapping[str, object]) -> str:
        own = self.language is self.course.language
        query = urlencode({**values} if own else {**values, "lang": self.language.value})
        return f"?{query}" if query else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The contents; None for those who may not read the course."""

    units: tuple[CourseUnit, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A passage as safe `html`, with the headings (level, text) and the page that begin there."""

    id: str
    headings: tuple[tuple[int, str], ...]
    page: int | str | None
    second: float | None
    video: str
    html: str

    @property
    def time(self) -> str:
        return "" if self.second is None else format_time(self.second)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A part of a document, passage by passage."""

    part: DocumentPart
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that a search found; `snippet` is in pieces, each with whether a word of the search is."""

    name: str
    place: str
    path: str
    at: str
    snippet: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialSearch:
    """The hits of a search; None where it failed."""

    query: str
    hits: tuple[Hit, ...] | None


Reading = Home | Document | MaterialSearch
_TEMPLATES = {Home: "contents.html", Document: "document.html", MaterialSearch: "found.html"}


def render_course_page(
    *,
    course: Course,
    language: Language,
    page_html: str,
    videos: Sequence[Video],
    cues: Sequence[VideoCue],
    others: Sequence[Course],
    reading: Reading | None,
    other_url: str,
) -> str:
    """The course page; everything is escaped but `page_html`, which must be sanitised already.

    `language` is that of the interface; the course has its own. Cues of one video stand in order of time.
    `reading` is the shown part of the material, `other_url` the same page in the other language. The page
    holds no inline script, so it runs under `script-src 'self'`.
    """
    other = Language.EN if language is Language.ZH else Language.ZH
    to = Addresses(course=course, language=language)
    shown = [asdict(video) | {"film": to.film(video.film)} for video in videos]
    return (
        template_environment("services.sidebar")
        .get_template("course_page.html")
        .render(
            course=course,
            page_html=page_html,
            videos=videos,
            data={"videos": shown, "cues": [asdict(cue) for cue in cues]},
            language=language,
            other_language=other,
            other_url=other_url,
            others=others,
            texts=PAGE_TEXTS[language],
            reading=reading,
            reading_template=_TEMPLATES[type(reading)] if reading else "",
            to=to,
        )
    )


def render_front_page(courses: Sequence[Course], language: Language, *, is_empty: bool) -> str:
    """The page that lists these courses and leads to the console; `is_empty`: no course exists."""
    other = Language.EN if language is Language.ZH else Language.ZH
    template = template_environment("services.sidebar").get_template("front_page.html")
    texts = PAGE_TEXTS[language]
    words = texts["front" if courses else "front_empty" if is_empty else "front_closed"]
    return template.render(courses=courses, language=language, other=other, texts=texts, words=words)


def render_embed_page(
    *, course: Course, language: Language, origins: Sequence[str], is_open: bool = True
) -> str:
    """The sidebar alone for a frame on another site; it listens to these origins only.

    `is_open` is true where visitors may ask without a token.
    """
    data = {"course": course.id, "origins": list(origins)}
    closed = "" if is_open else PAGE_TEXTS[language]["embed_closed"]
    template = template_environment("services.sidebar").get_template("embed_page.html")
    return template.render(course=course, language=language, data=data, closed=closed)


def read_document(part: DocumentPart) -> Document:
    """The sections of a part; what a heading repeats of the title is left out."""
    return Document(part=part, sections=tuple(_sections(part)))


def _sections(part: DocumentPart) -> Iterator[Section]:
    titles = {part.chapter.name, PurePosixPath(part.chapter.path).stem}
    page: int | None = None
    for pair, begun in new_headings(part.passages):
        said = (
            (depth, text) for depth, text in begun if depth or not titles & {text, without_numbering(text)}
        )
        yield Section(
            id=pair.id,
            headings=tuple((min(max(depth, 1) + 2, 6), text) for depth, text in said),
            page=(pair.locator.page_label or pair.locator.page) if pair.locator.page != page else None,
            second=pair.locator.start_s,
            video=pair.locator.video or "",
            html=render_markdown(pair.answer),
        )
        page = pair.locator.page


def read_hit(pair: QAPair, words: Sequence[str], units: Sequence[CourseUnit], language: Language) -> Hit:
    """A passage found, with what stands around the first of the words."""
    path = pair.document or ""
    names = {chapter.path: chapter.name for unit in units for chapter in unit.chapters}
    name = names.get(path, PurePosixPath(path).stem)
    place = place_name(pair.locator, language)
    return Hit(
        name=name,
        place="" if place == name else place.removeprefix(f"{name} › "),
        path=path,
        at=pair.id,
        snippet=tuple(_snippet(plain_text(pair.answer), words)),
    )


def _snippet(text: str, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    kept = sorted({word for word in words if len(word) > 1 or _HAN.match(word)}, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, kept)) or r"(?!)", re.IGNORECASE)
    first = pattern.search(text)
    start = max((first.start() if first else 0) - SNIPPET // 3, 0)
    start = text.find(" ", start, start + 20) + 1 or start if start else 0  # no half word
    shown = text[start : start + SNIPPET]
    end = 0
    yield ("… " if start else ""), False
    for hit in pattern.finditer(shown):
        yield shown[end : hit.start()], False
        yield hit[0], True
        end = hit.end()
    yield shown[end:] + (" …" if start + SNIPPET < len(text) else ""), False
