"""The short form of a prompt: of each of the best passages the best sentence with those around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from prompts.markdown import join_sentences, split_sentences
from prompts.render import Rendered, quote_data
from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.choosing import Chooser
from vta.dialogue.teaching.excerpts import Piece, columns
from vta.ports import Embedder
from vta.text import Analyser
from vta.types import Candidate, ChatMessage, QAPair, Source, TeachStep
from vta.units import UnitKind

TOTAL_WIDTHS = (1500, 1350, 1200, 1050, 900, 750, 600, 450)
"""Columns of all excerpts together, tried until a prompt keeps to its bound; Chinese characters take two."""
MOST_PASSAGES = 4
FIRST_SHARE = 0.55
"""The share of what is left of them that each passage may take, the best first, but for the last."""
LEAST_WIDTH = 60
DEFINITION_WIDTH = 200
REPLY_WIDTH = 120


class Excerpts:
    """The best passages of one question, cut to any width.

    Passages and sentences are those that would answer without a model. Left out are a concept's own
    explanation where r says it already, and with `hint` what is in the FAQ.
    """

    def __init__(
        self,
        question: str,
        candidates: Sequence[Candidate],
        *,
        analyser: Analyser,
        embedder: Embedder | None,
        steps: Sequence[TeachStep] = (),
        hint: bool = False,
    ) -> None:
        asked = Asked(question, candidates, analyser=analyser, concepts=[step.concept for step in steps])
        chooser = Chooser(asked, candidates, embedder=embedder)
        said = {step.concept.definition.strip() for step in steps}

        def is_shown(pair: QAPair) -> bool:
            is_said = pair.source is Source.CONCEPT and pair.answer.strip() in said
            return not is_said and not (hint and pair.source is Source.FAQ)

        shown = [n for n in chooser.order if is_shown(candidates[n - 1].pair)][:MOST_PASSAGES]
        self._passages = [(n, candidates[n - 1].pair, chooser.pieces(n), chooser.scores(n)) for n in shown]

    def documents(self, width: int) -> dict[int, Rendered]:
        """The passages as documents by number, title first, the best passage first, of `width` columns."""
        documents: dict[int, Rendered] = {}
        for n, pair, pieces, scores in self._passages:
            is_last = len(documents) == len(self._passages) - 1
            room = width if is_last else int(width * FIRST_SHARE)
            if room < LEAST_WIDTH:
                break
            text = excerpt(pieces, scores, room) if pieces else _cut(pair.answer, room)
            documents[n] = quote_data(f"{pair.question}\n{text}", n)
            width -= columns(text)
        return documents


def excerpt(pieces: Sequence[Piece], scores: Sequence[float], width: int) -> str:
    """The best piece and its neighbours, the better one first, as far as they fit into `width` columns.

    Of equal neighbours the one that follows. A best piece that is wider alone is cut.
    """
    start = max(range(len(pieces)), key=lambda place: scores[place])
    stop, used = start + 1, pieces[start].width
    while True:
        beside = [place for place in (stop, start - 1) if 0 <= place < len(pieces)]
        fitting = [place for place in beside if used + pieces[place].width <= width]
        if not fitting:
            return _cut(_show(pieces[start:stop]), width + stop - start)
        place = max(fitting, key=lambda place: scores[place])
        used += pieces[place].width
        start, stop = min(start, place), max(stop, place + 1)


def shorten_history(history: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Earlier messages with answers cut to their first sentences of `REPLY_WIDTH` columns."""
    return tuple(
        replace(m, content=_first_sentences(m.content, REPLY_WIDTH)) if m.role == "assistant" else m
        for m in history
    )


def shorten_steps(steps: Sequence[TeachStep]) -> tuple[TeachStep, ...]:
    """The steps with short definitions, and prerequisites by name alone."""
    return tuple(
        replace(
            step,
            concept=replace(
                step.concept, definition=_first_sentences(step.concept.definition, DEFINITION_WIDTH)
            ),
            prerequisites=tuple(replace(needed, definition="") for needed in step.prerequisites),
        )
        for step in steps
    )


def _show(pieces: Sequence[Piece]) -> str:
    """Sentences of one paragraph as one line, every other piece by itself."""
    lines: list[list[str]] = []
    for i, piece in enumerate(pieces):
        follows = i > 0 and pieces[i - 1].block == piece.block and piece.kind is UnitKind.SENTENCE
        if follows:
            lines[-1].append(piece.text)
        else:
            lines.append([piece.text])
    return "\n".join(join_sentences(line) for line in lines)


def _first_sentences(text: str, width: int) -> str:
    """As many of the first sentences as fit, the first of them in any case."""
    kept: list[str] = []
    for sentence in split_sentences(text) or [text.strip()]:
        if kept and columns(join_sentences([*kept, sentence])) > width:
            break
        kept.append(sentence)
    return _cut(join_sentences(kept), 2 * width)


def _cut(text: str, width: int) -> str:
    """The text, or its beginning and an ellipsis where it is wider."""
    if columns(text) <= width:
        return text
    end = used = 0
    while used <= width - 1:
        used += columns(text[end])
        end += 1
    return f"{text[: end - 1].rstrip()}…"
