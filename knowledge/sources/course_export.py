"""Open edX course exports (OLX): chapter, sequential, vertical and component as the heading path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from xml.etree.ElementTree import Element

from lxml import etree

from knowledge.sources.archive import pack, unpack
from knowledge.sources.course_files import TEXT_KINDS, CourseFiles
from knowledge.sources.decoding import decode
from knowledge.sources.transcripts import transcript_blocks
from knowledge.sources.web_page import html_blocks, parse_html
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import Block, Locator, Rejection, SourceDocument

_CONTAINERS = frozenset({"course", "chapter", "sequential", "vertical"})
_HIDDEN_IN_PROBLEMS = (
    "solution",
    "demandhint",
    "script",
    "answer",
    "choicehint",
    "optionhint",
    "correcthint",
)
_DEEPEST = 12


def read_export(file: BinaryIO, *, path: str) -> SourceDocument:
    """The components that students see, in course order; what only staff may see is left out.

    HTML pages give their paragraphs, videos their transcripts with seconds, problems their questions without
    solutions, hints and answers. A component that cannot be read is among `rejected`. Raises `InvalidInput`
    for a damaged or hostile archive and where no course is in it.
    """
    files = CourseFiles(unpack(file, _wanted, path=path), path=path)
    course = files.course()
    title = course.get("display_name") or course.get("course") or PurePosixPath(path).name
    rejected: list[Rejection] = []
    blocks = tuple(_blocks(course, (), files, rejected))
    if not blocks and rejected:
        raise InvalidInput(rejected[0].fault, path=path, line=rejected[0].line)
    return SourceDocument(path=path, title=title, blocks=blocks, rejected=tuple(rejected))


def pack_export(folder: Path) -> BinaryIO:
    """The texts of an export that lies in a folder."""
    return pack(folder, _wanted)


def _wanted(name: PurePosixPath) -> bool:
    return name.suffix.lower() in TEXT_KINDS and "drafts" not in name.parts


def _blocks(
    element: Element, above: tuple[str, ...], files: CourseFiles, rejected: list[Rejection]
) -> Iterator[Block]:
    """What is under an element, whose own name is the last heading; a fault loses its component alone."""
    if len(above) > _DEEPEST:
        raise InvalidInput(Fault("file.nested_components", most=_DEEPEST).at(files.path))
    for child in element:
        try:
            found = files.resolve(child)
            if found.get("visible_to_staff_only", "").lower() == "true":
                continue
            name = " ".join((found.get("display_name") or "").split())
            here = (*above, name) if name else above
            if found.tag in _CONTAINERS:
                yield from _blocks(found, here, files, rejected)
            else:
                yield from list(_component(found, here, files, rejected))
        except InvalidInput as error:
            rejected.append(Rejection(path=files.path, fault=error.fault, line=error.line))


def _component(
    element: Element, here: tuple[str, ...], files: CourseFiles, rejected: list[Rejection]
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
                yield from transcript_blocks(
                    decode(data, path=inside), kind=member.suffix.lower(), path=inside, video=name, above=here
                )
            except InvalidInput as error:
                rejected.append(Rejection(path=files.path, fault=error.fault, line=error.line))


def _page(text: str, here: tuple[str, ...], path: str) -> Iterator[Block]:
    if not text.strip():
        return
    for headings, content in html_blocks(parse_html(text, path=path)):
        yield Block(text=content, locator=Locator(heading_path=(*here, *headings)))


def _question(problem: Element) -> str:
    """The problem as HTML, without what gives it away."""
    tree = etree.fromstring(_serialised(problem), parser=etree.XMLParser(resolve_entities=False))
    etree.strip_elements(tree, *_HIDDEN_IN_PROBLEMS, with_tail=False)
    for choice in tree.iter("choice", "option", "label"):
        choice.tag = "p"
    return str(etree.tostring(tree, encoding="unicode", method="html"))


def _serialised(element: Element) -> bytes:
    from xml.etree.ElementTree import tostring  # writes only; reading goes through defusedxml

    return bytes(tostring(element, encoding="utf-8"))
