"""The files of an Open edX export: where a component's definition, page and transcripts are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException, ElementTree

from knowledge.sources.decoding import decode
from vta.errors import InvalidInput
from vta.faults import Fault

TRANSCRIPT_KINDS = frozenset({".srt", ".vtt", ".sjson"})
TEXT_KINDS = TRANSCRIPT_KINDS | {".xml", ".html"}
_NAME = re.compile(r"[\w.@:+-]{1,255}")


class CourseFiles:
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

    def course(self) -> Element:
        """The course, whose definition may be in a file of its own."""
        return self.resolve(self._xml(PurePosixPath("course.xml")))

    def resolve(self, element: Element) -> Element:
        """The element itself, or the one in the file that it points to by its `url_name`."""
        name = element.get("url_name", "")
        file = PurePosixPath(element.tag, f"{name}.xml")
        if len(element) or (element.text or "").strip() or not _NAME.fullmatch(name):
            return element
        if file not in self._files:
            if element.tag in ("chapter", "sequential", "vertical", "course"):
                raise InvalidInput(Fault("file.part_missing", file=str(file)).at(self.path))
            return element
        found = self._xml(file)
        found.set("url_name", name)
        return found

    def page(self, element: Element) -> str:
        """The HTML of a page, which is in a file of its own or inside of the element."""
        name = element.get("filename") or ""
        if not name:
            return "".join([element.text or "", *(_markup(child) for child in element)])
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
            if file.suffix.lower() in TRANSCRIPT_KINDS and (file.name in wanted or file.stem in wanted):
                yield file, data

    def _xml(self, file: PurePosixPath) -> Element:
        try:
            return ElementTree.fromstring(self._files[file], forbid_dtd=True)
        except ParseError as error:
            fault = Fault("file.no_xml", reason=str(error)).at(f"{self.path}: {file}", error.position[0])
            raise InvalidInput(fault, path=self.path) from error
        except (DefusedXmlException, ValueError, LookupError) as error:
            fault = Fault("file.refused_xml", reason=type(error).__name__).at(f"{self.path}: {file}")
            raise InvalidInput(fault, path=self.path) from error


def _markup(element: Element) -> str:
    from xml.etree.ElementTree import tostring  # writes only; reading goes through defusedxml

    return tostring(element, encoding="unicode", method="html")
