"""The decision of figure 2, as arithmetic: small talk first, direct above beta, else Chain of Teach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vta.course_life import asks_when, rows_of, tells
from vta.dialogue.concepts import is_named
from vta.dialogue.history import is_repeated
from vta.dialogue.question import UnderstoodQuestion
from vta.faq import asks
from vta.kinds import Kind, asks_alike, asks_definition, kinds_of
from vta.text import names_code, normalise
from vta.types.answers import Route
from vta.types.concepts import Mention
from vta.types.courses import Course, Thresholds
from vta.types.pairs import Candidate, QAPair, Source
from vta.types.questions import IntentLabel, IntentPrediction, Mode

EXACT_MATCH_SCORE = 10.0
"""Above any learned beta: S of a perfect pair is about 1. With a beta from here on no answer is direct."""
_NAMED = 0.65
"""The part of `relevance` that is enough where the question names a concept of the course, and for a place
that a refusal names. On five courses it loses 4 of 272 answers and refuses 39 of 51 questions without an
answer; one bar for all loses 5 and refuses 35."""

_AROUND_NAMES = " ?!.,;:？！。，；："


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The route of a question, and the figures behind it.

    `known` are the candidates that count as knowledge, the one that would answer first. `best` is the highest
    S of the ranking, `beta` the S above which an answer is direct. `direct_score` is the score that was
    compared with it, divided by the margin of the intent, to fit the beta of the thresholds; None where no
    answer can be direct. `relevance` is that of the first one known, and `near` says that it is too low for
    an answer.
    """

    route: Route
    known: tuple[Candidate, ...]
    best: float
    beta: float
    direct_score: float | None
    relevance: float
    near: bool


def decide(
    context: UnderstoodQuestion,
    candidates: Sequence[Candidate],
    *,
    small_talk: bool = False,
    can_reason: bool = False,
) -> Decision:
    """The one decision, of a question and its ranked candidates.

    A language model that `can_reason` reads all candidates, unless the guard flagged the question, and only
    the FAQ answers before it. Concepts of another course never answer directly. A hint is never direct, and
    has no FAQ pair. A shorter answer, or one that was given before, is taught.
    """
    question, intent, thresholds = context.resolved, context.intent, context.thresholds
    can_reason = can_reason and not context.flagged
    beta = beta_for(intent, thresholds)
    explained = _explanation_first(question, candidates, context.mentions, beta)
    known = exact_match_first(question, explained)
    if not can_reason:
        asked = context.standalone
        is_foreign = context.language is not context.course.language and not rows_of(asked)
        known = relevant(known, thresholds, context.mentions, asked, is_foreign=is_foreign)
    relevance = relevance_of(known[0]) if known else 0.0
    is_shared = bool(known) and known[0].pair.course_id != context.course.id
    is_read = can_reason and bool(known) and known[0].pair.source is not Source.FAQ
    sureness = None if small_talk or is_shared or is_read else _sureness(question, known, context.mentions)
    if small_talk:
        route = Route.CHIT_CHAT
    elif sureness is not None and sureness > beta:
        route = Route.DIRECT
    elif known:
        route = Route.CHAIN_OF_TEACH
    else:
        route = Route.UNANSWERED
    if context.mode is Mode.HINT:
        known = tuple(c for c in known if c.pair.source is not Source.FAQ)
        route = Route.CHAIN_OF_TEACH if route is Route.DIRECT else route
    near = route is Route.CHAIN_OF_TEACH and relevance < thresholds.relevance
    if route is Route.DIRECT and (
        context.style.shorter or is_repeated(known[0].pair.answer, context.style.already_said)
    ):
        route = Route.CHAIN_OF_TEACH
    return Decision(
        route=route,
        known=known,
        best=max((c.score for c in candidates), default=0.0),
        beta=beta,
        direct_score=None if sureness is None else sureness / beta_for(intent, replace(thresholds, beta=1.0)),
        relevance=relevance,
        near=near,
    )


def thresholds_for(course: Course, defaults: Thresholds) -> Thresholds:
    """The thresholds of a course: its own, else the defaults."""
    return replace(
        defaults,
        relevance=defaults.relevance if course.relevance is None else course.relevance,
        alpha=defaults.alpha if course.alpha is None else course.alpha,
        beta=defaults.beta if course.beta is None else course.beta,
    )


def beta_for(intent: IntentPrediction, thresholds: Thresholds) -> float:
    """Beta, raised for complex questions: near beta, Chain of Teach serves them better."""
    complex_question = intent.label is IntentLabel.COMPLEX
    return thresholds.beta * (thresholds.complex_margin if complex_question else 1.0)


def asks_search_engine(context: UnderstoodQuestion, best: float) -> bool:
    """Whether a search engine could help: the course's best S is not above beta, and its pairs could count.

    S of such a pair is h * BM25, so that of a perfect one is h; below the floor it counts only where the
    question names a concept.
    """
    could_count = bool(context.mentions) or context.intent.chit_chat >= context.thresholds.floor
    return could_count and best <= beta_for(context.intent, context.thresholds)


def relevant(
    candidates: Sequence[Candidate],
    thresholds: Thresholds,
    mentions: Sequence[Mention] = (),
    question: str = "",
    *,
    is_foreign: bool = False,
) -> tuple[Candidate, ...]:
    """The candidates of enough relevance, and with them the explanations of the concepts that are named.

    The bar is lower where the question names a concept or code, or shares no words with a course in another
    language, and for a pair that gives what the question asks about how the course is run. When something of
    that kind is, only such a pair says, or an FAQ entry that asks for a time.
    """
    lower = thresholds.relevance * _NAMED
    least = lower if mentions or is_foreign or names_code(question) else thresholds.relevance
    must_tell = asks_when(question)
    near = [
        c
        for c in candidates
        if (relevance_of(c) >= least and (not must_tell or _says_when(c.pair)))
        or (relevance_of(c) >= lower and tells(question, f"{c.pair.question}\n{c.pair.answer}"))
    ]
    named = {mention.concept.name for mention in mentions} if near else set()
    return tuple(
        c for c in candidates if c in near or (c.pair.source is Source.CONCEPT and c.pair.question in named)
    )


def _says_when(pair: QAPair) -> bool:
    return pair.source is Source.FAQ and any(Kind.TIME in kinds_of(each) for each in pair.wordings)


def closest(candidates: Sequence[Candidate], thresholds: Thresholds) -> tuple[Candidate, ...]:
    """The candidates that a refusal names: near, and not sure to answer."""
    return tuple(c for c in candidates if relevance_of(c) >= thresholds.relevance * _NAMED)


def relevance_of(candidate: Candidate) -> float:
    """The learned probability; S where it was not judged."""
    return candidate.score if candidate.relevance is None else candidate.relevance


def exact_match_first(question: str, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates with the FAQ pair first that has this question among its wordings, if there is one.

    Of several, one that an instructor wrote here goes before one from a file.
    """
    asked = sorted(
        (c for c in candidates if asks(c.pair, question)), key=lambda c: c.pair.document is not None
    )[:1]
    return (*asked, *(c for c in candidates if c not in asked))


def _explanation_first(
    question: str, candidates: Sequence[Candidate], mentions: Sequence[Mention], beta: float
) -> Sequence[Candidate]:
    """The candidates with the explanation first of a concept by its name alone, or with S above beta.

    Passages and entries that only speak of the concept may be more relevant. An FAQ pair whose S is no lower
    asks for nothing more than the concept, and was answered by a person: it goes first.
    """
    plain = normalise(question).strip(_AROUND_NAMES)
    is_name = any(plain == normalise(mention.surface) for mention in mentions)
    explains = [
        c
        for c in candidates
        if c.pair.source is Source.CONCEPT and (is_name or c.score > beta) and _answers(question, c, mentions)
    ]
    entries = (c for c in candidates if c.pair.source is Source.FAQ and _answers(question, c, mentions))
    written = [c for c in entries if explains and c.score >= explains[0].score]
    first = (*written, *explains)[:1]
    return (*first, *(c for c in candidates if c not in first))


def _sureness(question: str, known: Sequence[Candidate], mentions: Sequence[Mention]) -> float | None:
    """The score that beta is compared with: S of the first one, or `EXACT_MATCH_SCORE` for the same wording.

    For an FAQ pair its relevance, where that is higher: the same question in other words has a low S. None
    where it cannot answer directly.
    """
    if not known or not _answers(question, known[0], mentions):
        return None
    first = known[0]
    if asks(first.pair, question):
        return max(first.score, EXACT_MATCH_SCORE)
    return max(first.score, relevance_of(first)) if first.pair.source is Source.FAQ else first.score


def _answers(question: str, best: Candidate, mentions: Sequence[Mention]) -> bool:
    """Whether a pair is about all concepts of the question, and answers that kind of question.

    An FAQ pair must ask for the same kind of thing. An explanation answers only what its one concept is.
    """
    pair = best.pair
    if pair.source is Source.CONCEPT:
        asked_alone = len(mentions) == 1 and mentions[0].concept.name == pair.question
        return asked_alone and asks_definition(question)
    if pair.source is Source.FAQ and not asks_alike(question, pair.wordings):
        return False
    text = normalise("\n".join((*pair.wordings, pair.answer)))
    return all(is_named(mention, text) for mention in mentions)
