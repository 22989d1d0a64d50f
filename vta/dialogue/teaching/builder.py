"""Algorithm 1 of the LittleMu paper: the Chain of Teach prompt f = e + r + q.

In its short form it holds of each of the best passages the best sentence with those around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from prompts.budget import PROMPT_TOKENS, SHORT_TOKENS, Messages, Pieces, PromptForm, fit
from prompts.chain_of_teach import sample_similar
from prompts.markdown import join_sentences, split_sentences
from prompts.primers import render_primers
from prompts.render import Rendered, escape_history, quote_candidates, quote_data, render
from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.choosing import EXCERPT_WIDTH, Chooser
from vta.dialogue.teaching.excerpts import Piece, columns, window
from vta.kinds import kinds_of
from vta.languages import Language
from vta.ports import Embedder
from vta.text import Analyser
from vta.tokens import estimate_tokens, message_tokens
from vta.types.language_model import ChatMessage, TeachPrompt, TeachStep, WorkedExample
from vta.types.pairs import Candidate, QAPair, Source
from vta.units import UnitKind


class ChainOfTeach:
    """Builds the prompt from the concepts of a question, worked examples and retrieved documents."""

    def __init__(
        self,
        examples: Sequence[WorkedExample],
        *,
        analyser: Analyser | None = None,
        budget: int = PROMPT_TOKENS,
        form: PromptForm = PromptForm.FULL,
        embedder: Embedder | None = None,
    ) -> None:
        """`examples` is S_cot; `budget` the tokens that all messages together may have, as estimated.

        The short form stays below `prompts.budget.SHORT_TOKENS`, too, and chooses its sentences by
        `embedder`, or by their words alone.
        """
        self._embedder = embedder
        self._examples = tuple(examples)
        self._analyser = analyser or Analyser()
        self._budget = budget
        self._form = form

    def build(
        self,
        question: str,
        *,
        steps: Sequence[TeachStep],
        candidates: Sequence[Candidate],
        language: Language,
        history: Sequence[ChatMessage] = (),
        hint: bool = False,
        standalone: str | None = None,
    ) -> TeachPrompt:
        """The prompt e + r + documents + q; without concepts, plain chain of thought.

        Document n is the n-th candidate, counted from 1. In hint mode FAQ answers are left out, and the
        numbers of the others stay. What does not fit the budget is dropped whole, in the order of
        `prompts.budget.drop_in_turn`; the primers, the question and the first concept with its definition
        never are: `LimitExceeded` where they alone are too long.

        What is the same in every turn comes first, then the dialogue, which only grows, then what was found
        for this question: a server's prefix cache has read the beginning already.
        """
        is_short = self._form is PromptForm.SHORT
        meant = standalone if is_short and standalone and len(standalone) > len(question) else None
        system = render(
            f"chain_of_teach/{'short_system' if is_short else 'system'}.{language}.j2",
            primers=render_primers(language),
            hint=hint,
        )

        def render_messages(kept: Pieces) -> tuple[ChatMessage, ...]:
            prompt = _render_prompt(question, meant, kept, language, self._form, hint=hint)
            return (
                ChatMessage(role="system", content=str(system)),
                *kept.history,
                ChatMessage(role="user", content=prompt),
            )

        pieces = Pieces(steps=tuple(steps), history=escape_history(history))
        if is_short:
            asked, analyser, embedder = meant or question, self._analyser, self._embedder
            excerpts = Excerpts(
                asked, candidates, analyser=analyser, embedder=embedder, steps=steps, hint=hint
            )
            budget = SHORT_TOKENS[language] + estimate_tokens(f"{question}{meant or ''}")
            kept, messages = fit_short(pieces, excerpts, render_messages, budget=min(self._budget, budget))
        else:
            examples = sample_similar(self._examples, question, language=language, analyser=self._analyser)
            documents = quote_candidates(candidates, hint=hint)
            pieces = replace(pieces, examples=examples, documents=documents)
            kept, messages = fit(pieces, render_messages, budget=self._budget)
        return TeachPrompt(
            steps=kept.steps,
            reasoning=str(render_reasoning(kept.steps, language, self._form)),
            examples=kept.examples,
            prompt=messages[-1].content,
            messages=messages,
            tokens=message_tokens(messages),
            dropped=kept.dropped,
        )


def _render_prompt(
    question: str, meant: str | None, kept: Pieces, language: Language, form: PromptForm, *, hint: bool
) -> str:
    return str(
        render(
            f"chain_of_teach/prompt.{language}.j2",
            examples=kept.examples,
            reasoning=render_reasoning(kept.steps, language, form),
            documents=_best_first_and_last(kept.documents),
            question=question,
            meant=meant,
            is_short=form is PromptForm.SHORT,
            hint=hint,
            kinds=kinds_of(meant or question),
        )
    )


def _best_first_and_last(documents: Mapping[int, Rendered]) -> tuple[Rendered, ...]:
    """The best document, then the others, the second best at the end: what stands in between is read least.

    After "Lost in the Middle" (Liu and others, 2024).
    """
    best, *others = documents.values() or [Rendered()]
    return (best, *others[1:], *others[:1]) if documents else ()


def render_reasoning(
    steps: Sequence[TeachStep], language: Language, form: PromptForm = PromptForm.FULL
) -> Rendered:
    """r: for each k_i its definition, its domain, its prerequisites, and their definitions, in this order.

    In short the domain stands beside the name, and prerequisites have no definitions.
    """
    name = "short_reasoning" if form is PromptForm.SHORT else "reasoning"
    return render(f"chain_of_teach/{name}.{language}.j2", steps=steps)


OTHER_WIDTH = 300
"""Columns of an excerpt of each passage after the two best, which have `EXCERPT_WIDTH` as without a model."""
MOST_PASSAGES = 8
SCALES = (1.0, 0.85, 0.7, 0.55, 0.4, 0.3)
"""Parts of these widths, tried until a prompt keeps to its bound."""
DEFINITION_WIDTH = 200
REPLY_WIDTH = 120


class Excerpts:
    """The best passages of one question, cut to a part of their widths.

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

    def documents(self, scale: float) -> dict[int, Rendered]:
        """The passages as documents by number, title first, the best passage first."""
        documents: dict[int, Rendered] = {}
        for n, pair, pieces, scores in self._passages:
            width = int(scale * (EXCERPT_WIDTH if len(documents) < 2 else OTHER_WIDTH))
            text = excerpt(pieces, scores, width) if pieces else _cut(pair.answer, width)
            documents[n] = quote_data(f"{_heading(pair)}\n{text}", n)
        return documents


def _heading(pair: QAPair) -> str:
    """The question, or of a passage all the headings that it stands under."""
    return " > ".join(pair.locator.heading_path) or pair.question


def fit_short(
    pieces: Pieces, excerpts: Excerpts, render_messages: Callable[[Pieces], Messages], *, budget: int
) -> tuple[Pieces, Messages]:
    """As `fit`, with short steps and history, and the widest documents with which nothing is dropped."""
    short = replace(pieces, steps=shorten_steps(pieces.steps), history=shorten_history(pieces.history))
    for scale in SCALES:
        whole = replace(short, documents=excerpts.documents(scale))
        kept, messages = fit(whole, render_messages, budget=budget)
        if not kept.dropped:
            break
    return kept, messages


def excerpt(pieces: Sequence[Piece], scores: Sequence[float], width: int) -> str:
    """The best piece with what it rests on and its neighbours, as far as they fit into `width` columns.

    A best piece that is wider alone is cut.
    """
    best = max(range(len(pieces)), key=scores.__getitem__)
    places = window(pieces, best, width)
    if sum(piece.width for piece in pieces[places.start : places.stop]) > width:
        places = range(best, best + 1)
    return _cut(_show(pieces[places.start : places.stop]), width + len(places))


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
