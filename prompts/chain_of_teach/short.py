"""The short form of a prompt: of each passage the run of sentences that holds most of the question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from prompts.chain_of_teach.excerpts import Piece, columns, read_pieces
from prompts.markdown import join_sentences, split_sentences
from prompts.render import Rendered, quote_data
from vta.text import Analyser
from vta.types import Candidate, ChatMessage, Source, TeachStep
from vta.units import UnitKind

WIDTHS = (400, 280, 200, 160)
"""Columns of the excerpts, the best passage first; a Chinese character takes two."""
DEFINITION_WIDTH = 200
REPLY_WIDTH = 120


def quote_excerpts(
    question: str,
    candidates: Sequence[Candidate],
    *,
    analyser: Analyser,
    steps: Sequence[TeachStep] = (),
    hint: bool = False,
) -> dict[int, Rendered]:
    """Excerpts of the best candidates as documents by number, title first.

    Left out are a concept's own explanation where r says it already, and with `hint` what is in the FAQ.
    """
    said = {step.concept.definition.strip() for step in steps}
    shown = [
        (n, candidate.pair)
        for n, candidate in enumerate(candidates, start=1)
        if not (hint and candidate.pair.source is Source.FAQ)
        and not (candidate.pair.source is Source.CONCEPT and candidate.pair.answer.strip() in said)
    ][: len(WIDTHS)]
    weights = _weigh(question, [pair.answer for _, pair in shown], analyser)
    return {
        n: quote_data(f"{pair.question}\n{excerpt(pair.answer, weights, width, analyser)}", n)
        for (n, pair), width in zip(shown, WIDTHS, strict=False)
    }


def excerpt(passage: str, weights: Mapping[str, float], width: int, analyser: Analyser) -> str:
    """The run of whole pieces of at most `width` columns with the greatest weight of different words.

    Of equal runs the one that begins latest, so that a match is followed by what explains it, and then what
    stands before it as far as that fits; the beginning of the passage where no word is shared. A piece that
    is wider alone is cut.
    """
    pieces = read_pieces(passage)
    if not pieces:
        return _cut(passage, width)
    held = [weights.keys() & set(analyser.words(piece.text)) for piece in pieces]
    runs = [range(start, _end_of_run(pieces, start, width)) for start in range(len(pieces))]

    def gain(run: range) -> float:
        return sum(weights[word] for word in set().union(*(held[place] for place in run)))

    best = max(runs, key=lambda run: (gain(run), run.start if gain(run) else -run.start))
    start, used = best.start, sum(pieces[place].width for place in best)
    while start > 0 and used + pieces[start - 1].width <= width:
        start -= 1
        used += pieces[start].width
    return _cut(_show(pieces[start : best.stop]), width + best.stop - start)


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


def _weigh(question: str, passages: Sequence[str], analyser: Analyser) -> Mapping[str, float]:
    """The content words of a question, each the more the fewer of the passages hold it."""
    wanted = dict.fromkeys(analyser.content_words(question))
    held = Counter(word for passage in passages for word in set(analyser.words(passage)) if word in wanted)
    return {word: math.log(1 + (len(passages) + 1) / (held[word] + 1)) for word in wanted}


def _end_of_run(pieces: Sequence[Piece], start: int, width: int) -> int:
    end, used = start + 1, pieces[start].width
    while end < len(pieces) and used + pieces[end].width <= width:
        used += pieces[end].width
        end += 1
    return end


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
