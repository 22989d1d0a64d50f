"""Places in words, in the language of the reader. The sidebar's `texts.js` writes the same words."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from vta.headings import without_numbering
from vta.languages import Language
from vta.types.concepts import Place
from vta.types.pairs import Locator, QAPair

_PAGE = {Language.ZH: "第 {} 页", Language.EN: "Page {}"}
_LABELLED = {Language.ZH: "第 {} 页（文件第 {} 页）", Language.EN: "Page {} ({} of the file)"}
_LECTURE = {Language.ZH: "第 {} 讲 {}", Language.EN: "Lecture {}, {}"}
_VIDEOS = frozenset({".srt", ".vtt", ".sjson", ".mp4", ".webm", ".mkv"})
_NUMBERED = re.compile(
    r"^(?:(?:lecture|lec|video)[ _-]*)?0*(?P<number>\d{1,3}(?:\.\d{1,3})*)(?:[ _.-]+|$)", re.IGNORECASE
)
_HEADING_MARK = " › "


def describe_place(place: Place, language: Language) -> str:
    """A place in words: the headings that lead to it, else the document's name and where in it."""
    within = place_name(place.locator, language)
    if place.locator.heading_path and place.locator.start_s is None and place.locator.page is None:
        return within
    name = place.title or document_name(place.document, language)
    return " · ".join(part for part in (name, within) if part)


def document_name(path: str, language: Language, title: str = "") -> str:
    """A teacher's name for a file: `Lecture 4, Walking downhill` for `v/04-walking-downhill.srt`.

    `title` is the document's own, where it has one; else the words of the file's name stand for it.
    """
    file = PurePosixPath(path)
    stem = file.name.removesuffix(".gz").removesuffix(".tar") if file.suffix == ".gz" else file.stem
    numbered = _NUMBERED.match(stem)
    words = " ".join(re.split(r"[\s_-]+", stem[numbered.end() if numbered else 0 :])).strip()
    name = without_numbering(title) or title or words[:1].upper() + words[1:]
    if numbered and file.suffix.lower() in _VIDEOS:
        return _LECTURE[language].format(numbered["number"], name).rstrip(", ")
    return name or stem


def place_name(locator: Locator, language: Language) -> str:
    """A locator in words: `Stack › Operations`, `Page 3`, `02:10` or `2:05:10`."""
    if locator.start_s is not None:
        return format_time(locator.start_s)
    if locator.page_label:
        return _LABELLED[language].format(locator.page_label, locator.page)
    if locator.page is not None:
        return _PAGE[language].format(locator.page)
    return _HEADING_MARK.join(locator.heading_path)


def format_time(seconds: float) -> str:
    """Seconds as `mm:ss`, or `h:mm:ss` from one hour on."""
    minutes, second = divmod(max(0, int(seconds)), 60)
    hours, minute = divmod(minutes, 60)
    clock = f"{minute:02d}:{second:02d}"
    return f"{hours}:{clock}" if hours else clock


def evidence_place(passage: QAPair) -> str:
    """Document, headings, and page or second: "05/stack.md > Stack", "lecture3.srt 62 s"."""
    where: Locator = passage.locator
    place = " > ".join(part for part in (passage.document, *where.heading_path) if part)
    if where.page is not None:
        place += f", page {where.page}"
    if where.start_s is not None:
        place += f" {where.start_s:.0f} s"
    return place.strip() or passage.question
