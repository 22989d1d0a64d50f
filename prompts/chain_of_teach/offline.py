"""The teacher without a language model: the course's own words that answer, and little else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from prompts.chain_of_teach.choosing import Chooser, Excerpt
from prompts.chain_of_teach.excerpts import columns
from prompts.markdown import escape_cell, escape_markdown, join_sentences, split_sentences
from prompts.primers import refusal_sentence
from prompts.render import Rendered, render
from vta.kinds import Kind, asks_prerequisites, kinds_of
from vta.text import Analyser, normalise
from vta.types import Candidate, Concept, ConceptId, Language, QAPair, Source, TeachStep, Wish
from vta.units import defines

_MOST_PLACES = 3
_MOST_PREREQUISITES = 5
_WIDTH = 800
_SECOND = 0.4


@dataclass(frozen=True, slots=True)
class _Entry:
    """A concept ready to print: Markdown-escaped, the definition with its [n] where it was retrieved."""

    name: Rendered
    definition: Rendered


@dataclass(frozen=True, slots=True)
class _Section:
    """A concept and its prerequisites, as a hint names them."""

    entry: _Entry
    prerequisites: tuple[_Entry, ...]


@dataclass(frozen=True, slots=True)
class _Quote:
    """Words of the course, and the question that they answer there where it is not the one asked."""

    title: Rendered
    text: Rendered


class ComposingTeacher:
    """Answers with whole sentences and units of the course, two or three sentences as a rule."""

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
        near: bool = False,
    ) -> str:
        """Markdown with [n] marks, n counting the candidates from 1; nothing in it is made up.

        In hint mode no passage and no answer of the FAQ appears, only definitions, prerequisites and
        questions that lead on. What is `near` is offered as what the student may have meant. With nothing to
        say it is the refusal sentence (`refusal`, where a course has its own) and the way to a TA.
        """
        refused = Rendered(escape_markdown(refusal) if refusal else refusal_sentence(language))
        if hint:
            return self._hint(question, steps, candidates, language, refused)
        concepts = [step.concept for step in steps]
        first = [e for c in concepts if (e := _entry(c, candidates)).definition] if _begins(wish) else []
        wish = replace(wish, told=(*wish.told, *(concept.definition for concept in concepts if first)))
        chooser = Chooser(question, candidates, analyser=self._analyser, concepts=concepts, wish=wish)
        excerpts = chooser.excerpts()
        quotes: list[_Quote] = []
        compared: list[_Entry] = []
        before = _prerequisites(steps, candidates) if asks_prerequisites(question) else []
        if before:
            compared = before
        elif Kind.DIFFERENCE in chooser.kinds and len(steps) > 1:
            quotes, compared = self._compare(steps, candidates, chooser, excerpts)
        near = near and not quotes and not compared
        if near:
            excerpts = sorted(excerpts, key=lambda e: -e.value * _as_question(candidates[e.n - 1].pair))
            quotes = [_quote(candidates, e, title=True) for e in excerpts[:1]]
        elif not quotes and not compared:
            quotes = self._quotes(question, candidates, chooser, excerpts)
        compared = compared or first
        if not quotes and not compared and not (candidates and wish.told):
            compared = [entry for step in steps if (entry := _entry(step.concept, candidates)).definition]
        missing = next((kind for kind in (Kind.CODE, Kind.FORMULA) if kind in chooser.kinds), None)
        has_it = missing is None or any(_holds(missing, quote.text) for quote in quotes)
        return str(
            render(
                f"chain_of_teach/offline.{language}.j2",
                quotes=quotes,
                compared=compared,
                before=[_line(step.concept.name) for step in steps if step.prerequisites] if before else [],
                near=near,
                meant=near and bool(excerpts) and candidates[excerpts[0].n - 1].pair.source is Source.FAQ,
                others=_titles(candidates, excerpts[1:], but=quotes[:1]) if near else [],
                missing="" if has_it or missing is None else str(missing),
                told=bool(candidates and wish.told),
                refusal=refused,
            )
        )

    def _hint(
        self,
        question: str,
        steps: Sequence[TeachStep],
        candidates: Sequence[Candidate],
        language: Language,
        refusal: Rendered,
    ) -> str:
        sections = _sections(steps, candidates)
        return str(
            render(
                f"chain_of_teach/hint.{language}.j2",
                sections=sections,
                names=[section.entry.name for section in sections],
                compared=len(sections) > 1 and Kind.DIFFERENCE in kinds_of(question),
                places=_places(candidates),
                order=[_line(concept.name) for concept in study_order(steps)] if _is_chain(steps) else [],
                refusal=refusal,
            )
        )

    def _quotes(
        self, question: str, candidates: Sequence[Candidate], chooser: Chooser, excerpts: Sequence[Excerpt]
    ) -> list[_Quote]:
        """The best excerpt, and a second where it holds what the question asks for and the first lacks."""
        chosen = list(excerpts[:1])
        if chosen and (more := _more(chosen[0], excerpts[1:], chooser)):
            chosen.append(more)
        return [_quote(candidates, e, title=not _asks(question, candidates[e.n - 1].pair)) for e in chosen]

    def _compare(
        self,
        steps: Sequence[TeachStep],
        candidates: Sequence[Candidate],
        chooser: Chooser,
        excerpts: Sequence[Excerpt],
    ) -> tuple[list[_Quote], list[_Entry]]:
        """What compares them: an FAQ entry alone, else the definitions, then what names them all."""
        concepts = [step.concept for step in steps][:3]
        for excerpt in excerpts:
            pair = candidates[excerpt.n - 1].pair
            if pair.source is not Source.CONCEPT and _names_all(concepts, pair.question):
                more = _more(excerpt, [e for e in excerpts if e is not excerpt], chooser)
                return [_quote(candidates, e) for e in (excerpt, more) if e], []
        entries = [self._side(concept, candidates, chooser) for concept in concepts]
        defined = [entry for entry in entries if entry.definition]
        said = [e for e in excerpts if _names_all(concepts, e.text)]
        quotes = [_quote(candidates, e) for e in said[:1]]
        return (quotes, defined) if len(defined) > 1 else ([], [])

    def _side(self, concept: Concept, candidates: Sequence[Candidate], chooser: Chooser) -> _Entry:
        """A concept with its definition, else with a sentence of the candidates that says what it is."""
        entry = _entry(concept, candidates)
        names = (concept.name, *concept.aliases)
        if _number(concept, candidates) and defines(names, entry.definition):
            return entry
        found = chooser.definition(names)
        return entry if found is None else _Entry(name=entry.name, definition=Rendered(found.text))


def _begins(wish: Wish) -> bool:
    """Whether something is to be explained simply from the start: first what it is, then more."""
    return wish.simpler and not wish.told


def _more(first: Excerpt, others: Sequence[Excerpt], chooser: Chooser) -> Excerpt | None:
    """The best of the others that adds something, where both together stay short."""
    room = _WIDTH - columns(first.text)
    return next(
        (
            other
            for other in others
            if columns(other.text) <= room
            and other.value > _SECOND * first.value
            and chooser.adds(other, first)
        ),
        None,
    )


def _prerequisites(steps: Sequence[TeachStep], candidates: Sequence[Candidate]) -> list[_Entry]:
    """What should be known before the concepts of the question, each once."""
    known = {concept.id: concept for step in steps for concept in step.prerequisites}
    return [_entry(concept, candidates) for concept in list(known.values())[:_MOST_PREREQUISITES]]


def _quote(candidates: Sequence[Candidate], excerpt: Excerpt, *, title: bool = False) -> _Quote:
    return _Quote(_title(candidates[excerpt.n - 1].pair) if title else _line(""), Rendered(excerpt.text))


def _as_question(pair: QAPair) -> float:
    """How much more a question of the FAQ may be what the student meant than a passage."""
    return 1.5 if pair.source is Source.FAQ else 1.0


def _asks(question: str, pair: QAPair) -> bool:
    """Whether the answer needs no title: it is no FAQ entry, or one that asks this very question."""
    return pair.source is not Source.FAQ or normalise(question) in map(
        normalise, (pair.question, *pair.similar_questions)
    )


def _title(pair: QAPair) -> Rendered:
    headings = pair.locator.heading_path
    return _line(headings[-1] if pair.source is Source.MATERIAL and headings else pair.question)


def _titles(
    candidates: Sequence[Candidate], excerpts: Sequence[Excerpt], *, but: Sequence[_Quote]
) -> list[Rendered]:
    """The titles of two more, each with its [n]."""
    titles = {_title(candidates[e.n - 1].pair): e.n for e in reversed(excerpts)}
    named = [
        (n, title) for title, n in reversed(titles.items()) if title not in [quote.title for quote in but]
    ]
    return [Rendered(f"{title} [{n}]") for n, title in named[:2]]


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
        sections.append(_Section(_entry(step.concept, candidates), tuple(prerequisites)))
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
    )


def _number(concept: Concept, candidates: Sequence[Candidate]) -> int | None:
    """The number of the retrieved (concept, explanation) pair of a concept, counted from 1."""
    names = {normalise(name) for name in (concept.name, *concept.aliases)}
    for n, candidate in enumerate(candidates, start=1):
        if candidate.pair.source is Source.CONCEPT and normalise(candidate.pair.question) in names:
            return n
    return None


def _names_all(concepts: Sequence[Concept], text: str) -> bool:
    plain = normalise(text)
    return all(any(normalise(name) in plain for name in (c.name, *c.aliases)) for c in concepts)


def _holds(kind: Kind, text: str) -> bool:
    return {Kind.CODE: "`", Kind.FORMULA: "$"}[kind] in text


def _places(candidates: Sequence[Candidate]) -> list[Rendered]:
    """The titles of course material worth reading again."""
    titles = dict.fromkeys(c.pair.question for c in candidates if c.pair.source is Source.MATERIAL)
    return [_line(title) for title in list(titles)[:_MOST_PLACES]]


def _line(text: str) -> Rendered:
    return Rendered(escape_cell(text))
