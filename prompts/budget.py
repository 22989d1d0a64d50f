"""What a prompt leaves out to stay within its budget of tokens: whole pieces, in one fixed order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from prompts.render import Rendered
from vta.errors import LimitExceeded
from vta.faults import Fault
from vta.tokens import message_tokens
from vta.types import ChatMessage, Language, TeachStep, WorkedExample

PROMPT_TOKENS = 7000
"""For a model of 8,192 tokens that answers in 1,024 at most."""
SHORT_TOKENS = {Language.EN: 1160, Language.ZH: 1700}
"""For the short form beside its question: under 900 tokens of Qwen's vocabulary. On such prompts the estimate
was at least 1.28 times the count in English and 1.98 times in Chinese."""

Messages = tuple[ChatMessage, ...]


class PromptForm(StrEnum):
    """How much a prompt holds.

    `full`: whole passages, prerequisites with their definitions, worked examples. `short`, for models of up
    to about 4 billion parameters and for slow machines: excerpts of four passages, definitions of the named
    concepts alone, and fixed rules of how to answer instead of worked examples.
    """

    FULL = "full"
    SHORT = "short"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """What a prompt can do without. `documents` are by number, best first; `dropped` names what is gone."""

    steps: tuple[TeachStep, ...] = ()
    examples: tuple[WorkedExample, ...] = ()
    documents: Mapping[int, Rendered] = field(default_factory=dict)
    history: Messages = ()
    dropped: tuple[str, ...] = ()


def fit(
    pieces: Pieces, render: Callable[[Pieces], Messages], *, budget: int = PROMPT_TOKENS
) -> tuple[Pieces, Messages]:
    """The pieces kept and the messages of them, with as few dropped as the budget allows.

    `LimitExceeded` where what is never dropped is too long already. `render` must not become longer when a
    piece is left out.
    """
    states = tuple(drop_in_turn(pieces))
    first = bisect_left(states, True, key=lambda kept: message_tokens(render(kept)) <= budget)
    if first == len(states):
        raise LimitExceeded(Fault("prompt.over_budget", budget=budget))
    return states[first], render(states[first])


def drop_in_turn(pieces: Pieces) -> Iterator[Pieces]:
    """The pieces, then always one piece less.

    First go the prerequisites, the farthest first: those that their concept needs least surely, of equal ones
    that of the later concept. Then the worked examples, the least similar first; the documents, the lowest
    ranked first; the turns of the history, the oldest first; and last the later concepts, so that the first
    one with its definition always stays.
    """
    yield pieces
    for drop in (_drop_prerequisite, _drop_example, _drop_document, _drop_turn, _drop_concept):
        while less := drop(pieces):
            yield less
            pieces = less


def _drop_prerequisite(pieces: Pieces) -> Pieces | None:
    farthest = max(range(len(pieces.steps)), key=lambda i: (len(pieces.steps[i].prerequisites), i), default=0)
    if not pieces.steps or not pieces.steps[farthest].prerequisites:
        return None
    step = pieces.steps[farthest]
    *nearer, gone = step.prerequisites
    steps = list(pieces.steps)
    steps[farthest] = replace(step, prerequisites=tuple(nearer))
    return _without(pieces, f"prerequisite {gone.name} of {step.concept.name}", steps=tuple(steps))


def _drop_example(pieces: Pieces) -> Pieces | None:
    if not pieces.examples:
        return None
    *kept, gone = pieces.examples
    return _without(pieces, f"example {gone.id}", examples=tuple(kept))


def _drop_document(pieces: Pieces) -> Pieces | None:
    if not pieces.documents:
        return None
    *best, last = pieces.documents
    kept = {n: pieces.documents[n] for n in best}
    return _without(pieces, f"document {last}", documents=kept)


def _drop_turn(pieces: Pieces) -> Pieces | None:
    """Without the oldest message of the student and what answers it."""
    if not pieces.history:
        return None
    _, *rest = pieces.history
    end = next((i for i, message in enumerate(rest) if message.role == "user"), len(rest))
    return _without(pieces, "turn", history=tuple(rest[end:]))


def _drop_concept(pieces: Pieces) -> Pieces | None:
    if len(pieces.steps) < 2:
        return None
    *kept, gone = pieces.steps
    return _without(pieces, f"concept {gone.concept.name}", steps=tuple(kept))


def _without(pieces: Pieces, gone: str, **fields: object) -> Pieces:
    return replace(pieces, dropped=(*pieces.dropped, gone), **fields)  # type: ignore[arg-type]
