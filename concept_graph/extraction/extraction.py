"""The concepts of a course from its passages, each with the text that explains it best."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp
from pathlib import PurePosixPath

import numpy as np

from concept_graph.defining import SURE, DefiningSentences, DefiningText, probability
from concept_graph.extraction.aliases import (
    find_defined_names,
    find_glossary_lines,
    find_glosses,
    resolve,
    same_key,
)
from concept_graph.extraction.candidates import Counted, TermCandidate, find_candidates
from concept_graph.extraction.features import Admission, measure, score_candidates
from concept_graph.extraction.material import Material, SeedKind, clean_passages, find_seeds, read_material
from concept_graph.extraction.runs import Run
from concept_graph.extraction.vocabulary import vocabulary
from concept_graph.headings import heading_name
from concept_graph.names import concept_id, name_key
from concept_graph.syllabus import orders_a_course
from vta.headings import is_back_matter
from vta.text import normalise
from vta.types.concepts import Concept
from vta.types.courses import Course
from vta.types.pairs import QAPair

MOST_CONCEPTS = 1000
SHARE_OF_TERMS = 0.75
"""Of n candidates the n ** 0.75 surest are taken, and those that were given as seeds: six judged courses and
fifteen textbooks have 140 to 800 terms among 2,000 to 13,000 candidates, some of them rare."""
FEWEST_TAKEN = 30
DEFINED_LOG_ODDS = 2.0
"""Log-odds added to a name that the course defines. Of the first 100 names of six judged courses as
many are terms with 0.9 as with 2, and more are explained; with 3 fewer are terms."""


@dataclass(slots=True)
class _Named:
    """A concept to be: candidates of one key, and the other names that the text gives them."""

    candidate: TermCandidate
    score: float
    given: bool
    aliases: dict[str, None]


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
    glossed = find_glossary_lines(plain) + find_defined_names(plain)
    marked = find_seeds(material, glossed, seeds, vocabulary())
    counted = find_candidates(material, marked, vocabulary())
    scores = _score(counted, material, marked)
    admission = Admission(material, counted.candidates.values(), marked, vocabulary())
    admitted = {
        words: score for words, score in scores.items() if admission.admits(counted.candidates[words])
    }
    named = _merge(counted, admitted, marked)
    _name_otherwise(named, find_glosses(plain))
    names = {same_key(each.candidate.name): [each.candidate.name, *each.aliases] for each in named.values()}
    explanations = explain(names, texts)
    for each in named.values():
        if _is_defined(each, explanations):
            each.score = 1 / (1 + (1 / each.score - 1) * exp(-DEFINED_LOG_ODDS))
    chosen = sorted(named.values(), key=_surest)[:MOST_CONCEPTS]
    return tuple(
        _concept(each, passages[material.first_passage(each.candidate.first)], explanations, course)
        for each in chosen
        if each.given or not _says_nothing(each, explanations)
    )


def _says_nothing(named: _Named, explanations: Mapping[str, Explanation]) -> bool:
    """Whether a name is of any course ("model", "final project") and this one does not define it."""
    words = named.candidate.words
    one_of_them = (len(words) == 1 and words[0] in vocabulary().if_defined) or orders_a_course(words)
    found = explanations.get(same_key(named.candidate.name))
    return one_of_them and not (found is not None and found.text)


def _is_defined(named: _Named, explanations: Mapping[str, Explanation]) -> bool:
    """Whether the course says what the name means."""
    found = explanations.get(same_key(named.candidate.name))
    return found is not None and bool(found.text)


def _score(counted: Counted, material: Material, seeds: Mapping[Run, SeedKind]) -> dict[Run, float]:
    """P(name) of each candidate."""
    candidates = list(counted.candidates.values())
    scores = score_candidates(
        measure(counted, material, seeds, vocabulary()),
        [seeds.get(each.words) for each in candidates],
        np.array([each.han for each in candidates], dtype=bool),
    )
    return {each.words: float(score) for each, score in zip(candidates, scores, strict=True)}


def _merge(counted: Counted, scores: Mapping[Run, float], seeds: Mapping[Run, SeedKind]) -> dict[str, _Named]:
    """The surest candidates by key; the surest spelling names a concept."""
    named: dict[str, _Named] = {}
    most = max(ceil(len(counted.candidates) ** SHARE_OF_TERMS), FEWEST_TAKEN)
    for words in sorted(scores, key=lambda words: (-scores[words], words)):
        given = seeds.get(words) is SeedKind.GIVEN
        if len(named) >= most and not given and same_key(counted.candidates[words].name) not in named:
            continue
        candidate = counted.candidates[words]
        first = named.setdefault(same_key(candidate.name), _Named(candidate, scores[words], given, {}))
        if first.candidate is not candidate and not candidate.name.endswith("'s"):
            first.aliases[candidate.name] = None
    return named


def _name_otherwise(named: dict[str, _Named], glosses: Counter[tuple[str, str]]) -> None:
    """Add names in brackets as aliases; a concept with such a name is merged into the one it belongs to."""
    for key, others in resolve(glosses, named.keys()).items():
        if key not in named:
            continue
        for other in others:
            same = named.get(same_key(other))
            if same is not None and same is not named[key]:
                named[key].aliases.update(same.aliases)
                named[key].given |= same.given
                named[key].score = max(named[key].score, same.score)
                del named[same_key(other)]
            named[key].aliases.setdefault(other)


def _surest(each: _Named) -> tuple[bool, float, int, Run]:
    return not each.given, -each.score, each.candidate.first, each.candidate.words


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
        score=round(named.score, 4),
        built=True,
        first_seen=first.document,
        locator=place.locator,
        document=place.document,
    )


_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A piece of text, the passage it stands in, and how likely it explains."""

    text: str
    passage: QAPair
    score: float


def explain(
    names: Mapping[str, Sequence[str]], texts: Iterable[tuple[QAPair, str]]
) -> dict[str, Explanation]:
    """The best explanation of each concept that has any; `names` are those of each concept by its key.

    The likeliest candidate (`concept_graph.defining`) is taken, of equal ones the first. A
    concept that only a heading names gets the place of the heading and an empty text.
    """
    best: dict[str, Explanation] = {}
    for passage, each in find_explanations(names, texts):
        score = probability(each) if isinstance(each, DefiningText) else 0.0
        key, text = (each.key, each.text) if isinstance(each, DefiningText) else (each, "")
        if (text == "" and key not in best) or (
            score >= SURE and (key not in best or score > best[key].score)
        ):
            best[key] = Explanation(text, passage, score)
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
            key = defining.owner(normalise(name)) or defining.owner(name_key(name))
            if key:
                named[key] = near
    return named
