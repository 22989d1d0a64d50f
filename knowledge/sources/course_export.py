"""Open edX course exports (OLX): chapter, sequential, vertical and component as the heading path."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal
from xml.etree.ElementTree import Element, tostring

from lxml import etree

from knowledge.sources.archive import pack, parse_xml, unpack
from knowledge.sources.decoding import decode
from knowledge.sources.subtitles import Cue, read_cues, sentences
from knowledge.sources.visibility import ALWAYS, NEVER, moment, release_of
from knowledge.sources.web_page import html_blocks, parse_html
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.answers import Block, Rejection
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

_CONTAINERS = frozenset({"course", "chapter", "sequential", "vertical"})
_HIDDEN_IN_PROBLEMS = "solution demandhint script answer choicehint optionhint correcthint".split()
_DEEPEST = 12
_TRANSCRIPT_KINDS = frozenset({".srt", ".vtt", ".sjson"})
_TEXT_KINDS = _TRANSCRIPT_KINDS | {".xml", ".html"}
_POLICY = "policy.json"
_NAME = re.compile(r"[\w.@:+-]{1,255}")


def read_export(file: BinaryIO, *, path: str) -> SourceDocument:
    """The components that students see, in course order.

    HTML pages give their paragraphs, videos their transcripts with seconds, problems their questions without
    solutions, hints and answers. The course waits for its start. A component that cannot be read, opens later
    than the course or is for some alone is among `rejected`. Raises `InvalidInput` for a damaged or hostile
    archive, and where no course is in it or it is hidden.
    """
    files = _CourseFiles(unpack(file, _wanted, path=path), path=path)
    course = files.course()
    title = course.get("display_name") or course.get("course") or PurePosixPath(path).name
    files.opens = _opens(course, files)
    release_at = release_of(files.opens, path)
    rejected: list[Rejection] = []
    blocks = tuple(_blocks(course, (), files, rejected))
    if not blocks and rejected:
        raise InvalidInput(rejected[0].fault, path=path, line=rejected[0].line)
    return SourceDocument(
        path=path, title=title, blocks=blocks, rejected=tuple(rejected), release_at=release_at
    )


def pack_export(folder: Path) -> BinaryIO:
    """The texts of an export that lies in a folder."""
    return pack(folder, _wanted)


def _wanted(name: PurePosixPath) -> bool:
    is_text = name.suffix.lower() in _TEXT_KINDS or name.name == _POLICY
    return is_text and "drafts" not in name.parts


def _blocks(
    element: Element, above: tuple[str, ...], files: _CourseFiles, rejected: list[Rejection]
) -> Iterator[Block]:
    """The blocks under an element, whose name is the last heading; a fault loses its component alone."""
    if len(above) > _DEEPEST:
        raise InvalidInput(Fault("file.nested_components", most=_DEEPEST).at(files.path))
    for child in element:
        try:
            found = files.resolve(child)
            name = " ".join((found.get("display_name") or "").split())
            called = name or found.get("url_name") or found.tag
            opens = release_of(_opens(found, files), files.path, called)
            if opens and opens > files.opens:
                later = Fault("file.opens_later", name=called, day=opens.date().isoformat())
                rejected.append(Rejection(path=files.path, fault=later.at(files.path)))
                continue
            here = (*above, name) if name else above
            if found.tag in _CONTAINERS:
                yield from _blocks(found, here, files, rejected)
            else:
                yield from list(_component(found, here, files, rejected))
        except InvalidInput as error:
            rejected.append(Rejection(path=files.path, fault=error.fault, line=error.line))


def _opens(element: Element, files: _CourseFiles) -> datetime:
    """When a part of a course opens: `NEVER` where it is for staff or some groups alone."""
    is_for_all = files.setting(element, "group_access") in ("", "{}", "null")
    is_for_staff = files.setting(element, "visible_to_staff_only").lower() not in ("", "false", "null")
    return moment(files.setting(element, "start")) if is_for_all and not is_for_staff else NEVER


def _component(
    element: Element, here: tuple[str, ...], files: _CourseFiles, rejected: list[Rejection]
) -> Iterator[Block]:
    if element.tag == "html":
        yield from _page(files.page(element), here, files.path)
    elif element.tag == "problem":
        yield from _page(_question(element), here, files.path)
    elif element.tag == "video":
        name = element.get("display_name") or element.get("url_name") or "video"
        for member, data in files.transcripts(element):
            try:
                inside = f"{files.path}: {member}"
                cues, faulty = transcript_cues(
                    decode(data, path=inside), kind=member.suffix.lower(), path=inside
                )
                rejected += (replace(each, path=files.path) for each in faulty)
                yield from sentences(cues, video=name, above=here)
            except InvalidInput as error:
                rejected.append(Rejection(path=files.path, fault=error.fault, line=error.line))


def _page(text: str, here: tuple[str, ...], path: str) -> Iterator[Block]:
    if not text.strip():
        return
    for headings, content in html_blocks(parse_html(text, path=path)):
        yield Block(text=content, locator=Locator(heading_path=(*here, *headings)))


def _question(problem: Element) -> str:
    """The problem as HTML, without what gives it away."""
    xml = _serialised(problem, method="xml")
    tree = etree.fromstring(xml, parser=etree.XMLParser(resolve_entities=False))
    etree.strip_elements(tree, *_HIDDEN_IN_PROBLEMS, with_tail=False)
    for choice in tree.iter("choice", "option", "label"):
        choice.tag = "p"
    return str(etree.tostring(tree, encoding="unicode", method="html"))


def _serialised(element: Element, *, method: Literal["xml", "html"]) -> str:
    return tostring(element, encoding="unicode", method=method)  # writes only; defusedxml reads


def transcript_cues(text: str, *, kind: str, path: str) -> tuple[list[Cue], list[Rejection]]:
    """The cues of a transcript (SRT, WebVTT, or the platform's own JSON form), and those left out."""
    if kind == ".sjson":
        return [cue for cue in _json_cues(text, path) if cue.text], []
    return read_cues(text, path=path, webvtt=kind == ".vtt")


def _json_cues(text: str, path: str) -> list[Cue]:
    """The cues of {"start": [ms...], "end": [ms...], "text": [...]}, three lists of one length."""
    try:
        found = json.loads(text)
        lists = found["start"], found["end"], found["text"]
        if len({*map(len, lists)}) == 1:
            return [
                Cue(float(start) / 1000, float(end) / 1000, " ".join(str(said or "").split()))
                for start, end, said in zip(*lists, strict=True)
            ]
        reason = "the lists differ in length"
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        reason = str(error)
    raise InvalidInput(Fault("subtitles.no_transcript", reason=reason).at(path, 1))


def _read_policy(data: bytes, *, path: str) -> dict[str, dict[str, object]]:
    """The settings of the parts of a course, by kind and name."""
    try:
        found = json.loads(data)
        return {part: dict(settings) for part, settings in found.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(Fault("file.no_policy", reason=str(error)).at(path)) from error


class _CourseFiles:
    """The texts of one export; names are relative to the folder that holds `course.xml`."""

    def __init__(self, members: Mapping[PurePosixPath, bytes], *, path: str) -> None:
        """`InvalidInput` where no `course.xml` is among them."""
        roots = sorted((m.parent for m in members if m.name == "course.xml"), key=lambda m: len(m.parts))
        if not roots:
            raise InvalidInput(Fault("file.no_course_xml").at(path))
        self.path = path
        self._files = {
            name.relative_to(roots[0]): data
            for name, data in members.items()
            if name.is_relative_to(roots[0])
        }
        self.opens = ALWAYS
        """When the course itself opens."""
        self._policy: dict[str, dict[str, object]] = {}
        for name, data in self._files.items():
            if name.name == _POLICY:
                self._policy |= _read_policy(data, path=f"{path}: {name}")

    def course(self) -> Element:
        """The course, whose definition may be in a separate file."""
        return self.resolve(self._xml(PurePosixPath("course.xml")))

    def resolve(self, element: Element) -> Element:
        """The element itself, or the one in the file that it points to by its `url_name`."""
        name = element.get("url_name", "")
        file = PurePosixPath(element.tag, f"{name}.xml")
        if len(element) or (element.text or "").strip() or not _NAME.fullmatch(name):
            return element
        if file not in self._files:
            if element.tag in _CONTAINERS:
                raise InvalidInput(Fault("file.part_missing", file=str(file)).at(self.path))
            return element
        found = self._xml(file)
        found.set("url_name", name)
        return found

    def setting(self, element: Element, name: str) -> str:
        """The setting of the course's policy, else of the element, without quotes; "" if unset."""
        policy = self._policy.get(f"{element.tag}/{element.get('url_name', '')}", {})
        found = policy.get(name, element.get(name, ""))
        return (found if isinstance(found, str) else json.dumps(found)).strip().strip('"')

    def page(self, element: Element) -> str:
        """The HTML of a page, which is in a separate file or inside the element."""
        name = element.get("filename") or ""
        if not name:
            return "".join([element.text or "", *(_serialised(child, method="html") for child in element)])
        file = PurePosixPath("html", f"{name}.html")
        if file not in self._files:
            raise InvalidInput(Fault("file.part_missing", file=str(file)).at(self.path))
        return decode(self._files[file], path=f"{self.path}: {file}")

    def transcripts(self, video: Element) -> Iterator[tuple[PurePosixPath, bytes]]:
        """The transcripts of a video that are in the export, each once, the one it names first first."""
        names = [video.get("sub"), *(each.get("src") for each in video.iter("transcript"))]
        stems = [f"subs_{video.get('sub')}.srt", f"subs_{video.get('youtube_id_1_0')}.srt"]
        edx_id = video.get("edx_video_id")
        stems += [f"{edx_id}-{each.get('language_code')}" for each in video.iter("transcript") if edx_id]
        wanted = {name for name in names if name} | set(stems)
        for file, data in sorted(self._files.items()):
            if file.suffix.lower() in _TRANSCRIPT_KINDS and (file.name in wanted or file.stem in wanted):
                yield file, data

    def _xml(self, file: PurePosixPath) -> Element:
        return parse_xml(self._files[file], name=str(file), path=self.path)
