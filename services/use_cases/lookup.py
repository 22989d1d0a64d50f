"""What the knowledge of a course has on a question, without answering it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from vta.dialogue.question import check_question
from vta.dialogue.routing import Decision, decide, is_small_talk
from vta.ports import IntentClassifier, Knowledge, KnowledgeBase
from vta.types import Course, IntentPrediction, Mention, Ranking, Thresholds


class LookupSource(Protocol):
    """What a lookup needs of the platform."""

    @property
    def knowledge(self) -> KnowledgeBase: ...

    @property
    def intents(self) -> IntentClassifier: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """Intent, NER(q) and the pairs by S(z, q), from one state of the knowledge."""

    question: str
    course: Course
    knowledge: Knowledge
    intent: IntentPrediction
    mentions: tuple[Mention, ...]
    ranking: Ranking

    def decide(self, thresholds: Thresholds) -> Decision:
        """How it would be answered where a language model can reason; conflicts are not looked for."""
        return decide(
            self.question,
            self.ranking.candidates,
            mentions=self.mentions,
            intent=self.intent,
            thresholds=thresholds,
            course=self.course,
            small_talk=is_small_talk(
                self.question,
                standalone=self.question,
                intent=self.intent,
                mentions=self.mentions,
                thresholds=thresholds,
                in_distress=False,
            ),
        )


def look_up(source: LookupSource, course: Course, text: str, *, top: int) -> Lookup:
    """The top pairs for a question that stands alone. `InvalidInput` where it is no question."""
    check_question(text)
    knowledge = source.knowledge.current()
    intent = source.intents.predict(text, course=course.name)
    mentions = knowledge.linker.link(text, course=course)
    ranking = knowledge.ranker.rank(
        text, course=course, mentions=mentions, chit_chat=intent.chit_chat, top=top
    )
    return Lookup(
        question=text,
        course=course,
        knowledge=knowledge,
        intent=intent,
        mentions=mentions,
        ranking=ranking,
    )
