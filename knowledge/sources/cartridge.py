"""Common Cartridges (`.imscc`): when students see each of their files, as Canvas writes it down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from knowledge.sources.archive import parse_xml, zip_members
from knowledge.sources.visibility import ALWAYS, NEVER, Unpacked, canvas_opens
from vta.ingest.zipped import unpack_zip

_MANIFEST = "imsmanifest.xml"
_MODULES, _FILES = "course_settings/module_meta.xml", "course_settings/files_meta.xml"
_TASKS = ("*/assignment_settings.xml", "*/assignment.xml")
_SETTINGS = (_MANIFEST, _MODULES, _FILES, *_TASKS)


def unpack_cartridge(
    file: BinaryIO, folder: Path, *, path: str, wanted: Callable[[str], bool], found: Unpacked
) -> None:
    """As `unpack_zip`, into `found`, without what Canvas hides; a ZIP without a manifest hides nothing."""
    settings = zip_members(file, folder, lambda name: any(name.match(each) for each in _SETTINGS), path)
    trees = {name: parse_xml(data, name=str(name), path=path) for name, data in settings.items()}
    closed = defaultdict[PurePosixPath, list[datetime]](list)
    for name in trees:
        if name.name == _MANIFEST:
            for part, opens in _openings(name.parent, trees):
                closed[part].append(opens)

    def is_shown(written: str) -> bool:
        name = PurePosixPath(written)
        opens = [each for part in (name, *name.parents) for each in closed.get(part, ())]
        return wanted(written) and found.takes(written, max(opens, default=ALWAYS))

    files = unpack_zip(file, folder, path=path, wanted=is_shown)
    found.files.extend(str(each.relative_to(folder)) for each in files)


def _openings(
    root: PurePosixPath, trees: Mapping[PurePosixPath, Element]
) -> Iterator[tuple[PurePosixPath, datetime]]:
    """The files and folders of the cartridge in a folder, each with a moment before which it is closed."""
    nothing = Element("none")
    parts = defaultdict[str, list[PurePosixPath]](list)
    for resource in trees[root / _MANIFEST].iterfind(".//{*}resource"):
        id = resource.get("identifier", "")
        hrefs = [resource.get("href", ""), *(each.get("href", "") for each in resource.iterfind("{*}file"))]
        parts[id] = [root / unquote(each) for each in (id, *hrefs) if each]
        roles = {
            (each.text or "").strip() for each in resource.iterfind(".//{*}intendedEndUserRole/{*}value")
        }
        if roles and "Learner" not in roles:
            yield from ((part, NEVER) for part in parts[id])
    for name, tree in trees.items():
        if name.is_relative_to(root) and any(name.match(each) for each in _TASKS):
            inner = tree.find(".//{*}assignment")
            # after its `lock_at` it is read, and handed in no more
            yield name.parent, _opens(tree if inner is None else inner, without="lock_at")
    files = trees.get(root / _FILES, nothing)
    for each in files.iterfind(".//{*}folder"):
        yield root / "web_resources" / each.get("path", ""), _opens(each)
    for each in files.iterfind(".//{*}file"):
        yield from ((part, _opens(each)) for part in parts[each.get("identifier", "")])
    places = defaultdict[str, list[datetime]](list)
    for module in trees.get(root / _MODULES, nothing).iterfind("{*}module"):
        opens = _opens(module, without="locked")  # which is about the person who exported it
        for item in module.iterfind(".//{*}item"):
            id = item.findtext("{*}identifierref") or ""
            places[id].append(max(opens, _opens(item)))
    for id, found in places.items():
        yield from ((part, min(found)) for part in parts[id])


def _opens(element: Element, without: str = "") -> datetime:
    def setting(name: str) -> str:
        return "" if name == without else (element.findtext(f"{{*}}{name}") or "").strip()

    return canvas_opens(setting)
