"""The concepts of a course as a language model reads them by section, and what of its replies holds."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import PurePosixPath

from concept_graph.extraction.aliases import same_key
from concept_graph.extraction.material import clean_passages
from concept_graph.graph import Edges, add_edge, break_cycles
from concept_graph.headings import ConceptSet
from concept_graph.names import concept_id, stands_in
from vta.headings import is_back_matter
from vta.places import evidence_place
from vta.text import normalise
from vta.tokens import estimate_tokens
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, Course
from vta.types.pairs import QAPair

SECTION_TOKENS = 3_000
"""Of a section; a heading with less is read together with the next one of its document."""
LONGEST_NAME = 80
"""Characters."""
LONGEST_QUOTE = 600
"""Characters; what is longer is no definition in two sentences."""
_UNSURE = 0.1
"""How unsure one section leaves a concept; n sections leave a part in n of that. A definition counts as one
more, and so does the evidence of an edge."""

_TAG = re.compile(r"<[^<>\n]*>")
_EMPHASIS = re.compile(r"\*\*(\S.*?)\*\*|(?<!\w)([*_])(\S.*?)\2(?!\w)")
_LINK = re.compile(r"://|\]\(|<[a-zA-Z/!]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A concept that a section teaches; `quote` says what it is, empty where passage n only introduces it."""

    name: str
    aliases: tuple[str, ...]
    quote: str
    passage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """Who does not know `needs` does not understand `concept`; `quote` of passage n shows it."""

    concept: str
    needs: str
    quote: str
    passage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionReply:
    """What a language model says of a section."""

    concepts: tuple[Taught, ...]
    prerequisites: tuple[Needed, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Passages of one document in order, each with its text without code, tags and addresses."""

    passages: tuple[tuple[QAPair, str], ...]

    @property
    def digest(self) -> str:
        """Differs where place or text of a passage do: 32 hex digits."""
        said = [(pair.document, pair.locator, text) for pair, text in self.passages]
        return hashlib.sha256(repr(said).encode(errors="surrogatepass")).hexdigest()[:32]

    @property
    def texts(self) -> tuple[str, ...]:
        """Heading and text of each passage."""
        return tuple(f"{pair.question}\n{text}" for pair, text in self.passages)


def cut_sections(passages: Iterable[QAPair], *, most: int = SECTION_TOKENS) -> Iterator[Section]:
    """The passages of a course in sections of at most `most` tokens, cut between headings where that fits.

    A licence and the like is left out, and so is a passage of nothing but code.
    """
    kept = (each for each in passages if not is_back_matter(PurePosixPath(each.document or "").stem))
    texts = ((pair, _TAG.sub("", text).strip()) for pair, text in clean_passages(kept))
    for _, of_document in groupby((each for each in texts if each[1]), key=lambda each: each[0].document):
        section, size = list[tuple[QAPair, str]](), 0
        for _, below in groupby(of_document, key=lambda each: each[0].locator.heading_path):
            sized = [(estimate_tokens("\n".join((each[0].question, each[1]))), each) for each in below]
            needed = sum(tokens for tokens, _ in sized)
            for tokens, each in sized:
                if section and size + max(tokens, min(needed, most)) > most:
                    yield Section(tuple(section))
                    section, size = [], 0
                section.append(each)
                size, needed = size + tokens, 0
        if section:
            yield Section(tuple(section))


def read_reply(reply: SectionReply, section: Section, course: Course) -> tuple[ConceptSet, int]:
    """The concepts and edges of a reply that hold, and the number of what was dropped.

    Names and quotes have to stand in the passage that they claim, an alias in any of the section; emphasis
    and line breaks aside. A heading before a quote, as slides have it, is not part of what is kept. A quote
    that holds a link is dropped, and so is one that is long. The ends of an edge may be of other sections.
    """
    concepts, edges, dropped = [], [], 0
    whole = "\n".join(section.texts)
    for said in reply.concepts:
        name, (pair, quote) = _flat(said.name), _find(said.passage, said.quote, section)
        if pair is None or not _names(name, section.texts[said.passage - 1]):
            dropped += 1
            continue
        aliases = tuple(each for each in said.aliases if _names(each, whole))
        dropped += len(said.aliases) - len(aliases)
        concept = Concept(
            id=concept_id(course.id, name),
            name=name,
            aliases=tuple(map(_flat, aliases)),
            definition=quote,
            domains=course.domains,
            courses=(course.id,),
            built=True,
            first_seen=pair.document,
            locator=pair.locator,
            document=pair.document,
        )
        concepts.append(concept)
    for link in reply.prerequisites:
        pair, quote = _find(link.passage, link.quote, section)
        if not quote or not pair or not all(_names(each, link.quote) for each in (link.needs, link.concept)):
            dropped += 1
            continue
        edge = ConceptEdge(
            prerequisite=concept_id(course.id, _flat(link.needs)),
            concept=concept_id(course.id, _flat(link.concept)),
            evidence=(f"{evidence_place(pair)}: {quote}",),
        )
        edges.append(edge)
    return (tuple(concepts), tuple(edges)), dropped


def _find(number: int, quote: str, section: Section) -> tuple[QAPair | None, str]:
    """The passage of this number, if it says the quote word for word, and the quote without its heading."""
    if not 1 <= number <= len(section.passages) or len(quote) > LONGEST_QUOTE or _LINK.search(quote):
        return None, ""
    pair, text = section.passages[number - 1]
    heading, below = (_flat(part) for part in quote.strip().partition("\n")[::2])
    is_headed = below and heading in map(_flat, (pair.question, *pair.locator.heading_path))
    said = below if is_headed else _flat(quote)
    return (pair, said) if said in _flat(text) else (None, "")


def _flat(text: str) -> str:
    """A text on one line, without marks of emphasis."""
    return " ".join(_EMPHASIS.sub(lambda found: found[1] or found[3], text).split())


def _names(name: str, text: str) -> bool:
    plain = normalise(_flat(name))
    return len(plain) <= LONGEST_NAME and stands_in(plain, normalise(_flat(text)))


def merge_sections(readings: Sequence[ConceptSet], course: Course) -> ConceptSet:
    """What all sections in their order say together, each concept once and without cycles.

    Concepts of one name or alias are one, wherever case, number or hyphen differ. The first section that
    explains one is its place. Edges with an end that no section teaches are left out.
    """
    kept: dict[ConceptId, Concept] = {}
    owner: dict[str, ConceptId] = {}
    named = Counter[ConceptId]()
    for concepts, _ in readings:
        ids = set[ConceptId]()
        for concept in concepts:
            keys = [same_key(each) for each in (concept.name, *concept.aliases)]
            id = next((owner[key] for key in keys if key in owner), concept.id)
            ids.add(id)
            known = kept.get(id, concept)
            first = concept if concept.definition and not known.definition else known
            aliases = tuple(dict.fromkeys((*known.aliases, concept.name, *concept.aliases)))
            kept[id] = replace(first, id=id, name=known.name, aliases=aliases, first_seen=known.first_seen)
            for key in keys:
                owner.setdefault(key, id)
        named.update(ids)
    edges: Edges = {}
    for edge in (edge for _, found in readings for edge in found):
        names = (each.removeprefix(f"{course.id}:") for each in (edge.prerequisite, edge.concept))
        before, after = (owner.get(same_key(name)) for name in names)
        if before and after and before != after:
            add_edge(edges, replace(edge, prerequisite=before, concept=after))
    scored = (replace(e, score=round(1 - _UNSURE / (1 + len(e.evidence)), 4)) for e in edges.values())
    concepts = tuple(_settled(each, owner, named[each.id]) for each in kept.values())
    return concepts, break_cycles(tuple(scored))


def _settled(concept: Concept, owner: dict[str, ConceptId], sections: int) -> Concept:
    """The concept with the aliases that are its own, and its score."""
    spelt = {normalise(each): each for each in reversed(concept.aliases)}
    own = (each for plain, each in reversed(spelt.items()) if plain != normalise(concept.name))
    aliases = tuple(each for each in own if owner[same_key(each)] == concept.id)
    grounds = sections + bool(concept.definition)
    return replace(concept, aliases=aliases, score=round(1 - _UNSURE / grounds, 4))
