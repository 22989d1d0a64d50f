"""Backups of Moodle courses (.mbz), unpacked to what students see: a page a section, and its files."""

from __future__ import annotations

import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from xml.etree.ElementTree import Element

from knowledge.sources.archive import Wanted, parse_xml, unpack, zip_members
from knowledge.sources.visibility import ALWAYS, NEVER, Unpacked, moment, release_of
from vta.errors import InvalidInput
from vta.faults import Fault

_TEXTS = ("moodle_backup.xml", "files.xml", "sections/*/section.xml", "activities/*/*.xml")
_PARTS = {"book": ("chapter", "title", "content"), "glossary": ("entry", "concept", "definition")}
"""The parts of a module, and the fields of their title and text."""
_HEADING = re.compile(r"<(/?)h([1-6])(?=[\s>])", re.IGNORECASE)
_NULL = "$@NULL@$"
_YES, _NO = ("", "1"), ("", "0")
_NO_NAME = re.compile(r'[\\/:*?"<>|\x00-\x20]+')
_TAG = re.compile(r"<[^<>]*>")
_LONGEST_NAME = 80
MOST_PARTS = 10_000
"""Activities and sections of one backup."""


def unpack_backup(
    file: BinaryIO, folder: Path, *, path: str, wanted: Callable[[str], bool], found: Unpacked
) -> None:
    """Write what students see of a backup into a folder named after it, and note it in `found`.

    Pages, books, glossaries and the introductions of all activities stand under their section, in its order,
    and those that open later than it on a page of their own; quizzes and what is hidden or restricted give
    nothing away. `InvalidInput` for what is no backup, and as `unpack_zip`.
    """
    place = PurePosixPath(path).stem or "moodle"
    texts, stored, opens = _shown(file, folder, path, wanted)
    contents = _members(file, folder, set(stored.values()).__contains__, path) if stored else {}
    texts |= {name: contents[member] for name, member in stored.items() if contents.get(member)}
    for name, opening in opens.items():
        target = f"{place}/{name}"
        if (name in texts or opening >= NEVER) and found.takes(target, opening):
            (folder / target).parent.mkdir(parents=True, exist_ok=True)
            (folder / target).write_bytes(texts[name])
            found.files.append(target)


def count_backup(file: BinaryIO, folder: Path, *, path: str, wanted: Callable[[str], bool]) -> int:
    """The number of files that `unpack_backup` would write; the folder stays empty. Errors as there."""
    texts, stored, _ = _shown(file, folder, path, wanted)
    return len(texts.keys() | stored.keys())


def _shown(
    file: BinaryIO, folder: Path, path: str, wanted: Callable[[str], bool]
) -> tuple[dict[str, bytes], dict[str, PurePosixPath], dict[str, datetime]]:
    """The pages by name, the members of the wanted files by name, and when each of them opens."""
    backup = _Backup(_members(file, folder, _is_text, path), path)
    pages = {f"{name}.html": _page(title, content).encode() for name, title, content in backup.pages()}
    return pages, {name: member for name, member in backup.files() if wanted(name)}, backup.opens


def _is_text(name: PurePosixPath) -> bool:
    return any(name.match(pattern) for pattern in _TEXTS)


def _members(file: BinaryIO, folder: Path, wanted: Wanted, path: str) -> Mapping[PurePosixPath, bytes]:
    """The members of a backup, which is a compressed tar, or a ZIP until Moodle 2.6."""
    file.seek(0)
    if zipfile.is_zipfile(file):
        return zip_members(file, folder, wanted, path)
    return unpack(file, wanted, path=path)


@dataclass
class _Page:
    """A page as it is made: `parts` are HTML."""

    title: str
    opens: datetime
    parts: list[str]


class _Backup:
    """The texts of one backup."""

    def __init__(self, members: Mapping[PurePosixPath, bytes], path: str) -> None:
        self._members = members
        self._path = path
        self.opens: dict[str, datetime] = {}
        """By the name of a page or file, or of what is hidden, the moment from which students see it."""
        self._places: dict[str, tuple[str, datetime]] = {}
        """By the context of an activity that is not hidden, the name of its section and when it opens."""
        about = self._xml("moodle_backup.xml")
        self._course = about.findtext(".//original_course_fullname") or PurePosixPath(path).stem
        contents = about.find(".//contents")
        self._contents = Element("contents") if contents is None else contents

    def pages(self) -> Iterator[tuple[str, str, str]]:
        """Name, title and HTML of each section that holds text, and of the activities that open later."""
        of_section = defaultdict(list)
        for activity in self._each_once("activities/activity"):
            of_section[_field(activity, "sectionid")].append(activity)
        for number, listed in enumerate(self._each_once("sections/section")):
            section = self._xml(f"{_field(listed, 'directory')}/section.xml")
            title = _field(section, "name") or f"{self._course} {number or ''}".strip()
            name, opens = f"{number:02d} {_named(title)}", _opens(section)
            if opens >= NEVER:
                self.opens[name] = NEVER
                continue
            pages = {name: _Page(title, opens, [_field(section, "summary")])}
            for activity in of_section.pop(_field(listed, "sectionid"), ()):
                self._read(activity, name, pages)
            for each, page in pages.items():
                content = "\n".join(filter(None, page.parts))
                if _TAG.sub("", content).strip():
                    self.opens[f"{each}.html"] = page.opens
                    yield each, page.title, content

    def _each_once(self, kind: str) -> Iterable[Element]:
        """The parts of a kind that the backup lists, one for each directory."""
        listed = self._contents.findall(kind)
        if len(listed) > MOST_PARTS:
            raise InvalidInput(Fault("file.too_many_entries", most=MOST_PARTS).at(self._path))
        return {PurePosixPath(_field(each, "directory")): each for each in listed}.values()

    def files(self) -> Iterator[tuple[str, PurePosixPath]]:
        """The path and the member of each file of an activity that is not hidden; call `pages` before."""
        for each in self._xml("files.xml").iterfind("file"):
            place, name = self._places.get(_field(each, "contextid")), _field(each, "filename")
            if place and name not in ("", ".") and _field(each, "filearea") in ("content", "intro"):
                section, opens = place
                stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
                hash = _field(each, "contenthash")
                file = f"{section}/{_named(stem)}{suffix}"
                self.opens[file] = max(opens, self.opens.get(file, ALWAYS))
                yield file, PurePosixPath("files", hash[:2], hash)

    def _read(self, listed: Element, section: str, pages: dict[str, _Page]) -> None:
        """Add the texts of an activity to the page of its section, or to a new page if it opens later."""
        kind, directory = _field(listed, "modulename"), _field(listed, "directory")
        activity = self._xml(f"{directory}/{kind}.xml")
        module = activity.find(kind)
        if module is None:
            module = Element("none")
        opens = max(pages[section].opens, _opens(self._xml(f"{directory}/module.xml")))
        if _field(module, "alwaysshowdescription") == "0":
            opens = max(opens, _second(_field(module, "allowsubmissionsfromdate") or 0))
        name = f"{section}/{_named(_field(module, 'name')) or kind}"
        if opens >= NEVER:
            self.opens[name] = NEVER
            return
        self._places[activity.get("contextid", "")] = section, opens
        waits = release_of(opens, name) != release_of(pages[section].opens, name)
        page = pages.setdefault(name if waits else section, _Page(_field(module, "name"), opens, []))
        page.opens = max(page.opens, opens)
        if kind != "label":  # which has no name
            page.parts.append(f"<h2>{escape(_field(module, 'name'))}</h2>")
        page.parts += (_lowered(_field(module, "intro")), _lowered(_field(module, "content")))
        part, title, text = _PARTS.get(kind, ("", "", ""))
        for each in module.iter(part) if part else ():
            if _field(each, "hidden") in _NO and _field(each, "approved") in _YES:
                page.parts += (f"<h3>{escape(_field(each, title))}</h3>", _lowered(_field(each, text)))
            else:
                self.opens[f"{name}/{_named(_field(each, title))}"] = NEVER

    def _xml(self, name: str) -> Element:
        """A text of the backup; empty where it has none but the first."""
        data = self._members.get(PurePosixPath(name))
        if data is None:
            if name == "moodle_backup.xml":
                raise InvalidInput(Fault("file.no_moodle_backup").at(self._path))
            return Element("none")
        return parse_xml(data, name=name, path=self._path)


def _opens(element: Element) -> datetime:
    """When a section or activity opens: `NEVER` where it is hidden, or anything but days restricts it."""
    if _field(element, "visible") not in _YES:
        return NEVER
    given = _field(element, "availability") or _field(element, "availabilityjson")
    try:
        tree: Any = json.loads(given) if given else {"op": "&", "c": []}
        choose = {"&": max, "|": min}[tree["op"]]
        days = [
            _second(each["t"]) if each["type"] == "date" and each["d"] == ">=" else NEVER
            for each in tree["c"]
        ]
        return choose(days, default=ALWAYS)
    except (ValueError, TypeError, KeyError, RecursionError):
        return NEVER


def _second(given: str | float) -> datetime:
    try:
        return moment(float(given))
    except ValueError:
        return NEVER


def _field(element: Element, name: str) -> str:
    text = (element.findtext(name) or "").strip()
    return "" if text == _NULL else text


def _lowered(content: str) -> str:
    """A piece of HTML whose headings stand below that of its activity."""
    return _HEADING.sub(lambda tag: f"<{tag[1]}h{min(int(tag[2]) + 3, 6)}", content)


def _page(title: str, content: str) -> str:
    named = escape(title)
    return f"<html><head><title>{named}</title></head><body><h1>{named}</h1>{content}</body></html>"


def _named(title: str) -> str:
    """A title as a name of a file."""
    return _NO_NAME.sub(" ", title)[:_LONGEST_NAME].strip(" .")
