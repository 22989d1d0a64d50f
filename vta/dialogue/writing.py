"""The words of an answer without a language model: of the best pair, or of the offline teacher."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from prompts import phrases
from vta.dialogue.degradations import CLOSEST, GUARDED, NO_MODEL, gravest
from vta.dialogue.grounding import bind_citations, further_reading, title_of
from vta.dialogue.history import is_repeated
from vta.dialogue.plan import (
    Direct,
    FixedAnswer,
    FollowUpPlan,
    PlaceExplained,
    Plan,
    SmallTalk,
    Teach,
    Unanswered,
)
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.small_talk import CaringChitChat, asks_for_facts, comfort
from vta.dialogue.teaching.offline import ComposingTeacher, Taught
from vta.types.answers import Route
from vta.types.pairs import Candidate, Degradation, Source
from vta.types.questions import PLAIN, Mode

_MOST_CLOSEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An answer as it was written. [n] in `text` stands for the n-th candidate of the plan.

    `route` is that of the plan unless the text itself made it another. `candidates` stand in for those of the
    plan where a language model read more. `quotes` and `further` as in `Taught`, by the same numbers.
    """

    route: Route
    text: str
    degraded: Degradation | None = None
    candidates: tuple[Candidate, ...] = ()
    by_model: bool = False
    quotes: Mapping[int, str] = field(default_factory=dict)
    further: tuple[int, ...] = ()


class OfflineWriter:
    """Writes plans without a language model, and declares its absence."""

    def __init__(self, *, teacher: ComposingTeacher, chit_chat: CaringChitChat, has_model: bool) -> None:
        """`has_model`: a language model writes the other answers."""
        self._teacher = teacher
        self._chit_chat = chit_chat
        self._has_model = has_model

    def write(self, context: UnderstoodQuestion, plan: Plan, degraded: Degradation | None = None) -> Written:
        """`degraded` says why a language model that was asked did not write it."""
        match plan:
            case SmallTalk():
                alone = None if is_for_no_model(context) else self._lacking(context)
                return Written(route=plan.route, text=self._talk(context), degraded=degraded or alone)
            case FixedAnswer():
                return Written(route=plan.route, text=plan.text)
            case Direct():
                return self._direct(context, plan)
            case PlaceExplained():
                return Written(route=plan.route, text=plan.text, degraded=degraded or self._lacking(context))
            case Teach():
                return self._explain(context, plan, degraded or self._lacking(context))
            case Unanswered():
                guarded = GUARDED if context.flagged and self._has_model else None
                return Written(route=plan.route, text=apologise(context, plan), degraded=guarded)

    def _lacking(self, context: UnderstoodQuestion) -> Degradation | None:
        """The reason for an explanation without a language model."""
        if not self._has_model:
            return NO_MODEL
        return GUARDED if context.flagged else None

    def _talk(self, context: UnderstoodQuestion) -> str:
        if context.danger > 0:
            return self._chit_chat.care(context.language)
        return self._chit_chat.reply(
            context.question, course=context.course, intent=context.intent, language=context.language
        )

    def _explain(self, context: UnderstoodQuestion, plan: Teach, degraded: Degradation | None) -> Written:
        """The text of the offline teacher, or `all_said` instead of a repetition."""
        if isinstance(plan, FollowUpPlan) and plan.shorter:
            return Written(route=plan.route, text=plan.shorter, degraded=degraded)
        taught = self._teach(context, plan, plan.candidates, near=plan.near)
        degraded = gravest(degraded, _closest(taught))
        if isinstance(plan, FollowUpPlan):
            cites = bind_citations(taught.text, plan.candidates)[1]
            if not cites or is_repeated(taught.text, context.style.already_said):
                return Written(route=plan.route, text=plan.all_said, degraded=degraded)
        return Written(
            route=plan.route,
            text=taught.text,
            degraded=degraded,
            quotes=taught.quotes,
            further=taught.further,
        )

    def _direct(self, context: UnderstoodQuestion, plan: Direct) -> Written:
        best, is_new = plan.candidates[0], context.style == PLAIN
        if is_new and best.pair.source is Source.FAQ:
            taught = Taught(text=f"{best.pair.answer} [1]", is_answer=True, quotes={1: ""})
        else:
            taught = self._teach(context, plan, [best] if is_new else plan.candidates)
        text = taught.text
        if more := further_reading(best, plan.candidates) if is_new else ():
            numbers = [plan.candidates.index(candidate) + 1 for candidate in more]
            text += "\n\n" + phrases.see_also(context.language, numbers)
        return Written(route=plan.route, text=text, degraded=_closest(taught), quotes=taught.quotes)

    def _teach(
        self,
        context: UnderstoodQuestion,
        plan: Plan,
        candidates: Sequence[Candidate],
        *,
        near: bool = False,
    ) -> Taught:
        taught = self._teacher.teach(
            context.resolved,
            searched=context.standalone,
            steps=plan.steps,
            candidates=candidates,
            language=context.language,
            hint=context.mode is Mode.HINT,
            refusal=context.course.refusal,
            style=context.style,
            near=near,
        )
        opening = comfort(context.question, context.language)
        return replace(taught, text=f"{opening}\n\n{taught.text}") if opening else taught


def apologise(context: UnderstoodQuestion, plan: Plan) -> str:
    """The refusal, with the titles of the nearest passages."""
    text = phrases.unanswered(context.language, own=context.course.refusal)
    titles = _titles(plan)
    return f"{text}\n\n{phrases.closest(context.language, titles)}" if titles else text


def is_for_no_model(context: UnderstoodQuestion) -> bool:
    """Whether small talk is about human help, the assistant itself or another task: no model writes that."""
    return context.danger > 0 or context.intent.is_other_task or asks_for_facts(context.question)


def _closest(taught: Taught) -> Degradation | None:
    return None if taught.is_answer else CLOSEST


def _titles(plan: Plan) -> dict[int, str]:
    """The titles of the first candidates by number, each once, by its last place in their order."""
    first = plan.candidates[:_MOST_CLOSEST]
    titles = {title_of(first[n - 1].pair): n for n in range(len(first), 0, -1)}
    return {n: title for title, n in reversed(titles.items())}
