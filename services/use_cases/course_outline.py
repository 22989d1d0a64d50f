"""What a course could be asked first, from its headings and FAQ, and which concepts are taught where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from vta.headings import is_furniture, without_numbering
from vta.kinds import kinds_of
from vta.ports import Knowledge
from vta.text import normalise
from vta.types import Course, Language, Position, QAPair, Source

_WHAT_IS = {Language.ZH: "什么是{}？", Language.EN: "What is {}?"}
_WHAT_ARE = {Language.ZH: "什么是{}？", Language.EN: "What is meant by {}?"}
"""For names that may be plural."""
_WHAT_ABOUT = {Language.ZH: "课程里怎么讲{}？", Language.EN: "What does the course say about {}?"}
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
class Outline:
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


def read_outline(course: Course, pairs: Iterable[QAPair], knowledge: Knowledge) -> Outline:
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
    return Outline(
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
        if is_furniture(heading) or heading == file or not 2 <= len(name) <= _LONGEST:
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
    names |= {_key(heading) for heading in pair.locator.heading_path if not is_furniture(heading)}
    for name in sorted(names):
        yield name, None
    if pair.locator.video and pair.locator.start_s is not None:
        first, last = pair.locator.start_s, pair.locator.end_s or pair.locator.start_s
        for stretch in range(int(first // _STRETCH_S), int(last // _STRETCH_S) + 1):
            yield _key(pair.locator.video), stretch


def _key(name: str) -> str:
    return normalise(PurePosixPath(name).stem if "." in name else name)
