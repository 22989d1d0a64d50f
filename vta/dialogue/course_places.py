"""Questions about places of a course: "where in the video?", "explain this slide", "这一讲讲什么"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from prompts import phrases
from vta.dialogue.concepts import teach_steps
from vta.dialogue.history import last_answered
from vta.dialogue.plan import FixedAnswer, FollowUpPlan, PlaceExplained, Plan, Teach
from vta.dialogue.position import at_position, find_document, in_outline, is_transcript, stem, timed_sentences
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.shortening import shortened
from vta.dialogue.tracing import Tracer
from vta.kinds import Kind, kinds_of
from vta.languages import Language
from vta.patterns import read_patterns
from vta.places import document_name, format_time, place_name
from vta.ports import CourseDocuments
from vta.text import Analyser, normalise
from vta.types.answers import Citation
from vta.types.courses import CourseId
from vta.types.pairs import Candidate, QAPair, Source
from vta.types.questions import Position, Scope

_MOST_PLACES = 2
_MOST_PARTS = 8
_MOST_LECTURES = 5
_MOST_TERMS = 2
_SEARCHED = 24
_WORDS = read_patterns("vta.dialogue", "words.toml", "places", flags=re.IGNORECASE)


class CoursePlaces:
    """Finds the places of a course that a question asks for, and names those of the last answer."""

    def __init__(self, *, outline: CourseDocuments, analyser: Analyser) -> None:
        self._outline = outline
        self._analyser = analyser

    def plan(self, context: UnderstoodQuestion, trace: Tracer) -> FixedAnswer | PlaceExplained | None:
        """The answer to a question about places; None for any other, and where the course has no such place.

        A question about "here" needs the position of the student; without one the answer asks which lecture
        is meant.
        """
        scope, position = context.scope, context.position
        asks_where = Kind.PLACE in context.style.kinds or _asks_place_of_a_concept(context.question)
        if not asks_where and scope is None:
            return None
        with trace.stage("place") as tell:
            plan: FixedAnswer | PlaceExplained | None = self._where(context) if asks_where else None
            if scope is not None and not asks_where:
                plan = self._here(context, scope, position) if position else None
                if plan is None and not context.is_operation:
                    plan = self._which_lecture(context)
            tell(f"{len(plan.candidates)} places" if plan else "none")
        return plan

    def coming(self, context: UnderstoodQuestion, shown: Sequence[QAPair]) -> str | None:
        """The day on which a document opens, or its week, as a sentence; nothing else of it is told.

        The question names its title, or a heading of at least two words in its week. None where one of the
        pairs that are `shown` has all words of the question.
        """
        waiting = self._outline.waiting(context.course.id)
        if not waiting:
            return None
        content_words, language = self._analyser.content_words, context.language
        asked = set(content_words(context.standalone))
        if any(asked.issubset(self._analyser.words(f"{pair.question}\n{pair.answer}")) for pair in shown):
            return None
        for each in waiting:
            name = document_name(each.path, language, each.title)
            named = content_words(name)
            if named and asked.issuperset(named):
                return phrases.coming(language, each.week or name, each.opens_at, week=bool(each.week))
        for each in waiting:
            for heading in each.headings if each.week else ():
                if len(words := set(content_words(heading))) > 1 and asked.issuperset(words):
                    return phrases.coming(language, each.week, each.opens_at, week=True)
        return None

    def follow_up(self, context: UnderstoodQuestion, plan: Plan) -> Plan:
        """Make the plan of an operation on the last answer one that never repeats an answer.

        A shorter answer is made from the passages that the last one cited, under the same numbers.
        """
        last = last_answered(context.history)
        cited = [_cited_pair(c, context) for c in last.citations] if last else []
        candidates, near, shorter = plan.candidates, isinstance(plan, Teach) and plan.near, ""
        if context.style.shorter and last is not None and cited:
            shorter = shortened(last.answer, [each.marked for each in last.citations]) or ""
            candidates, near = tuple(_candidate(pair, context) for pair in cited if shorter), False
        pairs = [each.pair for each in candidates[:_MOST_PLACES]] or cited[:_MOST_PLACES]
        if not pairs or (candidates and not shorter and not isinstance(plan, Teach)):
            return plan
        all_said = phrases.all_said(context.language, self._names(context, pairs))
        if not candidates:
            return _fixed(context, pairs, all_said)
        return FollowUpPlan(
            candidates=candidates,
            steps=plan.steps,
            ranking=plan.ranking,
            degraded=plan.degraded,
            near=near,
            shorter=shorter,
            all_said=all_said,
        )

    def _where(self, context: UnderstoodQuestion) -> FixedAnswer | None:
        """The moments and passages that teach the subject of the last answer or of the question."""
        ranking = context.rank(context.standalone, top=_SEARCHED)
        found = [c.pair for c in ranking.candidates if c.score >= context.thresholds.floor]
        material = [pair for pair in found if pair.source is Source.MATERIAL]
        spoken = [pair for pair in material if pair.locator.start_s is not None]
        last = last_answered(context.history) if context.is_operation else None
        cited = {c.pair_id for c in last.citations} if last else set()
        written = [pair for pair in material if pair not in spoken]
        written.sort(key=lambda pair: pair.id not in cited)  # stable: the best of the others
        wants_video = _WORDS["video"].search(normalise(context.question)) is not None
        first, then = (spoken, written) if wants_video or not written else (written, spoken)
        pairs = [self._moment(pair, context.standalone) for pair in (*first[:1], *then[:1])] or found[:1]
        if not pairs:
            return None
        return _fixed(context, pairs, phrases.where(context.language, self._names(context, pairs)))

    def _moment(self, pair: QAPair, question: str) -> QAPair:
        """A passage of a transcript, from the sentence with most of the question's words on."""
        if pair.locator.start_s is None:
            return pair
        wanted = set(self._analyser.content_words(question))
        sentences = list(timed_sentences(pair))
        best = max(sentences, key=lambda each: len(wanted & set(self._analyser.words(each[2]))), default=None)
        if best is None:
            return pair
        return replace(pair, locator=replace(pair.locator, start_s=round(best[0], 1)))

    def _here(self, context: UnderstoodQuestion, scope: Scope, position: Position) -> PlaceExplained | None:
        course, language = context.course, context.language
        document = find_document(position, self._outline.states(course.id), scope)
        passages = self._outline.passages(course.id, document) if document else ()
        pairs = at_position(passages, position, scope)
        if not pairs or document is None:
            return None
        if scope is Scope.LECTURE:
            pairs = in_outline(pairs, _MOST_PARTS)
            places = [place_name(pair.locator, language) for pair in pairs]
            name = document_name(document, language, self._heading(course.id, document))
            text = phrases.outline(language, name, places, [pair.answer for pair in pairs])
        else:
            pairs = pairs[:_MOST_PLACES]
            texts = [pair.answer for pair in pairs]
            named = context.knowledge.linker.link("\n".join(texts), course=course)
            terms = [m.concept for m in named if m.concept.definition][-_MOST_TERMS:]
            text = phrases.here(language, self._names(context, pairs), texts, terms)
        fixed = _fixed(context, pairs, text)
        return PlaceExplained(candidates=fixed.candidates, steps=fixed.steps, text=text)

    def _which_lecture(self, context: UnderstoodQuestion) -> FixedAnswer | None:
        course = context.course.id
        firsts: list[QAPair] = []
        names: list[str] = []
        seen: set[str] = set()
        paths = self._outline.states(course)
        for path in sorted(paths, key=lambda each: (stem(each), not is_transcript(each))):
            passages = () if stem(path) in seen else self._outline.passages(course, path)
            seen.add(stem(path))
            if passages and passages[0].source is Source.MATERIAL:
                firsts.append(passages[0])
                names.append(document_name(path, context.language, self._heading(course, path)))
            if len(firsts) == _MOST_LECTURES:
                break
        return _fixed(context, firsts, phrases.which_lecture(context.language, names)) if firsts else None

    def _names(self, context: UnderstoodQuestion, pairs: Sequence[QAPair]) -> list[str]:
        return [self._name(pair, context) for pair in pairs]

    def _name(self, pair: QAPair, context: UnderstoodQuestion) -> str:
        """A place as a teacher would call it: "Lecture 4, Walking downhill, 00:59", "Stack › Operations"."""
        if pair.source is not Source.MATERIAL or pair.document is None:
            return pair.question
        if pair.locator.start_s is None:
            return " › ".join(pair.locator.heading_path) or pair.question
        heading = self._heading(context.course.id, pair.document)
        name = document_name(pair.document, context.language, heading)
        joint = "，" if context.language is Language.ZH else ", "
        return f"{name}{joint}{format_time(pair.locator.start_s)}"

    def _heading(self, course: CourseId, path: str) -> str:
        """The first heading of a document, or of another of the same name: notes lie beside their lecture.

        Empty where neither has one.
        """
        alike = [each for each in self._outline.states(course) if stem(each) == stem(path)]
        for each in sorted(alike, key=lambda other: other != path):
            headings = [pair.locator.heading_path for pair in self._outline.passages(course, each)]
            if first := next((path[0] for path in headings if path), None):
                return first
        return ""


def _cited_pair(citation: Citation, context: UnderstoodQuestion) -> QAPair:
    return QAPair(
        id=citation.pair_id,
        course_id=context.course.id,
        source=citation.source,
        question=citation.title,
        answer=citation.passage,
        document=citation.document,
        locator=citation.locator,
        url=citation.url,
    )


def _candidate(pair: QAPair, context: UnderstoodQuestion) -> Candidate:
    """A pair that was looked up and not ranked: its S is the least that counts as knowledge."""
    return Candidate(pair=pair, bm25=0.0, weight=1.0, score=context.thresholds.floor)


def _fixed(context: UnderstoodQuestion, pairs: Sequence[QAPair], text: str) -> FixedAnswer:
    return FixedAnswer(
        candidates=tuple(_candidate(pair, context) for pair in pairs),
        steps=teach_steps(context.mentions, context.knowledge.graph),
        text=text,
    )


def _asks_place_of_a_concept(question: str) -> bool:
    """Words for a place beside a subject to look for, as in "Which lecture covers recursion?"."""
    plain = normalise(question)
    return _WORDS["place"].search(plain) is not None and Kind.TIME not in kinds_of(plain) - {Kind.PLACE}
