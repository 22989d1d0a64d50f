"""The sample course page around the sidebar, rendered for one course in its own language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from jinja2 import Environment, StrictUndefined, Template

from services.rendering.lectures import Cue, Video
from vta.types import Course, Language

LANGUAGE_NAMES: Mapping[Language, str] = {Language.ZH: "中文", Language.EN: "English"}

PAGE_TEXTS: Mapping[Language, Mapping[str, str]] = {
    Language.ZH: {
        "skip": "跳到课程助教",
        "theme": "深色 / 浅色",
        "player": "视频播放器",
        "play": "播放",
        "pause": "暂停",
        "time": "播放位置",
        "videos": "视频",
        "transcript": "字幕",
        "remark": "这是示例播放器：没有视频画面，只演示字幕和跳转。",
        "assistant": "课程助教",
        "views": "切换视图",
        "course": "课程",
    },
    Language.EN: {
        "skip": "Skip to the teaching assistant",
        "theme": "Dark / light",
        "player": "Video player",
        "play": "Play",
        "pause": "Pause",
        "time": "Position",
        "videos": "Videos",
        "transcript": "Transcript",
        "remark": "This is a sample player: it has no picture, it only shows captions and jumps.",
        "assistant": "Teaching assistant",
        "views": "Switch view",
        "course": "Course",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseLink:
    """The page of another course."""

    name: str
    language: Language
    url: str


def static_folder() -> Traversable:
    """The sidebar's scripts and styles, to be served under `{api}sidebar/`."""
    return files("services.sidebar") / "static"


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
) -> str:
    """The whole page as HTML; everything is escaped but `page_html`, which must be sanitised already.

    `language` is that of the interface; the course keeps its own. Cues of one video stand in order of time.
    The page holds no inline script, so it runs under `script-src 'self'`.
    """
    other = Language.EN if language is Language.ZH else Language.ZH
    return _template("course_page.html").render(
        course=course,
        page_html=page_html,
        videos=videos,
        data={"videos": [asdict(video) for video in videos], "cues": [asdict(cue) for cue in cues]},
        suggestions=list(suggestions),
        language=language,
        other_language=other,
        other_language_name=LANGUAGE_NAMES[other],
        others=others,
        texts=PAGE_TEXTS[language],
        api=api,
    )


def render_embed_page(*, course: Course, language: Language, origins: Sequence[str]) -> str:
    """The page for a frame on another site: the sidebar alone, which listens to these origins only."""
    return _template("embed_page.html").render(
        course=course, language=language, data={"course": course.id, "origins": list(origins)}
    )


@cache
def _template(name: str) -> Template:
    source = (files("services.sidebar") / "templates" / name).read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(source)
