"""What a language model is to be asked for the graph of a course, prompt by prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from concept_graph.proposals import Asked
from prompts.messages import AskedConcept, proposal_messages
from vta.tokens import message_tokens
from vta.types import ChatMessage, Language, QAPair

AT_ONCE = 3
"""Concepts in one prompt."""
ANSWER_TOKENS = 200
"""What a model is taken to write about a concept."""
LONGEST_PASSAGE = 1_200
"""Characters of a passage in a prompt; what stands behind is not shown."""
_CHARACTERS_A_PROMPT_TOKEN = 3
"""By which all passages of a prompt are cut where the model has little room; half of it is left free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Concepts asked about in one prompt; its n-th document is the n-th passage."""

    asked: tuple[Asked, ...]
    passages: tuple[QAPair, ...]
    messages: tuple[ChatMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run asks for; tokens are estimates."""

    batches: tuple[Batch, ...]

    @property
    def concepts(self) -> int:
        """How many concepts are asked about."""
        return sum(len(batch.asked) for batch in self.batches)

    @property
    def prompt_tokens(self) -> int:
        """Those of all prompts, if none has to be repeated."""
        return sum(message_tokens(batch.messages) for batch in self.batches)

    @property
    def completion_tokens(self) -> int:
        """Those of all replies."""
        return self.concepts * ANSWER_TOKENS


def batches(asked: Iterable[Asked], language: Language, *, room: int) -> Iterator[Batch]:
    """The concepts in order, as many to a prompt as `room` tokens hold, and at most `AT_ONCE`."""
    batch: Batch | None = None
    for each in asked:
        more = _batch((*batch.asked, each) if batch else (each,), language, room)
        if batch and (len(more.asked) > AT_ONCE or message_tokens(more.messages) > room):
            yield batch
            more = _batch((each,), language, room)
        batch = more
    if batch:
        yield batch


def _batch(asked: tuple[Asked, ...], language: Language, room: int) -> Batch:
    passages = tuple({pair.id: pair for each in asked for pair in each.passages}.values())
    shown = [
        AskedConcept(
            name=each.concept.name,
            documents=tuple(passages.index(pair) + 1 for pair in each.passages),
            others=tuple(other.name for other in each.others),
        )
        for each in asked
    ]
    longest = min(LONGEST_PASSAGE, max(1, room // (_CHARACTERS_A_PROMPT_TOKEN * len(passages))))
    texts = [f"{pair.question}\n{pair.answer}"[:longest] for pair in passages]
    return Batch(asked=asked, passages=passages, messages=proposal_messages(shown, texts, language))
