"""A course as it is read: its contents by unit, its outline, and each document in parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, islice
from math import inf
from pathlib import PurePosixPath

from knowledge.sources.contents import place_of
from services.documents.readable import material_of
from services.documents.store import SqlDocuments
from vta.course_cache import CourseCache
from vta.dialogue.position import is_transcript, stem
from vta.errors import NotFound
from vta.faults import Fault
from vta.headings import is_back_matter, is_boilerplate, is_contents, without_numbering
from vta.kinds import kinds_of
from vta.languages import Language
from vta.places import document_name
from vta.ports import Knowledge
from vta.text import normalise
from vta.types.courses import Course, PairId
from vta.types.documents import Contents
from vta.types.pairs import Locator, QAPair, Source
from vta.types.questions import Position

_WHAT_IS = {Language.ZH: "什么是{}？", Language.EN: "What is {}?"}
_WHAT_ARE = {Language.ZH: "什么是{}？", Language.EN: "What is meant by {}?"}
"""For names that may be plural."""
_WHAT_ABOUT = {Language.ZH: "课程里怎么讲{}？", Language.EN: "What does the course say about {}?"}
_ABOUT = {Language.ZH: "关于本课程", Language.EN: "About this course"}
MOST_PAIRS = 20_000
"""Pairs of a course that are looked at."""
_MOST_SPEECH = 3_000
_LONGEST = 60
_STRETCH_S = 60.0
_PlaceKey = tuple[str, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A first question; what answers it names `about`, or is the FAQ entry itself where that is None."""

    question: str
    about: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedQuestions:
    """First questions of a course by what they come from, in its order, and of its places.

    A place is a file or heading, or a stretch of a video.
    """

    faq: tuple[Draft, ...]
    concepts: tuple[Draft, ...]
    headings: tuple[Draft, ...]
    places: Mapping[_PlaceKey, tuple[Draft, ...]]

    def near(self, position: Position | None) -> tuple[Draft, ...]:
        """Of what is said about where the student is, then of the whole lecture or page."""
        if position is None:
            return ()
        found: dict[Draft, None] = {}
        if position.video:
            key = _key(position.video)
            stretch = int((position.second or 0.0) // _STRETCH_S)
            for n in (stretch, stretch - 1):
                found |= dict.fromkeys(self.places.get((key, n), ()))
            found |= dict.fromkeys(self.places.get((key, None), ()))
        if position.unit:
            found |= dict.fromkeys(self.places.get((_key(position.unit), None), ()))
        return tuple(found)


def read_outline(course: Course, pairs: Iterable[QAPair], knowledge: Knowledge) -> SuggestedQuestions:
    """The outline of a course, from its pairs in reading order."""
    defined = {
        normalise(name): concept.name
        for concept in knowledge.graph.concepts(course.id)
        if concept.definition
        for name in (concept.name, *concept.aliases)
    }
    faq: dict[Draft, None] = {}
    concepts: dict[Draft, int] = {}
    headings: dict[Draft, None] = {}
    places: dict[_PlaceKey, Counter[Draft]] = {}
    speech = 0
    for pair in pairs:
        if pair.source is Source.FAQ and len(pair.question) <= _LONGEST:
            faq[Draft(question=pair.question)] = None
        if pair.source is not Source.MATERIAL:
            continue
        named = list(_named(pair, course, defined))
        for depth, draft in named:
            if draft == concept_draft(draft.about or "", course.language):
                concepts[draft] = min(depth, concepts.get(draft, depth))
            else:
                headings[draft] = None
        keys = list(_keys(pair))
        if pair.locator.video and speech < _MOST_SPEECH:
            speech += 1
            named += [(0, draft) for draft in _said(pair, course, knowledge)]
        for key in keys:
            places.setdefault(key, Counter()).update(draft for _, draft in named)
    return SuggestedQuestions(
        faq=tuple(faq),
        concepts=tuple(sorted(concepts, key=lambda draft: concepts[draft])),
        headings=tuple(headings),
        places={key: tuple(draft for draft, _ in found.most_common(8)) for key, found in places.items()},
    )


def concept_draft(name: str, language: Language) -> Draft:
    words = _WHAT_ARE if name.endswith("s") and not name.endswith("ss") else _WHAT_IS
    return Draft(question=words[language].format(name), about=name)


def _named(pair: QAPair, course: Course, defined: Mapping[str, str]) -> Iterator[tuple[int, Draft]]:
    """Questions about the headings of a passage, each with its depth."""
    file = PurePosixPath(pair.document or "").stem
    for depth, heading in enumerate(pair.locator.heading_path):
        name = without_numbering(heading)
        if is_boilerplate(heading) or heading == file or not 2 <= len(name) <= _LONGEST:
            continue
        if name.endswith(("?", "？")):
            yield depth, Draft(question=name, about=name)
        elif (concept := defined.get(normalise(name))) is not None:
            yield depth, concept_draft(concept, course.language)
        elif depth == 0 and not kinds_of(name):
            yield depth, Draft(question=_WHAT_ABOUT[course.language].format(name), about=name)


def _said(pair: QAPair, course: Course, knowledge: Knowledge) -> Iterator[Draft]:
    for mention in knowledge.linker.link(pair.answer, course=course):
        if mention.concept.definition and course.id in mention.concept.courses:
            yield concept_draft(mention.concept.name, course.language)


def _keys(pair: QAPair) -> Iterator[_PlaceKey]:
    """Under what a place asks for a passage: its file, its video and the stretch of that, its headings."""
    names = {_key(name) for name in (pair.document, pair.locator.video) if name}
    names |= {_key(heading) for heading in pair.locator.heading_path if not is_boilerplate(heading)}
    for name in sorted(names):
        yield name, None
    if pair.locator.video and pair.locator.start_s is not None:
        first, last = pair.locator.start_s, pair.locator.end_s or pair.locator.start_s
        for stretch in range(int(first // _STRETCH_S), int(last // _STRETCH_S) + 1):
            yield _key(pair.locator.video), stretch


def _key(name: str) -> str:
    return normalise(PurePosixPath(name).stem if "." in name else name)


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
class CourseUnit:
    """The documents of one folder, in the order of teaching; `name` is empty for those in no folder."""

    name: str
    chapters: tuple[Chapter, ...]


def reading_order(contents: Mapping[str, Contents]) -> dict[str, tuple[int, str]]:
    """The number and title of each place that the contents of a course name, from those by path.

    A page with its own contents stands before the pages that it names; files in few folders come first. Pages
    that have a number come after what is named, in the order of their numbers in each folder.
    """
    paths = sorted(contents, key=lambda path: (path.count("/"), _order(path)))
    below = {place_of(path): contents[path] for path in paths}
    numbers = {place: float(found[0][0][1:]) for place, found in below.items() if found[0][0].startswith("#")}

    def number(place: str) -> list[tuple[float, str]]:
        above = accumulate(place.split("/"), "{}/{}".format)
        return [(numbers.get(each, inf), each) for each in above]

    places = (*(place for place in below if place not in numbers), *sorted(numbers, key=number))
    order: dict[str, tuple[int, str]] = {}
    ahead = [(place, "") for place in reversed(places)]
    while ahead:
        place, title = ahead.pop()
        if place not in order:
            order[place] = (len(order), title)
            ahead.extend(reversed(below.get(place, ())))
    return order


def in_order(pairs: Iterable[QAPair], contents: Mapping[str, Contents]) -> Iterable[QAPair]:
    """Pairs as their documents stand in the contents, the others behind them as they come."""
    if not contents:
        return pairs
    order = reading_order(contents)
    unnamed = (len(order), "")
    return sorted(pairs, key=lambda pair: order.get(place_of(pair.document or ""), unnamed)[0])


def read_contents(
    language: Language, pairs: Iterable[QAPair], contents: Mapping[str, Contents] | None = None
) -> tuple[CourseUnit, ...]:
    """The units of a course, from its pairs in reading order and the tables of contents by path.

    What these do not name is ordered by the numbers in paths, then by name; licence, authors and the like
    are a unit at the end. A lecture is called by the title of the notes of the same name, and a document
    without a title, or with that of another one, as the contents call it.
    """
    order = reading_order(contents or {})
    documents = {
        path: list(found) for path, found in groupby(material_of(pairs), key=lambda pair: pair.document or "")
    }
    named = {path: order.get(place_of(path), (len(order), "")) for path in documents}
    titles = {path: _title(found[0]) for path, found in documents.items()}
    notes = {stem(path): title for path, title in titles.items() if title}
    shared = Counter(titles.values())
    chapters: list[Chapter] = []
    about: list[Chapter] = []

    def position(path: str) -> tuple[object, ...]:
        folder = _folder(path)
        return named[path][0], folder != "", _order(folder), _order(path)

    for path in sorted(documents, key=position):
        own = titles[path] or (notes.get(stem(path), "") if is_transcript(path) else "")
        title = own if own and shared[own] == 1 else named[path][1] or own
        chapter = Chapter(
            path=path,
            name=document_name(path, language, title),
            headings=tuple(_headings(documents[path])),
        )
        (about if is_back_matter(PurePosixPath(path).stem) else chapters).append(chapter)
    units = tuple(
        CourseUnit(name=_unit_name(folder, language), chapters=tuple(found))
        for folder, found in groupby(chapters, key=lambda chapter: _folder(chapter.path))
    )
    return (*units, CourseUnit(name=_ABOUT[language], chapters=tuple(about))) if about else units


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


def _folder(path: str) -> str:
    folder = str(PurePosixPath(path).parent)
    return "" if folder == "." else folder


def _unit_name(folder: str, language: Language) -> str:
    steps = [document_name(step, language) for step in PurePosixPath(folder).parts]
    return " › ".join(without_numbering(step) or step for step in steps)


def _order(path: str) -> tuple[tuple[int, ...], str]:
    """By the numbers in a path, so that 9 comes before 10, then by the path."""
    return tuple(map(int, _NUMBER.findall(path.removesuffix(PurePosixPath(path).suffix)))), path


PASSAGES_PER_PART = 60
"""Of a document that is longer, a page shows a part."""
KEPT_COURSES = 16
"""Courses whose contents stay in memory, each at one revision of the course."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPart:
    """The passages of a document that one page shows; `number` counts from 1 to `of`.

    `here` is the passage that was looked for, None where none was.
    """

    chapter: Chapter
    unit: str
    passages: tuple[QAPair, ...]
    number: int
    of: int
    here: PairId | None
    before: Chapter | None
    after: Chapter | None


class CourseReading:
    """Reads what was ingested into a course; FAQ entries are not material."""

    def __init__(self, documents: SqlDocuments) -> None:
        self._documents = documents
        self._kept = CourseCache[tuple[CourseUnit, ...]](KEPT_COURSES)

    def contents(self, course: Course) -> tuple[CourseUnit, ...]:
        """The units of a course, of its first `MOST_PAIRS` pairs; read once a revision of the course."""

        def read() -> tuple[CourseUnit, ...]:
            pairs = islice(self._documents.pairs(course.id), MOST_PAIRS)
            return read_contents(course.language, pairs, self._documents.contents(course.id))

        return self._kept.get(course.id, self._documents.course_revision(course.id), read)

    def part(
        self,
        course: Course,
        path: str,
        *,
        number: int = 1,
        passage: PairId | None = None,
        place: Locator | None = None,
    ) -> DocumentPart:
        """The part of a document that holds a passage or place, else the one of that number.

        `NotFound` where the course has no such document, or no such part of it.
        """
        chapters = [(unit, chapter) for unit in self.contents(course) for chapter in unit.chapters]
        at = next((n for n, (_, chapter) in enumerate(chapters) if chapter.path == path), None)
        if at is None:
            raise NotFound(Fault("sidebar.no_document", course=course.id, path=path))
        passages = material_of(self._documents.passages(course.id, path))
        found = find_passage(passages, passage=passage, place=place)
        last = max(-(-len(passages) // PASSAGES_PER_PART), 1)
        chosen = number if found is None else found // PASSAGES_PER_PART + 1
        if chosen > last:
            raise NotFound(Fault("sidebar.no_document", course=course.id, path=path))
        first = (chosen - 1) * PASSAGES_PER_PART
        return DocumentPart(
            chapter=chapters[at][1],
            unit=chapters[at][0].name,
            passages=tuple(passages[first : first + PASSAGES_PER_PART]),
            number=chosen,
            of=last,
            here=None if found is None else passages[found].id,
            before=chapters[at - 1][1] if at > 0 else None,
            after=chapters[at + 1][1] if at + 1 < len(chapters) else None,
        )
