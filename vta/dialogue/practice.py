"""Exercises of the course's own material, and hints on the last one, one place of the course at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from prompts import phrases
from vta.dialogue.plan import FixedAnswer
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.tracing import Tracer
from vta.headings import is_boilerplate, is_exercises
from vta.patterns import read_patterns
from vta.text import Analyser, normalise
from vta.types.pairs import Candidate, QAPair, Source

_WORDS = read_patterns("vta.dialogue", "practice.toml")
_SEARCHED = 200
_SHORTEST, _LONGEST = 12, 800
"""Characters of an exercise."""
_LONGEST_REQUEST = 120
"""Characters. No request is longer; pasted texts are, and hold such words by chance."""
_PARTS = re.compile(r"\n\s*\n|\n(?=\d{1,2}[.)、．])")
_ITEM = re.compile(r"(?:\d{1,2}[.)、．]|[(（]\d{1,2}[)）])\s*(?=\S)")
_LETTERS = re.compile(r"\W+|\[\d+\]")


class Practice:
    """Finds exercises among the passages that a student may see now. It keeps nothing."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser

    def plan(self, context: UnderstoodQuestion, trace: Tracer, *, can_write: bool) -> FixedAnswer | None:
        """An exercise, a hint on the one before, or that there is none; None for all else.

        A language model that `can_write` one is left to where the course has none. Raises as a search does.
        """
        if asks_exercise(context.question):
            with trace.stage("practice") as tell:
                exercise = next(self._exercises(context), None)
                tell("none" if exercise is None else exercise.document or exercise.question)
            if exercise is not None:
                return _plan(context, [exercise], phrases.exercise(context.language, exercise.answer))
            return None if can_write else _plan(context, [], phrases.no_exercise(context.language))
        given = _hints_given(context) if _WORDS["hint"].search(normalise(context.question)) else None
        return None if given is None else self._hint(context, *given)

    def _exercises(self, context: UnderstoodQuestion) -> Iterator[QAPair]:
        """Those on the subject that no answer of the dialogue held, the best passage first.

        On the subject is what holds each word of the request that is no word of asking.
        """
        plain = normalise(context.resolved)
        topic = set(self._analyser.content_words(_WORDS["request"].sub(" ", plain)))
        topic |= {
            word
            for mention in context.mentions
            for word in self._analyser.content_words(mention.concept.name)
        }
        said = [_LETTERS.sub("", turn.answer) for turn in context.history]
        for candidate in context.rank(context.standalone, top=_SEARCHED).candidates:
            pair = candidate.pair
            place = " ".join((*pair.locator.heading_path, pair.document or ""))
            for item in read_exercises(pair):
                held = set(self._analyser.words(f"{place}\n{item}"))
                if topic <= held and not any(_LETTERS.sub("", item) in answer for answer in said):
                    yield replace(pair, answer=item)

    def _hint(self, context: UnderstoodQuestion, exercise: str, given: int) -> FixedAnswer:
        """The next place that explains what an exercise is about; never an FAQ answer or a solution."""
        ranking = context.rank(exercise, top=_SEARCHED)
        places = [c.pair for c in ranking.candidates if _explains(c.pair)][given : given + 1]
        names = [" › ".join(pair.locator.heading_path) or pair.question for pair in places]
        return _plan(context, places, phrases.exercise_hint(context.language, names))


def asks_exercise(question: str) -> bool:
    """Whether a question asks for an exercise, not about one."""
    plain = normalise(question)
    if len(plain) > _LONGEST_REQUEST:
        return False
    return _WORDS["request"].search(plain) is not None and _WORDS["about_run"].search(plain) is None


def read_exercises(pair: QAPair) -> Iterator[str]:
    """The exercises of a passage under a heading of exercises: numbered paragraphs, and those that ask.

    What stands below one may be its solution, with a list of its own, so behind it only what asks counts.
    """
    if pair.source is not Source.MATERIAL or not any(map(is_exercises, pair.locator.heading_path[-1:])):
        return
    begun = solved = False
    for part in _PARTS.split(pair.answer):
        text = part.strip("* \n")
        asks, numbered = text.endswith(("?", "？")), _ITEM.match(text) is not None
        if not (asks or numbered):
            solved = begun
        elif asks or not solved:
            begun = True
            item = _ITEM.sub("", text)
            if _SHORTEST <= len(item) <= _LONGEST:
                yield item


def _hints_given(context: UnderstoodQuestion) -> tuple[str, int] | None:
    """The exercise that is open, and how many hints on it were given; None without one."""
    for given, turn in enumerate(reversed(context.history)):
        if asks_exercise(turn.question) and turn.citations:
            return turn.citations[0].passage, given
        if not _WORDS["hint"].search(normalise(turn.question)):
            return None
    return None


def _explains(pair: QAPair) -> bool:
    """Whether a passage teaches, and holds neither exercises nor, by its place or a line, a solution."""
    headings = pair.locator.heading_path
    if pair.source is not Source.MATERIAL or any(is_exercises(h) or is_boilerplate(h) for h in headings):
        return False
    place = normalise(" ".join((*headings, pair.document or "")).replace("_", " "))
    return not (_WORDS["solved_place"].search(place) or _WORDS["solved_line"].search(pair.answer.casefold()))


def _plan(context: UnderstoodQuestion, pairs: Sequence[QAPair], text: str) -> FixedAnswer:
    floor = context.thresholds.floor
    found = tuple(Candidate(pair=pair, bm25=0.0, weight=1.0, score=floor) for pair in pairs)
    return FixedAnswer(candidates=found, text=text)
