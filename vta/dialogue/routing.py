"""The decision of figure 2, as arithmetic: small talk above alpha, direct above beta, else Chain of Teach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from vta.dialogue.conflict import Conflict, ConflictFinder
from vta.faq import asks
from vta.kinds import asks_alike, asks_definition
from vta.text import normalise
from vta.types import (
    Candidate,
    Course,
    IntentLabel,
    IntentPrediction,
    Mention,
    Mode,
    Route,
    Source,
    Thresholds,
)

EXACT_MATCH_SCORE = 10.0
"""Above any learned beta: S of a perfect pair is about 1. A beta from here on answers nothing directly."""

SURE_TALK = 0.9
"""What h must exceed where a concept of the course is named: "recursion is killing me" is a question."""

Coverage = Callable[[Sequence[Candidate]], float]
"""The share of a question's content that what is known holds, in 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How a question is answered, and what that rests on.

    `known` are the candidates that count as knowledge, the one that would answer first. `best` is the first S
    of the ranking, `beta` what S must exceed for a direct answer. `direct_score` is the S that was compared,
    over the margin of the intent, so that it goes with the beta of the thresholds; None where nothing can
    be direct. `coverage` is None where it was not asked for. Where FAQ and material disagree the route is
    direct, and both sides of the `conflict` are shown.
    """

    route: Route
    known: tuple[Candidate, ...]
    best: float
    beta: float
    direct_score: float | None
    coverage: float | None
    conflict: Conflict | None


def decide(
    question: str,
    candidates: Sequence[Candidate],
    *,
    mentions: Sequence[Mention],
    intent: IntentPrediction,
    thresholds: Thresholds,
    mode: Mode = Mode.ANSWER,
    small_talk: bool = False,
    coverage: Coverage | None = None,
    conflicts: ConflictFinder | None = None,
) -> Decision:
    """The one decision, of a stand-alone question and its ranked candidates.

    `coverage` is given where no language model can reason: what is known must then hold enough of the
    question to be taught. Without `conflicts` none are looked for. A hint is never direct, and what the FAQ
    answers is not given away in it.
    """
    beta = beta_for(intent, thresholds)
    known = supported(exact_match_first(question, candidates), mentions, thresholds)
    share = None if coverage is None or small_talk else coverage(known)
    sureness = None if small_talk else _sureness(question, known, mentions)
    if small_talk:
        route = Route.CHIT_CHAT
    elif sureness is not None and sureness > beta:
        route = Route.DIRECT
    else:
        is_taught = share is None or is_covered(known, share, thresholds)
        route = Route.CHAIN_OF_TEACH if is_taught and (known or mentions) else Route.UNANSWERED
    if mode is Mode.HINT:
        known = tuple(c for c in known if c.pair.source is not Source.FAQ)
        route = Route.CHAIN_OF_TEACH if route is Route.DIRECT else route
    conflict = None
    if conflicts is not None and not small_talk:
        conflict = conflicts.find(question, known, floor=thresholds.floor)
    return Decision(
        route=Route.DIRECT if conflict else route,
        known=known,
        best=candidates[0].score if candidates else 0.0,
        beta=beta,
        direct_score=None if sureness is None else sureness / beta_for(intent, replace(thresholds, beta=1.0)),
        coverage=share,
        conflict=conflict,
    )


def thresholds_for(course: Course, defaults: Thresholds) -> Thresholds:
    """The thresholds of a course: those learned for it, else the defaults."""
    return replace(
        defaults,
        alpha=defaults.alpha if course.alpha is None else course.alpha,
        beta=defaults.beta if course.beta is None else course.beta,
    )


def is_small_talk(
    question: str,
    *,
    standalone: str,
    intent: IntentPrediction,
    mentions: Sequence[Mention],
    thresholds: Thresholds,
    in_distress: bool,
) -> bool:
    """h > alpha, or a task that is not the course's; never for a follow-up, which asks on about the course
    ("just tell me").

    Who names a concept of the course asks for no other task, and is taken for chatting only where h is
    above `SURE_TALK`. Words of distress always are small talk: they are met with care, whatever is asked.
    """
    if in_distress or standalone != question:
        return in_distress
    if mentions:
        return intent.chit_chat > max(SURE_TALK, thresholds.alpha)
    return is_chit_chat(intent, thresholds) or is_other_task(intent)


def is_other_task(intent: IntentPrediction) -> bool:
    """Whether it asks for a task that is not the course's, more likely than not."""
    return intent.other_task > 0.5


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


def exact_match_first(question: str, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
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


def _sureness(question: str, known: Sequence[Candidate], mentions: Sequence[Mention]) -> float | None:
    """What beta is compared with: the S of the first one, or more than any where it names this very question.

    None where it cannot answer directly. The first is the best by S; where vectors are on it is the first of
    both rankings fused, and only its own S makes it a direct answer, never its similarity.
    """
    if not known or not _answers(question, known[0], mentions):
        return None
    score = known[0].score
    return max(score, EXACT_MATCH_SCORE) if asks(known[0].pair, question) else score


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
