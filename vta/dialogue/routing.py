"""The two forks of a question, as arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vta.dialogue.kinds import asks_alike, asks_definition
from vta.faq import asks
from vta.text import normalise
from vta.types import Candidate, Course, IntentLabel, IntentPrediction, Mention, Route, Source, Thresholds

WORD_FOR_WORD = 10.0
"""Above any learned beta: S of a perfect pair is about 1. A beta from here on answers nothing directly."""


def thresholds_for(course: Course, defaults: Thresholds) -> Thresholds:
    """The thresholds of a course: those learned for it, else the defaults."""
    return replace(
        defaults,
        alpha=defaults.alpha if course.alpha is None else course.alpha,
        beta=defaults.beta if course.beta is None else course.beta,
    )


def is_chit_chat(intent: IntentPrediction, thresholds: Thresholds) -> bool:
    """h > alpha."""
    return intent.chit_chat > thresholds.alpha


def beta_for(intent: IntentPrediction, thresholds: Thresholds) -> float:
    """Beta, raised for complex questions: near beta, Chain of Teach serves them better."""
    complex_question = intent.label is IntentLabel.COMPLEX
    return thresholds.beta * (thresholds.complex_margin if complex_question else 1.0)


def asks_search_engine(
    best: float, intent: IntentPrediction, mentions: Sequence[Mention], *, beta: float, thresholds: Thresholds
) -> bool:
    """Whether a search engine could help: the course's best S is not above beta, and its pairs could count.

    S of such a pair is h * BM25, so that of a perfect one is h; below the floor it only counts where a
    concept is named.
    """
    return best <= beta and (bool(mentions) or intent.chit_chat >= thresholds.floor)


def supported(
    candidates: Sequence[Candidate], mentions: Sequence[Mention], thresholds: Thresholds
) -> tuple[Candidate, ...]:
    """The candidates that count as knowledge: S at or above the floor, or any where a concept is known.

    Where vectors are on, a similarity at or above its threshold counts too.
    """
    return tuple(c for c in candidates if mentions or c.score >= thresholds.floor or _similar(c, thresholds))


def own_words_first(question: str, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates with the FAQ pair first, if there is one, that names this very question as its own.

    Where several do, one that an instructor wrote here goes before one from a file.
    """
    asked = sorted(
        (c for c in candidates if asks(c.pair, question)), key=lambda c: c.pair.document is not None
    )[:1]
    return (*asked, *(c for c in candidates if c not in asked))


def is_covered(knowledge: Sequence[Candidate], coverage: float, thresholds: Thresholds) -> bool:
    """Whether what is known can answer by itself, with no language model to reason on.

    One passage, with the concepts that the question names, holds enough of its content; or one is similar.
    """
    return coverage >= thresholds.coverage or any(_similar(c, thresholds) for c in knowledge)


def choose_route(
    question: str,
    knowledge: Sequence[Candidate],
    mentions: Sequence[Mention],
    *,
    beta: float,
    covered: bool = True,
) -> Route:
    """Direct where the first one's S > beta, Chain of Teach where anything is known, else unanswered.

    `covered` is False where what is known cannot answer; it is not taught then.
    The first is the best by S; where vectors are on it is the first of both rankings fused, and only its own
    S makes it a direct answer, never its similarity. A wording of an FAQ pair counts as `WORD_FOR_WORD`.
    """
    if knowledge and _sureness(question, knowledge[0]) > beta and _answers(question, knowledge[0], mentions):
        return Route.DIRECT
    return Route.CHAIN_OF_TEACH if covered and (knowledge or mentions) else Route.UNANSWERED


def direct_score(
    question: str,
    candidates: Sequence[Candidate],
    mentions: Sequence[Mention],
    intent: IntentPrediction,
    thresholds: Thresholds,
) -> float | None:
    """What beta is compared with: the first one's S over the margin of the intent; None where nothing can be
    direct.

    The first is answered directly exactly where this is above beta (`choose_route` with `beta_for`).
    """
    known = supported(own_words_first(question, candidates), mentions, thresholds)
    if is_chit_chat(intent, thresholds) or not known or not _answers(question, known[0], mentions):
        return None
    return _sureness(question, known[0]) / beta_for(intent, replace(thresholds, beta=1.0))


def _sureness(question: str, candidate: Candidate) -> float:
    """S, or more than any S where the pair names this very question as its own."""
    return max(candidate.score, WORD_FOR_WORD) if asks(candidate.pair, question) else candidate.score


def _similar(candidate: Candidate, thresholds: Thresholds) -> bool:
    return candidate.similarity is not None and candidate.similarity >= thresholds.similarity


def _answers(question: str, best: Candidate, mentions: Sequence[Mention]) -> bool:
    """Whether a pair is about all concepts of the question, and answers that kind of question.

    An FAQ pair must ask for the same kind of thing; an explanation answers what its concept is, and is about
    that one alone.
    """
    pair = best.pair
    if pair.source is Source.CONCEPT:
        asked_alone = len(mentions) == 1 and mentions[0].concept.name == pair.question
        return asked_alone and asks_definition(question)
    if pair.source is Source.FAQ and not asks_alike(question, (pair.question, *pair.similar_questions)):
        return False
    text = normalise("\n".join((pair.question, *pair.similar_questions, pair.answer)))
    return all(_is_named(mention, text) for mention in mentions)


def _is_named(mention: Mention, text: str) -> bool:
    names = (mention.surface, mention.concept.name, *mention.concept.aliases)
    return any(normalise(name) in text for name in names)
