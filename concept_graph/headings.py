"""Weak concepts from the headings of a course, for a course that has no concept file yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import PurePosixPath

from concept_graph.defining import DefiningSentences, names_any
from concept_graph.names import concept_id, forms, name_key
from concept_graph.word_files import read_words
from vta.course_life import tells
from vta.headings import is_back_matter, is_boilerplate, without_numbering
from vta.languages import Language
from vta.text import HAN, normalise, segmenter
from vta.types.answers import Block
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, Course, CourseId
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

CONCEPT_SCORE = 0.5
"""How sure we are that a heading names a concept; a concept file's are 1.0 unless it says otherwise."""

ConceptSet = tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]
_Key = tuple[CourseId, str]


def heading_concepts(documents: Iterable[SourceDocument], *, course: Course) -> ConceptSet:
    """Concepts named by headings and titles that the text beneath uses, without prerequisites.

    The definition of a concept is the first sentence under its heading that defines it, and its place is
    that sentence's, else the first block under the heading. Documents are read once, in order; a licence and
    the like name no concept.
    """
    drafts: dict[str, _Draft] = {}
    for document in documents:
        if is_back_matter(PurePosixPath(document.path).stem):
            continue
        for block in document.blocks:
            for heading in _headings(document, block):
                named = heading_name(heading)
                if named is not None:
                    drafts.setdefault(name_key(named.name), _Draft(named, block.locator, document.path)).read(
                        named, document, block
                    )
    return _concepts({key: each for key, each in drafts.items() if each.is_concept()}, course), ()


def merge(curated: ConceptSet, weak: ConceptSet) -> ConceptSet:
    """Curated concepts and edges, completed by weak ones; both may be of many courses and documents.

    A weak concept that shares a course and a name or alias (singular or plural) with a curated one is that
    one: it only fills in a definition and a place where the curated one has none. Weak concepts of several
    documents become one in the same way, the first one taking over the names of the later. A weak edge
    between two curated concepts is dropped: the concept file says what comes first there.
    """
    merged: dict[ConceptId, Concept] = {}
    for concept in curated[0]:
        merged[concept.id] = _completed(merged.get(concept.id, concept), concept)
    of_file = frozenset(merged)
    owner = {key: concept.id for concept in merged.values() for key in _keys(concept)}
    stands_for: dict[ConceptId, ConceptId] = {}
    for concept in weak[0]:
        same = next((owner[key] for key in _keys(concept) if key in owner), concept.id)
        stands_for[concept.id] = same
        known = _completed(merged.get(same, concept), concept)
        if same not in of_file and same in merged:
            new = [name for keys, name in _named(concept) if owner.keys().isdisjoint(keys)]
            known = replace(known, aliases=(*known.aliases, *new))
        merged[same] = known
        for key in _keys(concept):
            owner.setdefault(key, same)
    edges = list(curated[1])
    for edge in weak[1]:
        ends = stands_for[edge.prerequisite], stands_for[edge.concept]
        if ends[0] != ends[1] and not of_file.issuperset(ends):
            edges.append(replace(edge, prerequisite=ends[0], concept=ends[1]))
    return tuple(merged.values()), tuple(edges)


@dataclass(slots=True)
class _Draft:
    """What has been read about one heading so far."""

    named: HeadingName
    locator: Locator
    document: str
    aliases: dict[str, None] = field(default_factory=dict)
    definition: str = ""
    used: bool = False
    """Whether a text under the heading holds the name."""

    def is_concept(self) -> bool:
        """Whether the text uses the name, and it is defined or tells not how any course is run ("Exams")."""
        name = self.named.name
        return self.used and (bool(self.definition) or not tells(name, name))

    def read(self, named: HeadingName, document: SourceDocument, block: Block) -> None:
        self.aliases.update(dict.fromkeys(named.aliases))
        if self.definition:
            return
        names = {self.named.name, *forms(self.named.name), *self.aliases}
        if not names_any(names, block.text):
            return
        self.used = True
        self.definition = DefiningSentences({self.named.name: names}).definition(block.text)
        if self.definition:
            self.locator, self.document = block.locator, document.path


def _headings(document: SourceDocument, block: Block) -> tuple[str, ...]:
    path = block.locator.heading_path
    return path if path[:1] == (document.title,) else (document.title, *path)


def _concepts(drafts: dict[str, _Draft], course: Course) -> tuple[Concept, ...]:
    """The drafts as concepts; an alias that names another concept, or two, stays with the first."""
    taken = set(drafts)
    concepts = []
    for draft in drafts.values():
        aliases = tuple(alias for alias in draft.aliases if name_key(alias) not in taken)
        taken.update(map(name_key, aliases))
        concepts.append(
            Concept(
                id=concept_id(course.id, draft.named.name),
                name=draft.named.name,
                aliases=aliases,
                definition=draft.definition,
                domains=course.domains,
                courses=(course.id,),
                score=CONCEPT_SCORE,
                first_seen=draft.document,
                locator=draft.locator,
                document=draft.document,
            )
        )
    return tuple(concepts)


def _named(concept: Concept) -> Iterator[tuple[tuple[_Key, ...], str]]:
    """Each name of the concept with what it is found by: the name's key in each of the courses."""
    for name in (concept.name, *concept.aliases):
        yield tuple((course_id, name_key(name)) for course_id in concept.courses), name


def _keys(concept: Concept) -> tuple[_Key, ...]:
    return tuple(key for keys, _ in _named(concept) for key in keys)


def _completed(curated: Concept, weak: Concept) -> Concept:
    """The first concept, with the definition and place of the second where it has none."""
    placed = (
        replace(curated, document=weak.document, locator=weak.locator) if not curated.document else curated
    )
    return replace(
        placed,
        definition=curated.definition or weak.definition,
        first_seen=curated.first_seen or weak.first_seen,
    )


MAX_HAN_CHARACTERS = 12
MAX_ENGLISH_WORDS = 4

_MARKUP = re.compile(r"<[^<>]*>|[*`~]+|^#+\s*")
_BRACKETED = re.compile(r"(.+?)\s*[(（]([^()（）]+)[)）]\s*")
_HAN = re.compile(rf"[{HAN}]")
_NOUN_LIKE = re.compile(r"[\w+#/.'’·\- ]+")


@dataclass(frozen=True, slots=True)
class HeadingName:
    """The concept a heading names; aliases are what stood in brackets after it."""

    name: str
    aliases: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def heading_name(heading: str) -> HeadingName | None:
    """The concept that a heading names, or None for a question, a sentence or a generic heading."""
    plain = without_numbering(_MARKUP.sub("", heading).strip())
    bracketed = _BRACKETED.fullmatch(plain)
    if bracketed is None:
        return HeadingName(plain) if _is_name(plain) else None
    name, alias = (part.strip() for part in bracketed.groups())
    if not _is_name(name):
        return None
    other_script = bool(_HAN.search(name)) != bool(_HAN.search(alias))
    is_alias = (other_script or alias.isupper()) and _is_name(alias)
    return HeadingName(name, (alias,) if is_alias else ())


def _is_name(text: str) -> bool:
    plain = normalise(text)
    if not _NOUN_LIKE.fullmatch(plain) or "_" in plain or not any(map(str.isalpha, plain)):
        return False
    chinese = bool(_HAN.search(plain))
    if chinese and len(plain.replace(" ", "")) > MAX_HAN_CHARACTERS:
        return False
    if not chinese and (len(plain) < 2 or len(plain.split()) > MAX_ENGLISH_WORDS):
        return False
    words = [word for word in segmenter().cut(plain, False) if word.strip()] if chinese else plain.split()
    known = _words(Language.ZH if chinese else Language.EN)
    if plain in known["generic"] or is_boilerplate(plain) or not known["joining"].isdisjoint(words):
        return False
    return len(words) == 1 or not (words[0] in known["opening"] or words[-1] in known["closing"])


@cache
def _words(language: Language) -> Mapping[str, frozenset[str]]:
    return {kind: frozenset(words) for kind, words in read_words(f"headings_{language}").items()}
