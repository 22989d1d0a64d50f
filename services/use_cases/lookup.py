"""What the knowledge of a course has on a question, without answering it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from vta.dialogue.question import check_question
from vta.ports import IntentClassifier, Knowledge, KnowledgeBase
from vta.types import Course, IntentPrediction, Mention, Ranking


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """Intent, NER(q) and the pairs by S(z, q), from one state of the knowledge."""

    knowledge: Knowledge
    intent: IntentPrediction
    mentions: tuple[Mention, ...]
    ranking: Ranking


class LookupSources(Protocol):
    """What a look-up rests on."""

    @property
    def knowledge(self) -> KnowledgeBase: ...

    @property
    def intents(self) -> IntentClassifier: ...


def look_up(vta: LookupSources, course: Course, text: str, *, top: int) -> Lookup:
    """The top pairs for a question that stands alone. `InvalidInput` where it is no question."""
    check_question(text)
    knowledge = vta.knowledge.current()
    intent = vta.intents.predict(text, course=course.name)
    mentions = knowledge.linker.link(text, course=course)
    ranking = knowledge.ranker.rank(
        text, course=course, mentions=mentions, chit_chat=intent.chit_chat, top=top
    )
    return Lookup(knowledge=knowledge, intent=intent, mentions=mentions, ranking=ranking)
