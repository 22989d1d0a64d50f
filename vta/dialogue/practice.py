"""Practice: an exercise of the course's own material, then attempts at it.

A language model checks an attempt; without one each turn names one more place that helps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from prompts import phrases
from vta.dialogue.plan import FixedAnswer, PracticeHelp
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.tracing import Tracer
from vta.headings import is_boilerplate, is_exercises
from vta.patterns import read_patterns
from vta.text import Analyser, normalise
from vta.types.pairs import Candidate, QAPair, Source

_WORDS = read_patterns("vta.dialogue", "practice.toml")
_SEARCHED = 200
_HEADINGS = "exercises review questions practice problems quiz 练习 习题 思考题 测验"
_SHOWN = 5
"""Places near an exercise that hints name, one after another, and that a language model reads."""
_SHORTEST, _LONGEST = 12, 800
"""Characters of an exercise."""
_PARTS = re.compile(r"\n\s*\n|\n(?=\d{1,2}[.)、．])")
_ITEM = re.compile(r"(?:\d{1,2}[.)、．]|[(（]\d{1,2}[)）])\s*(?=\S)")
_LETTERS = re.compile(r"\W+|\[\d+\]")


class Practice:
    """Finds exercises among the passages that a student may see now. It keeps nothing."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser

    def plan(self, context: UnderstoodQuestion, trace: Tracer) -> FixedAnswer | PracticeHelp:
        """An exercise, or help with the one that the turn before left open. Raises as a search does."""
        asks_another = _WORDS["request"].match(normalise(context.question))
        last = context.history[-1].exercise if context.history and not asks_another else None
        with trace.stage("practice") as tell:
            if last is not None:
                given = sum(turn.exercise == last for turn in context.history) - 1
                tell(f"help {given + 1}")
                return self._help(context, last, given)
            exercise = next(self._exercises(context), None)
            tell("no exercise" if exercise is None else exercise.document or exercise.question)
        if exercise is None:
            found = context.rank(context.standalone, top=_SEARCHED).candidates
            places = tuple(each for each in found if _explains(each.pair))[:_SHOWN]
            return PracticeHelp(candidates=places, text=phrases.TEXTS[context.language]["exercise_none"])
        shown = Candidate(pair=exercise, bm25=0.0, weight=1.0, score=context.thresholds.floor)
        text = phrases.exercise(context.language, exercise.answer)
        return FixedAnswer(candidates=(shown,), text=text, exercise=exercise.answer)

    def _exercises(self, context: UnderstoodQuestion) -> Iterator[QAPair]:
        """Those on the subject that no answer of the dialogue held, the best passage first.

        On the subject is what holds the words of the concepts in question, or else of the question.
        """
        words = [mention.concept.name for mention in context.mentions]
        words = words or [_WORDS["request"].sub("", normalise(context.question))]
        topic = {word for each in words for word in self._analyser.content_words(each)}
        said = [_LETTERS.sub("", turn.answer) for turn in context.history]
        search = f"{context.standalone} {_HEADINGS}"
        for candidate in context.rank(search, top=_SEARCHED).candidates:
            pair = candidate.pair
            place = " ".join((*pair.locator.heading_path, pair.document or ""))
            for item in read_exercises(pair):
                held = set(self._analyser.words(f"{place}\n{item}"))
                if topic <= held and not any(_LETTERS.sub("", item) in answer for answer in said):
                    yield replace(pair, answer=item)

    def _help(self, context: UnderstoodQuestion, exercise: str, given: int) -> PracticeHelp:
        """The places that explain an exercise, the next one first; never an FAQ answer or a solution."""
        ranking = context.rank(exercise, top=_SEARCHED, mentions=())
        places = tuple(each for each in ranking.candidates if _explains(each.pair))[:_SHOWN]
        pairs = [each.pair for each in places[given : given + 1]]
        names = [" › ".join(pair.locator.heading_path) or pair.question for pair in pairs]
        return PracticeHelp(
            candidates=places[given:] + places[:given],
            text=phrases.exercise_hint(context.language, names),
            exercise=exercise,
            hints=given,
        )


def read_exercises(pair: QAPair) -> Iterator[str]:
    """The exercises of a passage under a heading of exercises: numbered paragraphs, and those that ask.

    What stands below one may be its solution, with a list of its own, so behind it only what asks counts.
    """
    if pair.source is not Source.MATERIAL or not any(map(_is_of_exercises, pair.locator.heading_path[-1:])):
        return
    if _WORDS["solved_place"].search(_place(pair)):
        return
    begun = solved = False
    for part in _PARTS.split(pair.answer):
        solution = _WORDS["solved_line"].search(part.lower())
        text = (part[: solution.start()] if solution else part).strip("* \n")
        number = _ITEM.match(text)
        asks = text.endswith(("?", "？"))
        if not (asks or number):
            solved = begun
        elif asks or not solved:
            begun = True
            item = text[number.end() :] if number else text
            if _SHORTEST <= len(item) <= _LONGEST:
                yield item


def _explains(pair: QAPair) -> bool:
    """Whether a passage teaches, and holds neither exercises nor, by its place or a line, a solution."""
    headings = pair.locator.heading_path
    if pair.source is not Source.MATERIAL or any(_is_of_exercises(h) or is_boilerplate(h) for h in headings):
        return False
    text = pair.answer.lower()
    return not (_WORDS["solved_place"].search(_place(pair)) or _WORDS["solved_line"].search(text))


def _place(pair: QAPair) -> str:
    """The headings and the file of a passage, normalised."""
    return normalise(" ".join((*pair.locator.heading_path, pair.document or "")).replace("_", " "))


def _is_of_exercises(heading: str) -> bool:
    """Whether exercises stand under a heading: "Exercises", "Exercise 3.1"."""
    return is_exercises(heading.rstrip(" .:：-0123456789"))
