"""The concept-aware ranker: S(z, q) of the LittleMu paper.

    S(z, q) = g(z) * BM25(z, NER(q))   for concepts,            g(z) = |D(c_z) & D(c)| / |D(c_z) | D(c)|
              h    * BM25(z, NER(q))   for search-engine pairs, h the chit-chat score
              BM25(z, NER(q))          for FAQ and course material

NER(q) is looked up together with the other content words of the question; words of its concepts count double.
BM25 is divided by that of a perfect pair for the question, so that S is comparable between questions and one
beta serves a course; the order of the pairs is not touched by that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from knowledge.bm25 import PairWords, perfect_bm25, read_words, recount, score_pairs
from knowledge.index import SearchableIndex
from vta.course_life import synonyms
from vta.faq import is_no_answer_to
from vta.text import Analyser, jaccard, normalise, strip_templates
from vta.types.concepts import Concept, Mention
from vta.types.courses import Course, CourseId, PairId
from vta.types.pairs import (
    Candidate,
    CollectionStatistics,
    Degradation,
    QAPair,
    SearchQuery,
    Source,
    SourceWeight,
)

CONCEPT_BOOST = 2.0
_LOOKED_THROUGH = 8


def g(concept_domains: Collection[str], course_domains: Collection[str]) -> float:
    """|D(c_z) & D(c)| / |D(c_z) | D(c)|, the Jaccard similarity of two courses' domains; 0 for none.

    Domains are compared in their normalised form, as the concept linker does.
    """
    one, other = _normal(tuple(concept_domains)), _normal(tuple(course_domains))
    return jaccard(one, other)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question as it is looked up for a course, with the statistics that the course's pairs are scored by.

    `words` are all of the question but for the phrases that only ask ("what is").
    `perfects` are the BM25 of a perfect pair of each course that `weights` select: 0 where no term of the
    question is looked up.
    """

    text: str
    words: frozenset[str]
    course_id: CourseId
    query: SearchQuery
    weights: tuple[SourceWeight, ...]
    statistics: CollectionStatistics
    perfects: Mapping[CourseId, float]

    @property
    def terms(self) -> tuple[str, ...]:
        """The words that are looked up."""
        return tuple(word for word, _ in self.query.words)


class ConceptAwareRanker:
    """Ranks by S over an index. `courses` are all courses; some lend their concepts (`Course.shares_with`).

    Search-engine pairs, which are not in the index, are ranked with its statistics.
    """

    def __init__(
        self,
        *,
        index: SearchableIndex,
        analyser: Analyser,
        courses: Sequence[Course],
        degraded: Degradation | None = None,
    ) -> None:
        """`degraded` is what every ranking says of itself, where the index is known not to be whole."""
        self.degraded = degraded
        self._index = index
        self._analyser = analyser
        self._courses = tuple(courses)
        self._taught = lru_cache(maxsize=1_000)(self._find_taught)  # the index does not change for a ranker

    def ask(
        self, question: str, *, course: Course, mentions: Sequence[Mention], chit_chat: float
    ) -> AskedQuestion:
        """The query, weights and statistics of a question. Only here is the index asked for statistics."""
        query, statistics = self.look_up(question, mentions, course.id)
        lenders = [each for each in self._courses if each.shares_with(course)]
        weights = source_weights(course, lenders, chit_chat)
        others = {weight.course_id for weight in weights} - {course.id}
        counted = {course.id: statistics} | {id: self._index.statistics(query, id) for id in others}
        return AskedQuestion(
            text=question,
            words=frozenset(self._analyser.words(strip_templates(question))),
            course_id=course.id,
            query=query,
            weights=weights,
            statistics=statistics,
            perfects={id: perfect_bm25(query, each) for id, each in counted.items()},
        )

    def look_up(
        self, question: str, mentions: Sequence[Mention], course_id: CourseId
    ) -> tuple[SearchQuery, CollectionStatistics]:
        """The terms of a question, and the statistics of a course for them."""
        query = build_query(question, mentions, self._analyser)
        return query, self._index.statistics(query, course_id)

    def recount(
        self, asked: AskedQuestion, *, joining: Sequence[QAPair], leaving: Sequence[QAPair]
    ) -> AskedQuestion:
        """The same question of a course that pairs were added to and others are gone from for good."""
        counted = recount(asked.statistics, self._analyser, joining=joining, leaving=leaving)
        perfects = {**asked.perfects, asked.course_id: perfect_bm25(asked.query, counted)}
        return replace(asked, statistics=counted, perfects=perfects)

    def find(self, asked: AskedQuestion, top: int, found: Sequence[QAPair] = ()) -> tuple[Candidate, ...]:
        """The top pairs under S of the index and of `found`, search-engine pairs; best first, ties by id."""

        def search(wanted: int) -> tuple[Candidate, ...]:
            best: list[Candidate] = []
            for course_id in asked.perfects:
                of_course = [each for each in asked.weights if each.course_id == course_id]
                best += _relative(self._index.search(asked.query, of_course, wanted), asked)
            return _best(best, wanted)

        best = _first_answers(search, asked.text, top)
        if not found:
            return best
        outside = score_pairs(found, asked.query, asked.weights, asked.statistics, self._analyser)
        return _best([*best, *_relative(outside, asked)], top)

    def score(self, pairs: Sequence[QAPair], asked: AskedQuestion) -> tuple[Candidate, ...]:
        """Those of these pairs that the course may see, with their S: 0 without a term of the question.

        The course's own are scored by the statistics of the question, and need not be in the index.
        """
        own = [pair for pair in pairs if pair.course_id == asked.course_id]
        shared = [pair.id for pair in pairs if pair.course_id != asked.course_id]
        scored = score_pairs(own, asked.query, asked.weights, asked.statistics, self._analyser)
        others = self._index.score(asked.query, asked.weights, shared) if shared else ()
        return _with_scores(pairs, (*scored, *others), asked)

    def look_at(self, ids: Collection[PairId], asked: AskedQuestion) -> tuple[Candidate, ...]:
        """Those of these pairs of the index that the course may see and that may answer, with their S."""
        scored = _relative(self._index.score(asked.query, asked.weights, ids) if ids else (), asked)
        return tuple(each for each in scored if not is_no_answer_to(each.pair, asked.text))

    def words(self, pair: QAPair) -> PairWords:
        """All words of a pair."""
        return read_words(self._analyser, pair)

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        return self._taught(concept.name, course.id)

    def _find_taught(self, name: str, course_id: CourseId) -> Candidate | None:
        words = dict.fromkeys(self._analyser.content_words(name), 1.0)
        grams = dict.fromkeys(self._analyser.content_grams(name), 1.0)
        query = SearchQuery(words=tuple(words.items()), grams=tuple(grams.items()))
        material = SourceWeight(
            source=Source.MATERIAL, course_id=course_id, weight=1.0, question=1.0, answer=0.5
        )
        found = self._index.search(query, (material,), _LOOKED_THROUGH)
        return next((candidate for candidate in found if self._names(candidate, name)), None)

    def _names(self, candidate: Candidate, name: str) -> bool:
        text = f"{candidate.pair.question}\n{candidate.pair.answer}"
        if normalise(name) in normalise(text):
            return True
        words = self.words(candidate.pair)
        return all(word in words for word in self._analyser.words(name))


def build_query(question: str, mentions: Sequence[Mention], analyser: Analyser) -> SearchQuery:
    """The content words of the question, those of NER(q) with `CONCEPT_BOOST`."""
    words = dict.fromkeys(analyser.content_words(question), 1.0)
    grams = dict.fromkeys(analyser.content_grams(question), 1.0)
    for mention in mentions:
        words.update(dict.fromkeys(analyser.content_words(mention.surface), CONCEPT_BOOST))
        grams.update((gram, CONCEPT_BOOST) for gram in analyser.content_grams(mention.surface))
    of_course_life = synonyms(question, analyser).items()
    alike = {word: others for word, others in of_course_life if words.get(word) == 1.0}
    return SearchQuery(words=tuple(words.items()), grams=tuple(grams.items()), alike=alike)


def source_weights(course: Course, courses: Sequence[Course], chit_chat: float) -> tuple[SourceWeight, ...]:
    """The weight of every pair that `course` may see: its own, and the concepts of these related courses."""
    own = [
        SourceWeight(source=Source.FAQ, course_id=course.id, weight=1.0, question=1.0, answer=0.0),
        SourceWeight(source=Source.MATERIAL, course_id=course.id, weight=1.0, question=0.2, answer=0.4),
        SourceWeight(source=Source.SEARCH, course_id=course.id, weight=chit_chat, question=0.2, answer=0.4),
    ]
    concepts = [
        SourceWeight(
            source=Source.CONCEPT,
            course_id=other.id,
            weight=g(other.domains, course.domains),
            question=1.0,
            answer=0.0,
        )
        for other in (course, *(each for each in courses if each.id != course.id))
    ]
    return tuple(weight for weight in (*own, *concepts) if weight.weight > 0)


def _with_scores(
    pairs: Sequence[QAPair], scored: Sequence[Candidate], asked: AskedQuestion
) -> tuple[Candidate, ...]:
    """A candidate of each pair that the course may see, in order; S is 0 where nothing was scored."""
    known = {each.pair.id: each for each in _relative(scored, asked)}
    own = {(weight.source, weight.course_id): weight.weight for weight in asked.weights}
    return tuple(
        known.get(pair.id, Candidate(pair=pair, bm25=0.0, weight=own[key], score=0.0))
        for pair in pairs
        if (key := (pair.source, pair.course_id)) in own
    )


def _best(candidates: Sequence[Candidate], top: int) -> tuple[Candidate, ...]:
    """The first of each id, best first, ties by id."""
    once = {candidate.pair.id: candidate for candidate in reversed(candidates)}
    return tuple(sorted(once.values(), key=lambda c: (-c.score, c.pair.id))[: max(top, 0)])


def _first_answers(
    search: Callable[[int], tuple[Candidate, ...]], question: str, top: int
) -> tuple[Candidate, ...]:
    """The first of a search without those that name this very question as one they do not answer.

    `search` gives the first so many, best first; it is asked for more where too few are left.
    """
    wanted = top
    while True:
        found = search(wanted)
        kept = tuple(each for each in found if not is_no_answer_to(each.pair, question))
        if len(kept) >= top or len(found) < wanted:
            return kept[:top]
        wanted *= 2


def _relative(candidates: Iterable[Candidate], asked: AskedQuestion) -> Iterator[Candidate]:
    """Candidates as an index scores them, each relative to a perfect pair of its course."""
    for each in candidates:
        perfect = asked.perfects[each.pair.course_id] or 1.0  # without a term, S is 0
        bm25, score = each.bm25 / perfect, each.score / perfect
        yield Candidate(pair=each.pair, bm25=bm25, weight=each.weight, score=score)


@lru_cache(maxsize=1_000)
def _normal(domains: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(normalise, domains))
