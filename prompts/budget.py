"""The pieces that a prompt drops to fit its budget of tokens: whole ones, in one fixed order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from prompts.render import Rendered
from vta.errors import LimitExceeded
from vta.faults import Fault
from vta.tokens import message_tokens
from vta.types.language_model import ChatMessage, TeachStep, WorkedExample

PROMPT_TOKENS = 12_000
"""For sixteen passages, Chinese ones too, beside three turns of the dialogue."""
BEST = 4
"""Documents that a turn of the dialogue is dropped before: "that one too?" means nothing without its turn."""
Messages = tuple[ChatMessage, ...]


def chat(system: str, history: Messages, user: str) -> Messages:
    """The messages of a chat: the system's, the dialogue so far, and the new one of the user."""
    return (
        ChatMessage(role="system", content=str(system)),
        *history,
        ChatMessage(role="user", content=str(user)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """The optional pieces of a prompt: `documents` by number, best first; `dropped` names others."""

    steps: tuple[TeachStep, ...] = ()
    examples: tuple[WorkedExample, ...] = ()
    documents: Mapping[int, Rendered] = field(default_factory=dict)
    history: Messages = ()
    dropped: tuple[str, ...] = ()


def fit(
    pieces: Pieces, render: Callable[[Pieces], Messages], *, budget: int = PROMPT_TOKENS
) -> tuple[Pieces, Messages]:
    """The pieces that fit and their messages; as few are dropped as the budget allows.

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
    that of the later concept. Then the worked examples, the least similar first; the documents behind the
    best ones, the lowest ranked first; the turns of the history, the oldest first; the best documents; and
    last the later concepts, so that the first one with its definition always stays.
    """
    yield pieces
    while any(step.prerequisites for step in pieces.steps):
        at = max(range(len(pieces.steps)), key=lambda i: (len(pieces.steps[i].prerequisites), i))
        step = pieces.steps[at]
        *nearer, needed = step.prerequisites
        steps = (*pieces.steps[:at], replace(step, prerequisites=tuple(nearer)), *pieces.steps[at + 1 :])
        yield (pieces := _without(pieces, f"prerequisite {needed.name} of {step.concept.name}", steps=steps))
    while pieces.examples:
        *similar, example = pieces.examples
        yield (pieces := _without(pieces, f"example {example.id}", examples=tuple(similar)))
    while len(pieces.documents) > BEST:
        yield (pieces := _without_last_document(pieces))
    while pieces.history:  # the oldest message of the student, and what answers it
        turns = (n for n, message in enumerate(pieces.history) if n and message.role == "user")
        yield (pieces := _without(pieces, "turn", history=pieces.history[next(turns, len(pieces.history)) :]))
    while pieces.documents:
        yield (pieces := _without_last_document(pieces))
    while len(pieces.steps) > 1:
        *earlier, step = pieces.steps
        yield (pieces := _without(pieces, f"concept {step.concept.name}", steps=tuple(earlier)))


def _without_last_document(pieces: Pieces) -> Pieces:
    *better, last = pieces.documents
    return _without(pieces, f"document {last}", documents={n: pieces.documents[n] for n in better})


def _without(pieces: Pieces, gone: str, **fields: object) -> Pieces:
    return replace(pieces, dropped=(*pieces.dropped, gone), **fields)  # type: ignore[arg-type]
