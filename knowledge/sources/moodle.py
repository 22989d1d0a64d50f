"""Backups of Moodle courses (.mbz), unpacked to what students see: a page a section, and its files."""

from __future__ import annotations

import json
import re
import time
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO
from xml.etree.ElementTree import Element

from knowledge.sources.archive import Wanted, parse_xml, unpack
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ingest.zipped import unpack_zip

_TEXTS = ("moodle_backup.xml", "files.xml", "sections/*/section.xml", "activities/*/*.xml")
_PARTS = {"book": ("chapter", "title", "content"), "glossary": ("entry", "concept", "definition")}
"""What a module is made of, and the fields of its title and text."""
_HEADING = re.compile(r"<(/?)h([1-6])(?=[\s>])", re.IGNORECASE)
_NULL = "$@NULL@$"
_NO_NAME = re.compile(r'[\\/:*?"<>|\x00-\x20]+')
_TAG = re.compile(r"<[^<>]*>")
_LONGEST_NAME = 80
MOST_PARTS = 10_000
"""Activities and sections of one backup."""


def unpack_backup(
    file: BinaryIO, folder: Path, *, path: str, wanted: Callable[[str], bool]
) -> tuple[Path, ...]:
    """Write what students see of a backup into a folder named after it, and return the files.

    Pages, books, glossaries and the introductions of all activities stand under their section, in its order;
    quizzes and what is hidden, restricted or not open yet give nothing away. `InvalidInput` for what is no
    backup, and as `unpack_zip`.
    """
    place = folder / (PurePosixPath(path).stem or "moodle")
    found, stored = _shown(file, folder, path, wanted)
    contents = _members(file, folder, set(stored.values()).__contains__, path) if stored else {}
    found |= {name: contents[member] for name, member in stored.items() if contents.get(member)}
    for name, data in found.items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return tuple(place / name for name in found)


def count_backup(file: BinaryIO, folder: Path, *, path: str, wanted: Callable[[str], bool]) -> int:
    """How many files `unpack_backup` would write, nothing staying in the folder; `InvalidInput` as there."""
    found, stored = _shown(file, folder, path, wanted)
    return len(found.keys() | stored.keys())


def _shown(
    file: BinaryIO, folder: Path, path: str, wanted: Callable[[str], bool]
) -> tuple[dict[str, bytes], dict[str, PurePosixPath]]:
    """The pages of the sections by name, and the members of the wanted files by name."""
    backup = _Backup(_members(file, folder, _is_text, path), path)
    pages = {f"{name}.html": _page(title, content).encode() for name, title, content in backup.sections()}
    return pages, {name: member for name, member in backup.files() if wanted(name)}


def _is_text(name: PurePosixPath) -> bool:
    return any(name.match(pattern) for pattern in _TEXTS)


def _members(file: BinaryIO, folder: Path, wanted: Wanted, path: str) -> Mapping[PurePosixPath, bytes]:
    """The members of a backup, which is a compressed tar, or a ZIP until Moodle 2.6."""
    file.seek(0)
    if not zipfile.is_zipfile(file):
        return unpack(file, wanted, path=path)
    with TemporaryDirectory(dir=folder) as place:
        found = unpack_zip(file, Path(place), path=path, wanted=lambda name: wanted(PurePosixPath(name)))
        return {PurePosixPath(each.relative_to(place).as_posix()): each.read_bytes() for each in found}


class _Backup:
    """The texts of one backup."""

    def __init__(self, members: Mapping[PurePosixPath, bytes], path: str) -> None:
        self._members = members
        self._path = path
        self._places: dict[str, str] = {}
        """By the context of an activity that is shown, the name of its section."""
        about = self._xml("moodle_backup.xml")
        self._course = about.findtext(".//original_course_fullname") or PurePosixPath(path).stem
        contents = about.find(".//contents")
        self._contents = Element("contents") if contents is None else contents

    def sections(self) -> Iterator[tuple[str, str, str]]:
        """File name, title and HTML of each section that is shown and holds text."""
        of_section = defaultdict(list)
        for activity in self._each_once("activities/activity"):
            of_section[_field(activity, "sectionid")].append(activity)
        for number, told in enumerate(self._each_once("sections/section")):
            section = self._xml(f"{_field(told, 'directory')}/section.xml")
            if not _is_open(section):
                continue
            title = _field(section, "name") or f"{self._course} {number or ''}".strip()
            name = f"{number:02d} {_named(title)}"
            parts = [_field(section, "summary")]
            for activity in of_section.pop(_field(told, "sectionid"), ()):
                parts += self._activity(activity, name)
            content = "\n".join(filter(None, parts))
            if _TAG.sub("", content).strip():
                yield name, title, content

    def _each_once(self, kind: str) -> Iterable[Element]:
        """The parts of a kind that the backup lists, one for each directory."""
        told = self._contents.findall(kind)
        if len(told) > MOST_PARTS:
            raise InvalidInput(Fault("file.too_many_entries", most=MOST_PARTS).at(self._path))
        return {PurePosixPath(_field(each, "directory")): each for each in told}.values()

    def files(self) -> Iterator[tuple[str, PurePosixPath]]:
        """The path and the member of each file of an activity that is shown; call `sections` before."""
        for each in self._xml("files.xml").iterfind("file"):
            section, name = self._places.get(_field(each, "contextid")), _field(each, "filename")
            if section and name not in ("", ".") and _field(each, "filearea") in ("content", "intro"):
                stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
                hash = _field(each, "contenthash")
                yield f"{section}/{_named(stem)}{suffix}", PurePosixPath("files", hash[:2], hash)

    def _activity(self, told: Element, section: str) -> Iterator[str]:
        kind, directory = _field(told, "modulename"), _field(told, "directory")
        if not _is_open(self._xml(f"{directory}/module.xml")):
            return
        activity = self._xml(f"{directory}/{kind}.xml")
        self._places[activity.get("contextid", "")] = section
        module = activity.find(kind)
        if module is None:
            return
        opens = _field(module, "allowsubmissionsfromdate") or "0"
        if _field(module, "alwaysshowdescription") == "0" and not (opens.isdecimal() and _is_past(opens)):
            return
        if kind != "label":  # which has no name of its own
            yield f"<h2>{escape(_field(module, 'name'))}</h2>"
        yield _lowered(_field(module, "intro"))
        yield _lowered(_field(module, "content"))
        part, title, text = _PARTS.get(kind, ("", "", ""))
        for each in module.iter(part) if part else ():
            if _field(each, "hidden") != "1" and _field(each, "approved") != "0":
                yield f"<h3>{escape(_field(each, title))}</h3>"
                yield _lowered(_field(each, text))

    def _xml(self, name: str) -> Element:
        """A text of the backup; empty where it has none but the first."""
        data = self._members.get(PurePosixPath(name))
        if data is None:
            if name == "moodle_backup.xml":
                raise InvalidInput(Fault("file.no_moodle_backup").at(self._path))
            return Element("none")
        return parse_xml(data, name=name, path=self._path)


def _is_open(element: Element) -> bool:
    """Whether a section or activity is shown and nothing restricts it but days that have come."""
    if _field(element, "visible") == "0":
        return False
    given = _field(element, "availability")
    try:
        tree: Any = json.loads(given) if given else {"op": "&", "c": []}
        came = [each["type"] == "date" and each["d"] == ">=" and _is_past(each["t"]) for each in tree["c"]]
        return tree["op"] in ("&", "|") and all(came)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return False


def _is_past(second: str | float) -> bool:
    return float(second) <= time.time()


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
