"""Algorithm 1 of the LittleMu paper: the Chain of Teach prompt f = e + r + q, with what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from prompts.budget import PROMPT_TOKENS, Messages, Pieces, chat, fit
from prompts.chain_of_teach import sample_similar
from prompts.primers import render_primers
from prompts.render import Rendered, escape_history, quote_candidates, render
from vta.dialogue.plan import PracticeHelp
from vta.languages import Language
from vta.text import Analyser
from vta.tokens import message_tokens
from vta.types.language_model import ChatMessage, TeachPrompt, TeachStep, WorkedExample
from vta.types.pairs import Candidate


class ChainOfTeach:
    """Builds the prompt from the concepts of a question, a worked example and retrieved passages."""

    def __init__(
        self,
        examples: Sequence[WorkedExample],
        *,
        analyser: Analyser | None = None,
        budget: int = PROMPT_TOKENS,
    ) -> None:
        """`examples` is S_cot; `budget` the tokens that all messages together may have, as estimated."""
        self._examples = tuple(examples)
        self._analyser = analyser or Analyser()
        self._budget = budget

    def build(
        self,
        question: str,
        *,
        steps: Sequence[TeachStep],
        candidates: Sequence[Candidate],
        language: Language,
        order: Sequence[int] = (),
        history: Sequence[ChatMessage] = (),
        hint: bool = False,
        is_complex: bool = False,
        in_steps: bool = False,
        tone: str | None = None,
        practice: PracticeHelp | None = None,
    ) -> TeachPrompt:
        """The prompt e + r + documents + q, with its constant part first, for a server's prefix cache.

        Document n is the n-th candidate by rank, counted from 1; they stand in this `order`, else by rank. r
        has only definitions that a person wrote and sure prerequisites. A question that `is_complex`, or is
        explained `in_steps`, gets a worked example. The `tone` is quoted below all rules. In `practice` the
        question is an attempt at the exercise, or asks for one. Pieces beyond the budget are dropped by
        `prompts.budget.drop_in_turn`; `LimitExceeded` where primers and question alone are too long.
        """
        system = render(
            f"chain_of_teach/system.{language}.j2",
            primers=render_primers(language),
            hint=hint,
            in_steps=in_steps,
            tone=tone,
            practice=practice,
        )

        def render_messages(pieces: Pieces) -> Messages:
            prompt = render(
                f"chain_of_teach/prompt.{language}.j2",
                examples=pieces.examples,
                reasoning=render_reasoning(pieces.steps, language),
                documents=[pieces.documents[n] for n in order or pieces.documents if n in pieces.documents],
                exercise=practice and practice.exercise,
                question=question,
            )
            return chat(system, pieces.history, prompt)

        pieces = Pieces(
            steps=tuple(filter(_is_sure, map(_sure_part, steps))),
            history=escape_history(history),
            examples=sample_similar(
                self._examples,
                question,
                language=language,
                analyser=self._analyser,
                count=1 if is_complex or in_steps else 0,
            ),
            documents=quote_candidates(candidates),
        )
        fitted, messages = fit(pieces, render_messages, budget=self._budget)
        return TeachPrompt(
            steps=fitted.steps,
            reasoning=str(render_reasoning(fitted.steps, language)),
            examples=fitted.examples,
            prompt=messages[-1].content,
            messages=messages,
            tokens=message_tokens(messages),
            dropped=fitted.dropped,
        )


def _sure_part(step: TeachStep) -> TeachStep:
    """The step without definitions that no person wrote: a wrong one misleads more than none."""
    concept = step.concept if step.concept.curated else replace(step.concept, definition="")
    before = tuple(each if each.curated else replace(each, definition="") for each in step.prerequisites)
    return TeachStep(concept=concept, prerequisites=before)


def _is_sure(step: TeachStep) -> bool:
    """Whether a step says anything beside the name of its concept."""
    return bool(step.concept.definition or step.prerequisites)


def render_reasoning(steps: Sequence[TeachStep], language: Language) -> Rendered:
    """r: for each k_i its definition, its domain, its prerequisites, and their definitions, in this order."""
    return render(f"chain_of_teach/reasoning.{language}.j2", steps=steps)
