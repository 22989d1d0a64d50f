"""The contents of a course: its documents by unit with their headings, and where a passage is among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath

from vta.dialogue.here import is_transcript, stem
from vta.headings import is_contents, without_numbering
from vta.places import document_name
from vta.text import normalise
from vta.types import Language, Locator, PairId, QAPair, Source

_DEEPEST = 2
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading in a document: how deep below its title, from 1 on, and the first passage under it."""

    text: str
    depth: int
    passage: PairId


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A document in the contents; `name` is what a teacher would call it."""

    path: str
    name: str
    headings: tuple[Heading, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The documents of one folder, in the order of teaching; `name` is empty for those in no folder."""

    name: str
    chapters: tuple[Chapter, ...]


def read_contents(language: Language, pairs: Iterable[QAPair]) -> tuple[Unit, ...]:
    """The units of a course, from its pairs in reading order.

    Units and documents are ordered by the numbers in their paths, then by name. A lecture is called by the
    title of the notes of the same name.
    """
    documents = {
        path: list(found) for path, found in groupby(material_of(pairs), key=lambda pair: pair.document or "")
    }
    titles = {path: _title(found[0]) for path, found in documents.items()}
    notes = {stem(path): title for path, title in titles.items() if title}
    folders: dict[str, list[Chapter]] = {}
    for path in sorted(documents, key=_order):
        chapter = Chapter(
            path=path,
            name=document_name(path, language, titles[path] or _of_notes(path, notes)),
            headings=tuple(_headings(documents[path])),
        )
        folders.setdefault(_folder(path), []).append(chapter)
    return tuple(
        Unit(name=_unit_name(folder, language), chapters=tuple(folders[folder]))
        for folder in sorted(folders, key=lambda each: (each != "", _order(each)))
    )


def find_passage(
    passages: Sequence[QAPair], *, passage: PairId | None = None, place: Locator | None = None
) -> int | None:
    """The index of a passage by its id, else of the first at a second, on a page or under a heading."""
    place = place or Locator()
    if passage is not None:
        return next((n for n, pair in enumerate(passages) if pair.id == passage), None)
    if (second := place.start_s) is not None:
        said = [n for n, pair in enumerate(passages) if (pair.locator.start_s or 0.0) <= second]
        return said[-1] if said else None
    if place.page is not None:
        return next((n for n, pair in enumerate(passages) if pair.locator.page == place.page), None)
    wanted = [normalise(heading) for heading in place.heading_path[-1:]]
    under = (n for n, p in enumerate(passages) if {*wanted} <= {*map(normalise, p.locator.heading_path)})
    return next(under, None) if wanted else None


def new_headings(pairs: Iterable[QAPair]) -> Iterator[tuple[QAPair, tuple[tuple[int, str], ...]]]:
    """Each passage with the headings that begin at it, and how deep each is, from 0 on."""
    above: tuple[str, ...] = ()
    for pair in pairs:
        path = pair.locator.heading_path
        same = next((n for n, (a, b) in enumerate(zip(above, path, strict=False)) if a != b), len(above))
        yield pair, tuple((depth, text) for depth, text in enumerate(path) if depth >= same)
        above = path


def _headings(pairs: Sequence[QAPair]) -> Iterator[Heading]:
    titles = {_title(pairs[0]), PurePosixPath(pairs[0].document or "").stem}
    for pair, begun in new_headings(pairs):
        for depth, text in begun:
            if (depth or text not in titles) and depth <= _DEEPEST:
                yield Heading(text=text, depth=max(depth, 1), passage=pair.id)


def _title(first: QAPair) -> str:
    """The title of a document by its first passage; empty where it says nothing, or the name of its file.

    What stands first on a page is the title of that page or of a chapter.
    """
    title = next(iter(first.locator.heading_path), "")
    is_own = first.locator.page is None and title != PurePosixPath(first.document or "").stem
    return title if is_own and not is_contents(title) else ""


def _of_notes(path: str, notes: Mapping[str, str]) -> str:
    """The title of the notes that go with a lecture; empty for what is none."""
    return notes.get(stem(path), "") if is_transcript(path) else ""


def material_of(pairs: Iterable[QAPair]) -> list[QAPair]:
    """The passages among pairs: FAQ entries and concepts are not material."""
    return [pair for pair in pairs if pair.source is Source.MATERIAL and pair.document]


def _folder(path: str) -> str:
    folder = str(PurePosixPath(path).parent)
    return "" if folder == "." else folder


def _unit_name(folder: str, language: Language) -> str:
    steps = [without_numbering(document_name(step, language)) for step in PurePosixPath(folder).parts]
    return " › ".join(steps)


def _order(path: str) -> tuple[tuple[int, ...], str]:
    """By the numbers in a path, so that 9 comes before 10, then by the path."""
    return tuple(map(int, _NUMBER.findall(path.removesuffix(PurePosixPath(path).suffix)))), path
