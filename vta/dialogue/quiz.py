"""Quizzes from the course's own exercises: "quiz me on trees", a try, "next", "show me the answer".

The exercise that is open is the one in the last answer, so the dialogue is all the state there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import partial

from prompts import phrases
from vta.dialogue.degradations import SEARCH_FAILURES
from vta.dialogue.exercises import Exercise, compare, find_numbers, read_exercises
from vta.dialogue.plan import Given
from vta.dialogue.position import stem
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.tracing import Tracer
from vta.kinds import kinds_of
from vta.patterns import read_patterns
from vta.ports import CourseDocuments
from vta.text import Analyser, normalise
from vta.types.concepts import Mention
from vta.types.courses import ConceptId, CourseId
from vta.types.pairs import Candidate, QAPair, Source
from vta.types.questions import Position

_WORDS = read_patterns("vta.dialogue", "quiz.toml")
_MARKER = re.compile(r"\[\d+\]|\W+")
_NUMBER = re.compile(r"0*(\d+)")
_SEARCHED = 5


class Quiz:
    """Poses exercises of the course and puts tries beside their reference. It keeps what it read last."""

    def __init__(self, *, source: CourseDocuments, analyser: Analyser) -> None:
        self._source = source
        self._analyser = analyser
        self._read: tuple[tuple[CourseId, int], tuple[Exercise, ...]] | None = None

    def plan(self, context: UnderstoodQuestion, trace: Tracer) -> Given | None:
        """The answer to a request for exercises or to what is said about the open one; None for all else."""
        plain = normalise(context.question)
        asks = _asks(plain) or (self._goes_on(context) and _WORDS["next"].match(plain) is not None)
        opened = None if asks else self._opened(context)
        if context.in_distress or not (asks or opened):
            return None
        with trace.stage("quiz") as tell:
            plan = self._plan(context, plain, opened)
            tell("no part of a quiz" if plan is None else f"{len(plan.candidates)} sources")
        return plan

    def _plan(self, context: UnderstoodQuestion, plain: str, opened: Exercise | None) -> Given | None:
        if opened is None:
            return self._pose(context)
        if _WORDS["stop"].match(plain):
            return _as_plan(phrases.stopped(context.language))
        if _WORDS["show"].search(plain) and not find_numbers(plain):
            return self._show(context, opened)
        if _WORDS["asks_something"].search(plain) and kinds_of(plain):
            return None
        return self._compare(context, opened)

    def _goes_on(self, context: UnderstoodQuestion) -> bool:
        return bool(context.history) and phrases.is_of_quiz(context.history[-1].answer)

    def _opened(self, context: UnderstoodQuestion) -> Exercise | None:
        """The exercise that the last answer set, if it set one."""
        if not context.history or not phrases.is_posed(context.history[-1].answer):
            return None
        answer = _letters(context.history[-1].answer)
        return next((each for each in self._exercises(context) if _letters(each.question) in answer), None)

    def _exercises(self, context: UnderstoodQuestion) -> tuple[Exercise, ...]:
        """Those of the material, then the FAQ entries about concepts of the course."""
        key = context.course.id, self._source.revision()
        if self._read is None or self._read[0] != key:
            pairs = tuple(self._source.pairs(context.course.id))
            link = context.knowledge.linker.link
            asked = (
                Exercise(question=pair.question, reference=pair.answer, pair=pair)
                for pair in pairs
                if pair.source is Source.FAQ and link(pair.question, course=context.course)
            )
            self._read = key, (*read_exercises(pairs), *asked)
        return self._read[1]

    def _pose(self, context: UnderstoodQuestion) -> Given:
        """The first exercise about what was asked for that the dialogue has not had yet.

        Where nothing was named, those of the lecture where the student is come first.
        """
        exercises = self._exercises(context)
        said = [*(turn.question for turn in context.history), context.question]
        latest = [text for text in said if _asks(normalise(text))][-1:]
        link = partial(context.knowledge.linker.link, course=context.course)
        concepts = {each.concept.id: each.concept.name for text in latest for each in link(text)}
        topic = " / ".join(concepts.values())
        about = (
            [each for each in exercises if _is_about(each, concepts.keys(), link)]
            if topic
            else _nearest(exercises, context.position)
        )
        had = [_letters(turn.answer) for turn in context.history if phrases.is_posed(turn.answer)]
        new = [each for each in about if not any(_letters(each.question) in answer for answer in had)]
        if not new:
            return _as_plan(phrases.no_exercise(context.language, topic=topic, had_some=bool(about)))
        exercise = new[0]
        shown = replace(exercise.pair, answer=exercise.question)  # the passage may hold the answer
        return _as_plan(phrases.pose(context.language, exercise.question), shown)

    def _show(self, context: UnderstoodQuestion, exercise: Exercise) -> Given:
        if exercise.reference is None:
            found = self._passages(context, exercise)[:1]
            return _as_plan(phrases.no_reference(context.language, bool(found)), *found)
        return _as_plan(phrases.reference(context.language, exercise.reference), exercise.pair)

    def _compare(self, context: UnderstoodQuestion, exercise: Exercise) -> Given:
        if exercise.reference is None:
            return self._show(context, exercise)
        found = compare(context.question, exercise.reference, exercise.question, self._analyser)
        text = phrases.compared(context.language, exercise.reference, held=found.held, lacking=found.lacking)
        return _as_plan(text, exercise.pair)

    def _passages(self, context: UnderstoodQuestion, exercise: Exercise) -> list[QAPair]:
        """What the course says about an exercise, but for itself; nothing where search fails."""
        mentions = context.knowledge.linker.link(exercise.question, course=context.course)
        try:
            ranking = context.knowledge.ranker.rank(
                exercise.question, course=context.course, mentions=mentions, chit_chat=0.0, top=_SEARCHED
            )
        except SEARCH_FAILURES:
            return []
        return [
            each.pair
            for each in ranking.candidates
            if each.score >= context.thresholds.floor and each.pair.id != exercise.pair.id
        ]


def _asks(plain: str) -> bool:
    return _WORDS["asks"].search(plain) is not None


def _letters(text: str) -> str:
    """A text without what quoting and the numbering of citations change."""
    return _MARKER.sub("", text)


def _is_about(exercise: Exercise, concepts: Set[ConceptId], link: Callable[[str], Sequence[Mention]]) -> bool:
    """Whether an exercise, its headings or the file that it stands in names one of the concepts."""
    place = [*exercise.pair.locator.heading_path, (exercise.pair.document or "").replace("-", " ")]
    return not concepts.isdisjoint(each.concept.id for each in link("\n".join([exercise.question, *place])))


def _nearest(exercises: Sequence[Exercise], position: Position | None) -> Sequence[Exercise]:
    """Those whose file has the name or the number of the unit or video where the student is come first."""
    places = (position.unit, position.video) if position else ()
    here = {mark for place in places if place for mark in _marks(place)}
    return sorted(exercises, key=lambda each: here.isdisjoint(_marks(each.pair.document or "")))


def _marks(path: str) -> set[str]:
    """The name of a file and the number that it begins with, "09" as "9"."""
    name = stem(path)
    number = _NUMBER.match(name)
    return {name, *([number[1]] if number else [])}


def _as_plan(text: str, *pairs: QAPair) -> Given:
    candidates = tuple(Candidate(pair=pair, bm25=0.0, weight=1.0, score=0.0) for pair in pairs)
    return Given(candidates=candidates, text=text)
