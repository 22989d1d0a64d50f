"""The teacher without a language model: Algorithm 1's knowledge and the best passages, put in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prompts.chain_of_teach.passages import Passage, first_sentence, quote_best
from prompts.markdown import escape_cell, escape_markdown, join_sentences, split_sentences
from prompts.primers import refusal_sentence
from prompts.render import Rendered, render
from vta.text import Analyser, normalise
from vta.types import Candidate, Concept, ConceptId, Language, Source, TeachStep, Wish

_COMPARISON = re.compile(
    r"区别|不同|差别|差异|异同|对比|比较|相比|区分|\bvs\b|versus|\bdiffer|\bcompar|\bdistinguish|\bcontrast"
)
_MOST_PLACES = 3


@dataclass(frozen=True, slots=True)
class _Entry:
    """A concept ready to print: Markdown-escaped, the definition with its [n] where it was retrieved.

    `brief` is the definition's first sentence for a table.
    """

    name: Rendered
    definition: Rendered
    brief: Rendered


@dataclass(frozen=True, slots=True)
class _Section:
    """A concept with its domains and prerequisites."""

    entry: _Entry
    domains: tuple[Rendered, ...]
    prerequisites: tuple[_Entry, ...]


@dataclass(frozen=True, slots=True)
class _Quote:
    """A quoted passage and the number of its candidate."""

    title: Rendered
    text: Rendered
    n: int


class ComposingTeacher:
    """Composes a readable explanation, and says that no language model was used."""

    def __init__(self, *, analyser: Analyser | None = None) -> None:
        self._analyser = analyser or Analyser()

    def teach(
        self,
        question: str,
        *,
        steps: Sequence[TeachStep],
        candidates: Sequence[Candidate],
        language: Language,
        hint: bool = False,
        refusal: str | None = None,
        wish: Wish = Wish(),
    ) -> str:
        """Markdown with [n] marks, n counting the candidates from 1; nothing in it is made up.

        In hint mode no passage and no answer of the FAQ appears, only definitions, prerequisites and
        questions that lead on. Without steps and candidates it is the refusal sentence (`refusal`, where a
        course has its own) and the way to a TA.
        """
        sections = _sections(steps, candidates)
        compared = len(sections) > 1 and _COMPARISON.search(normalise(question)) is not None
        return str(
            render(
                f"chain_of_teach/{'hint' if hint else 'offline'}.{language}.j2",
                sections=sections,
                names=[section.entry.name for section in sections],
                compared=compared,
                told=[section for section in sections if _tells(section, compared=compared)],
                quotes=[] if hint else self._quotes(question, steps, candidates),
                places=_places(candidates) if hint else [],
                order=[_line(concept.name) for concept in study_order(steps)] if _is_chain(steps) else [],
                refusal=Rendered(escape_markdown(refusal) if refusal else refusal_sentence(language)),
            )
        )

    def _quotes(
        self, question: str, steps: Sequence[TeachStep], candidates: Sequence[Candidate]
    ) -> list[_Quote]:
        shown = {
            n for step in steps for c in (step.concept, *step.prerequisites) if (n := _number(c, candidates))
        }
        passages = [
            Passage(n, candidate.pair.answer, candidate.score)
            for n, candidate in enumerate(candidates, start=1)
            if n not in shown
        ]
        return [
            _Quote(title=_line(candidates[n - 1].pair.question), text=Rendered(text), n=n)
            for n, text in quote_best(passages, question, self._analyser)
        ]


def study_order(steps: Sequence[TeachStep]) -> tuple[Concept, ...]:
    """The concepts of the steps and their prerequisites, each after those of its prerequisites.

    A circle among them is entered at the concept that is named first.
    """
    by_id = {step.concept.id: step for step in steps}
    order: dict[ConceptId, Concept] = {}
    entered: set[ConceptId] = set()

    def visit(concept: Concept) -> None:
        if concept.id in entered:
            return
        entered.add(concept.id)
        for prerequisite in by_id[concept.id].prerequisites if concept.id in by_id else ():
            visit(prerequisite)
        order[concept.id] = concept

    for step in steps:
        visit(step.concept)
    return tuple(order.values())


def _tells(section: _Section, *, compared: bool) -> bool:
    """Whether a section says more of its concept than the name, and than a table that stands before it."""
    in_table = section.entry.definition == section.entry.brief
    return bool(section.prerequisites) or (bool(section.entry.definition) and not (compared and in_table))


def _is_chain(steps: Sequence[TeachStep]) -> bool:
    """Whether an order of study says anything: some concept of the question has a prerequisite."""
    return any(step.prerequisites for step in steps)


def _sections(steps: Sequence[TeachStep], candidates: Sequence[Candidate]) -> list[_Section]:
    explained = {step.concept.id for step in steps}
    sections: list[_Section] = []
    for step in steps:
        prerequisites: list[_Entry] = []
        for concept in step.prerequisites:
            prerequisites.append(_entry(concept, candidates, is_explained=concept.id in explained))
            explained.add(concept.id)
        domains = tuple(_line(domain) for domain in step.concept.domains)
        sections.append(_Section(_entry(step.concept, candidates), domains, tuple(prerequisites)))
    return sections


def _entry(concept: Concept, candidates: Sequence[Candidate], *, is_explained: bool = False) -> _Entry:
    """The concept with its definition: the retrieved one where there is one, so that its [n] is true.

    It is left out where it stands elsewhere in the answer.
    """
    n = _number(concept, candidates)
    definition = candidates[n - 1].pair.answer if n else concept.definition
    mark = f" [{n}]" if n else ""
    whole = join_sentences(split_sentences(definition))
    return _Entry(
        name=_line(concept.name),
        definition=Rendered(f"{escape_markdown(whole)}{mark}" if whole and not is_explained else ""),
        brief=Rendered(escape_cell(first_sentence(definition)) + mark if whole else ""),
    )


def _number(concept: Concept, candidates: Sequence[Candidate]) -> int | None:
    """The number of the retrieved (concept, explanation) pair of a concept, counted from 1."""
    names = {normalise(name) for name in (concept.name, *concept.aliases)}
    for n, candidate in enumerate(candidates, start=1):
        if candidate.pair.source is Source.CONCEPT and normalise(candidate.pair.question) in names:
            return n
    return None


def _places(candidates: Sequence[Candidate]) -> list[Rendered]:
    """The titles of course material worth reading again."""
    titles = dict.fromkeys(c.pair.question for c in candidates if c.pair.source is Source.MATERIAL)
    return [_line(title) for title in list(titles)[:_MOST_PLACES]]


def _line(text: str) -> Rendered:
    return Rendered(escape_cell(text))
