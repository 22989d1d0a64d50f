"""Algorithm 1 of the LittleMu paper: the Chain of Teach prompt f = e + r + q."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from prompts.budget import PROMPT_TOKENS, SHORT_TOKENS, Pieces, PromptForm, fit
from prompts.chain_of_teach import sample_similar
from prompts.primers import render_primers
from prompts.render import Rendered, escape_history, quote_candidates, render
from vta.dialogue.teaching.short import TOTAL_WIDTHS, Excerpts, shorten_history, shorten_steps
from vta.kinds import kinds_of
from vta.ports import Embedder
from vta.text import Analyser
from vta.tokens import estimate_tokens, message_tokens
from vta.types import (
    Candidate,
    ChatMessage,
    Language,
    TeachPrompt,
    TeachStep,
    WorkedExample,
)


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

        said = escape_history(history)
        if is_short:
            budget = min(self._budget, SHORT_TOKENS[language] + estimate_tokens(f"{question}{meant or ''}"))
            excerpts = Excerpts(
                meant or question,
                candidates,
                analyser=self._analyser,
                embedder=self._embedder,
                steps=steps,
                hint=hint,
            )
            pieces = Pieces(steps=shorten_steps(steps), history=shorten_history(said))
            for width in TOTAL_WIDTHS:
                whole = replace(pieces, documents=excerpts.documents(width))
                kept, messages = fit(whole, render_messages, budget=budget)
                if not kept.dropped:
                    break
        else:
            pieces = Pieces(
                steps=tuple(steps),
                examples=sample_similar(self._examples, question, language=language, analyser=self._analyser),
                documents=quote_candidates(candidates, hint=hint),
                history=said,
            )
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
            documents=tuple(kept.documents.values()),
            question=question,
            meant=meant,
            is_short=form is PromptForm.SHORT,
            hint=hint,
            kinds=kinds_of(meant or question),
        )
    )


def render_reasoning(
    steps: Sequence[TeachStep], language: Language, form: PromptForm = PromptForm.FULL
) -> Rendered:
    """r: for each k_i its definition, its domain, its prerequisites, and their definitions, in this order.

    In short the domain stands beside the name, and prerequisites have no definitions.
    """
    name = "short_reasoning" if form is PromptForm.SHORT else "reasoning"
    return render(f"chain_of_teach/{name}.{language}.j2", steps=steps)
