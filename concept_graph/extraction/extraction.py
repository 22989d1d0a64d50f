"""The concepts of a course from its passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from concept_graph.extraction.admission import Admission
from concept_graph.extraction.aliases import find_glossary_lines, find_glosses, resolve, same_key
from concept_graph.extraction.candidates import Candidate, Counted, find_candidates
from concept_graph.extraction.cleaning import clean_passages
from concept_graph.extraction.defined_names import find_defined_names
from concept_graph.extraction.explanations import Explanation, explain
from concept_graph.extraction.features import PRIOR, measure
from concept_graph.extraction.material import Material, read_material
from concept_graph.extraction.runs import Run
from concept_graph.extraction.scoring import score_candidates
from concept_graph.extraction.seeds import SeedKind, find_seeds
from concept_graph.extraction.vocabulary import vocabulary
from concept_graph.names import concept_id
from concept_graph.syllabus import orders_a_course
from vta.types import Concept, Course, QAPair

MOST_CONCEPTS = 1000
LEAST_SCORE = 0.5
"""A candidate that is less sure to be a name is left out, unless it was given as a seed."""
SEED_LOG_ODDS: Mapping[SeedKind, float] = {
    SeedKind.GIVEN: 8.0,
    SeedKind.HEADING: 1.5,
    SeedKind.GLOSSED: 0.8,
    SeedKind.MARKED: 0.3,
}
"""What it says for a name to be set apart, beside what the model finds in it."""
DEFINED_LOG_ODDS = 3.0
"""What it says for a name that the course says what it means."""


@dataclass(slots=True)
class _Named:
    """A concept to be: candidates of one key, and the other names that the text gives them."""

    candidate: Candidate
    score: float
    given: bool
    aliases: dict[str, None]


def extract_concepts(
    passages: Sequence[QAPair], *, course: Course, seeds: Sequence[str] = ()
) -> tuple[Concept, ...]:
    """The concepts that the passages of a course teach, surest first; none where they hold none.

    `passages` are in the order of the course, in Chinese, English or both. What is learned is learned from
    names that the course sets apart (headings, glossary lines, marked terms) and from `seeds`, names that a
    person gives. A concept's `score` is the model's probability under equal classes; `first_seen` is the
    document that names it first, `locator` the place of its explanation, or where it has none of its first
    naming. The same passages and seeds give the same concepts.
    """
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
    return one_of_them and not (found is not None and found.names_it)


def _is_defined(named: _Named, explanations: Mapping[str, Explanation]) -> bool:
    """Whether the course says what the name means."""
    found = explanations.get(same_key(named.candidate.name))
    return found is not None and bool(found.text)


def _score(counted: Counted, material: Material, seeds: Mapping[Run, SeedKind]) -> dict[Run, float]:
    """P(name) of each candidate; each script is learned by itself, as its features mean other things."""
    features = measure(counted, material, seeds, vocabulary())
    candidates = list(counted.candidates.values())
    prior = np.array(list(PRIOR.values()))
    weight = np.array([np.log(each.count) if each.words in seeds else 0.0 for each in candidates])
    bonus = np.array(
        [SEED_LOG_ODDS[seeds[each.words]] if each.words in seeds else 0.0 for each in candidates]
    )
    han = np.array([each.han for each in candidates], dtype=bool)
    log_odds = bonus
    for script in (han, ~han):
        log_odds[script] += score_candidates(features[script], weight[script], prior)
    return {
        each.words: float(1 / (1 + np.exp(-value)))
        for each, value in zip(candidates, np.clip(log_odds, -30, 30), strict=True)
    }


def _merge(counted: Counted, scores: Mapping[Run, float], seeds: Mapping[Run, SeedKind]) -> dict[str, _Named]:
    """The candidates that are sure enough, by key; the surest spelling names a concept."""
    named: dict[str, _Named] = {}
    for words in sorted(scores, key=lambda words: (-scores[words], words)):
        given = seeds.get(words) is SeedKind.GIVEN
        if scores[words] < LEAST_SCORE and not given:
            continue
        candidate = counted.candidates[words]
        first = named.setdefault(same_key(candidate.name), _Named(candidate, scores[words], given, {}))
        if first.candidate is not candidate:
            first.aliases[candidate.name] = None
    return named


def _name_otherwise(named: dict[str, _Named], glosses: Counter[tuple[str, str]]) -> None:
    """Adds the names that the text gives in brackets; a concept that is one of them is no other any more."""
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
