"""What tests are about, made from what counts there; the rest is plain."""

from __future__ import annotations

from typing import Any

from concept_graph.names import concept_id
from vta.dialogue.question import UnderstoodQuestion
from vta.languages import Language
from vta.types.answers import Answer, PastTurn, Route
from vta.types.concepts import Concept, ConceptEdge, Mention
from vta.types.courses import Course, CourseId, PairId, SessionId, Thresholds, TurnId
from vta.types.pairs import Candidate, Locator, QAPair, Source
from vta.types.questions import IntentLabel, IntentPrediction, Mode

EN, ZH = Language.EN, Language.ZH
FAQ, MATERIAL, CONCEPT = Source.FAQ, Source.MATERIAL, Source.CONCEPT


def course(id: str = "c", *domains: str, name: str = "", language: Language = EN, **more: Any) -> Course:
    """A course that is called by its id, in the domain "cs" unless others are given."""
    return Course(id=CourseId(id), name=name or id, domains=domains or ("cs",), language=language, **more)


def pair(question: str, answer: str = "-", *, id: str = "", course: str = "c", **more: Any) -> QAPair:
    """An FAQ entry unless another `source` is given, known by its question unless it has an `id`."""
    more.setdefault("source", FAQ)
    return QAPair(
        id=PairId(id or question), course_id=CourseId(course), question=question, answer=answer, **more
    )


def passage(
    text: str,
    *headings: str,
    id: str = "",
    course: str = "c",
    document: str = "a.md",
    source: Source = MATERIAL,
    **place: Any,
) -> QAPair:
    """Course material under headings, known by its text unless it has an `id`.

    `place` are fields of its locator: page, video, seconds.
    """
    return QAPair(
        id=PairId(id or text),
        course_id=CourseId(course),
        source=source,
        question=" > ".join(headings),
        answer=text,
        document=document,
        locator=Locator(**{"heading_path": headings, **place}),
    )


def candidate(pair: QAPair, score: float = 1.0, **more: Any) -> Candidate:
    """A pair as it was found, with this S."""
    return Candidate(pair=pair, bm25=score, weight=1.0, score=score, **more)


def concept(name: str, *aliases: str, course: str = "c", **more: Any) -> Concept:
    """A concept of one course, under the id that the graph gives to its name."""
    return Concept(
        id=concept_id(CourseId(course), name), name=name, aliases=aliases, courses=(CourseId(course),), **more
    )


def edge(before: str, after: str, score: float = 1.0, *, course: str = "c", **more: Any) -> ConceptEdge:
    """An edge between two concepts of a course, which are given by their names."""
    ends = (concept_id(CourseId(course), name) for name in (before, after))
    return ConceptEdge(prerequisite=next(ends), concept=next(ends), score=score, **more)


def mention(name: str, start: int = 0) -> Mention:
    """A concept that a text names at this place."""
    return Mention(concept=concept(name), start=start, end=start + len(name), surface=name)


def intent(label: IntentLabel = IntentLabel.SIMPLE, h: float = 0.0, **more: Any) -> IntentPrediction:
    """What a classifier says that is sure of the label."""
    return IntentPrediction(label=label, chit_chat=h, probabilities={label: 1.0}, **more)


def understood(question: str, **more: Any) -> UnderstoodQuestion:
    """A first question to the course "c", known to no guard, that stands alone unless more is said."""
    plain: dict[str, Any] = {
        "mode": Mode.ANSWER,
        "course": course(),
        "history": (),
        "language": EN,
        "resolved": question,
        "standalone": question,
        "mentions": (),
        "intent": intent(),
        "knowledge": None,
        "thresholds": Thresholds(),
        "suspicion": None,
    }
    return UnderstoodQuestion(question=question, **{**plain, **more})


def past_turn(question: str, answer: str = "…", **more: Any) -> PastTurn:
    """An earlier turn, answered directly, whose question stands alone unless more is said."""
    plain = {"standalone_question": question, "route": Route.DIRECT, "concepts": (), "flagged": False}
    return PastTurn(question=question, answer=answer, **{**plain, **more})


def answer(turn: str = "t1", session: str = "s1", course: str = "c", **more: Any) -> Answer:
    """A direct answer with nothing but its text."""
    plain: dict[str, Any] = {
        "route": Route.DIRECT,
        "text": "A stack is a list.",
        "citations": (),
        "concepts": (),
        "intent": intent(),
        "ranking": None,
        "standalone_question": "What is a stack?",
        "degraded": None,
        "actions": (),
        "trace": (),
    }
    return Answer(
        turn_id=TurnId(turn), session_id=SessionId(session), course_id=CourseId(course), **{**plain, **more}
    )
