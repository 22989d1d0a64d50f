"""The concepts of a course from its passages, each with the text that explains it best."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import PurePosixPath

import numpy as np

from concept_graph.defining import DefiningSentences, DefiningText, probability
from concept_graph.extraction.aliases import (
    find_defined_names,
    find_glosses,
    resolve,
    same_key,
)
from concept_graph.extraction.candidates import Counted, TermCandidate, find_candidates
from concept_graph.extraction.features import EXPLAINED, measure, score_candidates
from concept_graph.extraction.material import (
    Material,
    SeedKind,
    Seeds,
    clean_passages,
    find_seeds,
    read_material,
)
from concept_graph.extraction.runs import Run
from concept_graph.extraction.vocabulary import fold, vocabulary
from concept_graph.headings import heading_name
from concept_graph.names import concept_id, singular
from concept_graph.word_files import read_words
from vta.course_life import tells
from vta.headings import is_back_matter
from vta.languages import Language
from vta.scoring import logistic
from vta.text import normalise
from vta.types.concepts import Concept
from vta.types.courses import Course
from vta.types.pairs import QAPair

MOST_CONCEPTS = 1000
EXPONENT_OF_TERMS = 0.75
"""Of n candidates the n ** 0.75 surest are taken, and those that were given as seeds: six judged courses and
fifteen textbooks have 140 to 800 terms among 2,000 to 13,000 candidates, some of them rare."""
FEWEST_TAKEN = 30
FEWEST_USES = 2
"""Uses of a name in bold that the course does not explain; and of one like "Assessing validity"."""
MOSTLY = 0.9
"""Of the uses of a name."""
_ACTIVITY = re.compile(r"[a-z]{3,}ing [a-z]")
_NO_NOUN = re.compile(r".{3,}(?:[^e]ed|ical|ional|etric|ous|ular)\Z")
_ARTICLES = ("a", "an", "the")
_PROPER = re.compile(r"[A-Z][a-z][\w.'’-]*(?: [A-Z][\w.'’-]*)*\Z")


@dataclass(slots=True)
class _Named:
    """A concept to be: candidates of one key, and the other names that the text gives them."""

    candidate: TermCandidate
    log_odds: float
    kinds: set[SeedKind]
    aliases: dict[str, None]

    def take(self, other: _Named) -> None:
        """Make one concept of both, under the first name."""
        self.kinds |= other.kinds
        self.log_odds = max(self.log_odds, other.log_odds)
        for name in (other.candidate.name, *other.aliases):
            if name != self.candidate.name and not name.endswith("'s"):
                self.aliases[name] = None


def extract_concepts(
    passages: Sequence[QAPair], *, course: Course, seeds: Sequence[str] = ()
) -> tuple[Concept, ...]:
    """The concepts that the passages of a course teach, surest first; none where they hold none.

    `passages` are in the order of the course, in Chinese, English or both. `seeds` are names that a person
    gives. A concept's `score` is how likely it is a term; `first_seen` is the
    document that names it first, `locator` the place of its explanation, or where it has none of its first
    naming. A licence and the like name no concept. The same passages and seeds give the same concepts.
    """
    passages = [each for each in passages if not is_back_matter(PurePosixPath(each.document or "").stem)]
    texts = list(clean_passages(passages))
    material = read_material(texts)
    plain = [text for _, text in texts]
    marked = find_seeds(material, find_defined_names(plain), seeds)
    counted = find_candidates(material, marked)
    named = _merge(counted, _score(counted, material, marked), marked)
    _name_otherwise(named, find_glosses(plain))
    names = {same_key(each.candidate.name): [each.candidate.name, *each.aliases] for each in named.values()}
    explanations = explain(names, texts)
    for key, each in named.items():
        if key in explanations and explanations[key].text:
            each.log_odds += read_words("naming")[EXPLAINED]
    terms = [
        each
        for key, each in named.items()
        if is_term(each.candidate, each.kinds, material, explanations.get(key))
    ]
    return tuple(
        _concept(each, passages[material.first_passage(each.candidate.first)], explanations, course)
        for each in sorted(terms, key=_surest)[:MOST_CONCEPTS]
    )


def is_term(
    candidate: TermCandidate,
    kinds: Collection[SeedKind],
    material: Material,
    explanation: Explanation | None = None,
) -> bool:
    """Whether a name may be a term of a subject, whatever its score.

    No term is what is written as names of persons, firms and places are and stands in no heading. What
    nothing sets apart and the course does not explain is none either where it is a single Chinese character,
    nearly always part of a longer name, or of one section alone, as the props of a story are. The same holds
    for what stands in bold once and nowhere else, for what tells what is done (生成AST), and for what is of
    any course ("model", "problem set").
    """
    name, words = candidate.name, candidate.words
    if SeedKind.GIVEN in kinds:
        return True
    if SeedKind.HEADING not in kinds and _is_proper(candidate):
        return False
    if explanation is not None and explanation.text:
        return True
    one_of_many = len(words) == 1 and words[0] in vocabulary().if_defined
    if one_of_many or _orders_a_course(words) or tells(name, name):
        return False
    if SeedKind.INTRODUCED in kinds:
        return True
    part = candidate.nested.total() >= MOSTLY * candidate.count
    prop = len(candidate.sections) == 1 < material.sections
    letter = candidate.han and len(name) == 1
    if not kinds and (part or prop or letter or (len(words) == 1 and _NO_NOUN.match(words[0]))):
        return False
    if len(words) > 1 and material.tags.get(words[0]) == "v" and words[1].isascii():
        return False
    stays = SeedKind.HEADING in kinds and not _ACTIVITY.match(name.lower())
    return stays or candidate.count >= FEWEST_USES


def _is_proper(candidate: TermCandidate) -> bool:
    """Whether nearly all uses are capitalised like "South Korea" or "Anna", and no article stands before."""
    capitals = sum(n for surface, n in candidate.surfaces.items() if _PROPER.match(surface))
    articles = sum(candidate.left[article] for article in _ARTICLES)
    every = candidate.surfaces.total()
    return capitals >= MOSTLY * every and articles <= (1 - MOSTLY) * candidate.count


def _score(counted: Counted, material: Material, seeds: Seeds) -> dict[Run, float]:
    """The log-odds of each candidate that it is a term."""
    candidates = list(counted.candidates.values())
    scores = score_candidates(
        measure(counted, material, seeds),
        [seeds.get(each.words, ()) for each in candidates],
        np.array([each.han for each in candidates], dtype=bool),
    )
    return {each.words: float(score) for each, score in zip(candidates, scores, strict=True)}


def _merge(counted: Counted, scores: Mapping[Run, float], seeds: Seeds) -> dict[str, _Named]:
    """The surest candidates by key; the surest spelling names a concept."""
    named: dict[str, _Named] = {}
    most = max(ceil(len(counted.candidates) ** EXPONENT_OF_TERMS), FEWEST_TAKEN)
    for words in sorted(scores, key=lambda words: (-scores[words], words)):
        candidate, kinds = counted.candidates[words], set(seeds.get(words, ()))
        key = same_key(candidate.name)
        if len(named) < most or SeedKind.GIVEN in kinds or key in named:
            found = _Named(candidate, scores[words], kinds, {})
            first = named.setdefault(key, found)
            if first is not found:
                first.take(found)
    return named


def _name_otherwise(named: dict[str, _Named], glosses: Counter[tuple[str, str]]) -> None:
    """Add names in brackets as aliases; a concept with such a name is merged into the one it belongs to."""
    for key, others in resolve(glosses, named.keys()).items():
        if key not in named:
            continue
        for other in others:
            same = named.get(same_key(other))
            if same is not None and same is not named[key]:
                named[key].take(named.pop(same_key(other)))
            named[key].aliases.setdefault(other)


def _surest(each: _Named) -> tuple[bool, float, int, Run]:
    return SeedKind.GIVEN not in each.kinds, -each.log_odds, each.candidate.first, each.candidate.words


def _concept(
    named: _Named, first: QAPair, explanations: Mapping[str, Explanation], course: Course
) -> Concept:
    name = named.candidate.name
    found = explanations.get(same_key(name))
    place = found.passage if found else first
    return Concept(
        id=concept_id(course.id, name),
        name=name,
        aliases=tuple(alias for alias in named.aliases if alias != name),
        definition=found.text if found else "",
        domains=course.domains,
        courses=(course.id,),
        score=round(logistic(named.log_odds), 4),
        built=True,
        first_seen=first.document,
        locator=place.locator,
        document=place.document,
    )


_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A piece of text and the passage it stands in.

    `sure` orders explanations: how likely the text explains, and whether a heading above it is the name.
    """

    text: str
    passage: QAPair
    sure: tuple[float, bool]


def explain(
    names: Mapping[str, Sequence[str]], texts: Iterable[tuple[QAPair, str]]
) -> dict[str, Explanation]:
    """The best explanation of each concept that has any; `names` are those of each concept by its key.

    The likeliest candidate (`concept_graph.defining`) is taken, of equal ones the first under a
    heading that is the name, else the first. A concept that only a heading names gets the place
    of the heading and an empty text.
    """
    best: dict[str, Explanation] = {}
    headed: dict[str, QAPair] = {}
    for passage, each in find_explanations(names, texts):
        if not isinstance(each, DefiningText):
            headed[each] = passage
            best.setdefault(each, Explanation("", passage, (0.0, False)))
            continue
        found = Explanation(each.text, passage, (probability(each), headed.get(each.key) is passage))
        if found.sure[0] and (each.key not in best or found.sure > best[each.key].sure):
            best[each.key] = found
    return best


def find_explanations(
    names: Mapping[str, Sequence[str]], texts: Iterable[tuple[QAPair, str]]
) -> Iterator[tuple[QAPair, DefiningText | str]]:
    """Candidates for explanations in order, each with its passage; a plain key is named by a heading there.

    A text seen before under the same headings, but for its numbers, is left out.
    """
    defining = DefiningSentences(names)
    headings: dict[tuple[str, ...], Mapping[str, int]] = {}
    seen: set[tuple[tuple[str, ...], str, int]] = set()
    for passage, text in texts:
        above = passage.locator.heading_path or (passage.question,)
        if above not in headings:
            headings[above] = _named_by(above, defining)
        for key in headings[above]:
            yield passage, key
        for each in defining.candidates(text, headings[above]):
            mark = (above, each.key, hash(_DIGITS.sub("0", each.text)))
            if mark not in seen:
                seen.add(mark)
                yield passage, each


def _named_by(headings: tuple[str, ...], defining: DefiningSentences) -> Mapping[str, int]:
    """The keys that the last two headings name: 2 for the last, 1 for the one above."""
    named: dict[str, int] = {}
    for near, heading in enumerate(headings[-2:], start=3 - len(headings[-2:])):
        found = heading_name(heading)
        for name in (found.name, *found.aliases) if found else ():
            key = defining.owner(normalise(name)) or defining.owner(singular(normalise(name)))
            if key:
                named[key] = near
    return named


def _orders_a_course(words: Iterable[str]) -> bool:
    """Whether folded words only order a course, as "final project" does."""
    return all(word in _ordering_words() for word in words)


@cache
def _ordering_words() -> frozenset[str]:
    words = (read_words(f"ordering_{language}")["ordering"] for language in Language)
    return frozenset(fold(word) for each in words for word in each)
