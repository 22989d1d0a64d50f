"""Algorithm 1 of the LittleMu paper: the Chain of Teach prompt f = e + r + q."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.chain_of_teach.library import sample_similar
from prompts.primers import render_primers
from prompts.quoting import escape_history, quote_candidates
from prompts.render import Rendered, render
from vta.text import Analyser
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

    def __init__(self, examples: Sequence[WorkedExample], *, analyser: Analyser | None = None) -> None:
        """`examples` is S_cot."""
        self._examples = tuple(examples)
        self._analyser = analyser or Analyser()

    def build(
        self,
        question: str,
        *,
        steps: Sequence[TeachStep],
        candidates: Sequence[Candidate],
        language: Language,
        history: Sequence[ChatMessage] = (),
        hint: bool = False,
    ) -> TeachPrompt:
        """The prompt e + r + documents + q; without concepts, plain chain of thought.

        Document n is the n-th candidate, counted from 1. In hint mode FAQ answers are left out, and the
        numbers of the others stay.
        """
        reasoning = render_reasoning(steps, language)
        examples = sample_similar(self._examples, question, language=language, analyser=self._analyser)
        prompt = render(
            f"chain_of_teach/prompt.{language}.j2",
            examples=examples,
            reasoning=reasoning,
            documents=quote_candidates(candidates, hint=hint),
            question=question,
        )
        system = render(f"chain_of_teach/system.{language}.j2", primers=render_primers(language), hint=hint)
        return TeachPrompt(
            steps=tuple(steps),
            reasoning=str(reasoning),
            examples=examples,
            prompt=str(prompt),
            messages=(
                ChatMessage(role="system", content=str(system)),
                *escape_history(history),
                ChatMessage(role="user", content=str(prompt)),
            ),
        )


def render_reasoning(steps: Sequence[TeachStep], language: Language) -> Rendered:
    """r: for each k_i its definition, its domain, its prerequisites, and their definitions, in this order."""
    return render(f"chain_of_teach/reasoning.{language}.j2", steps=steps)
