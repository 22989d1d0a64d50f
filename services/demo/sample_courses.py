"""The sample courses, from the package's own files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from pydantic import TypeAdapter

from knowledge.sources.markdown import read_markdown
from knowledge.sources.subtitles import read_subtitles
from services.wiring import Platform
from vta.errors import NotFound
from vta.types.courses import Course, CourseId
from vta.types.documents import SourceDocument
from vta.types.questions import Question

DEMO_COURSES = ("data-structures-zh", "machine-learning-en")
DEMO_QUESTION = Question(course_id=CourseId("data-structures-zh"), text="什么是栈？")


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    """A video of the course; `file` is its name as citations give it, `film` what plays it, if any."""

    file: str
    title: str
    film: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoCue:
    """A line of a transcript that is spoken from second `start_s` of `video`."""

    video: str
    start_s: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPage:
    """The page beside the sidebar: Markdown, and videos with their transcripts."""

    text: str = ""
    videos: tuple[Video, ...] = ()
    cues: tuple[VideoCue, ...] = ()


def create_demo_courses(platform: Platform) -> Iterator[str]:
    """Create or update the sample courses, and say what was done, a line each."""
    for course_id in DEMO_COURSES:
        course = TypeAdapter(Course).validate_json((_folder(course_id) / "course.json").read_bytes())
        try:
            platform.stores.courses.course(course.id)
        except NotFound:
            platform.stores.courses.add(course)
        with as_file(_folder(course_id) / "material") as material:
            report = platform.materials.ingest(course, [material])
        state = f"{len(report.added)} documents added, {len(report.unchanged)} unchanged"
        yield f"{course.name} ({course.id}): {state}"


def demo_page(course_id: CourseId) -> DemoPage:
    """The page of a sample course; an empty one for any other course."""
    if course_id not in DEMO_COURSES:
        return DemoPage()
    folder = _folder(course_id)
    subtitles = sorted((folder / "material" / "subtitles").iterdir(), key=lambda file: file.name)
    documents = [read_subtitles(file.read_text(encoding="utf-8"), path=file.name) for file in subtitles]
    notes = {PurePosixPath(file.name).stem: file for file in (folder / "material" / "notes").iterdir()}
    return DemoPage(
        text=(folder / "page.md").read_text(encoding="utf-8"),
        videos=tuple(
            Video(
                file=document.path,
                title=_video_title(document, notes),
                film=film.name if (film := demo_film(course_id, f"{document.title}.webm")) else "",
            )
            for document in documents
        ),
        cues=tuple(
            VideoCue(video=document.path, start_s=block.locator.start_s or 0.0, text=block.text)
            for document in documents
            for block in document.blocks
        ),
    )


def demo_film(course_id: str, name: str) -> Traversable | None:
    """A lecture of a sample course that can be played, made by benchmarks/demo_lectures/make.py."""
    if course_id not in DEMO_COURSES:
        return None
    return next((film for film in (_folder(course_id) / "lectures").iterdir() if film.name == name), None)


def _video_title(document: SourceDocument, notes: Mapping[str, Traversable]) -> str:
    """The title of the note that goes with a video, else the words of the file's name."""
    note = notes.get(document.title)
    if note is not None:
        return read_markdown(note.read_text(encoding="utf-8"), path=note.name).title
    return document.title.lstrip("0123456789-").replace("-", " ").capitalize()


def _folder(course_id: str) -> Traversable:
    return files("services.demo") / "courses" / course_id
