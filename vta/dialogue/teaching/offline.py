"""The teacher without a language model: the course's own words that answer, and little else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from prompts.markdown import escape_cell, escape_markdown, join_sentences, split_sentences
from prompts.primers import refusal_sentence
from prompts.render import Rendered, render
from vta.dialogue.grounding import title_of
from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.choosing import Chooser, Excerpt
from vta.kinds import Kind, asks_prerequisites, kinds_of
from vta.languages import Language
from vta.text import Analyser, normalise
from vta.types.concepts import Concept
from vta.types.courses import ConceptId
from vta.types.language_model import TeachStep
from vta.types.pairs import Candidate, QAPair, Source
from vta.types.questions import PLAIN, AnswerStyle

_MOST_PREREQUISITES = 5
MOST_PLACES_SHOWN = 3
"""The first one in the text, the others beside it."""
_MOST_PLACES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """The text of the offline teacher; it is no answer where it only comes close or finds nothing.

    `quotes` has the numbers of the quoted candidates, each with its `Citation.marked`; `further` has those
    that are shown beside the text.
    """

    text: str
    is_answer: bool
    quotes: Mapping[int, str] = field(default_factory=dict)
    further: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Quote:
    """Words of the course, and their title where they answer another question."""

    title: Rendered
    text: Rendered


class ComposingTeacher:
    """Answers with one excerpt of the course in one piece, and names the places that come next."""

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
        style: AnswerStyle = PLAIN,
        near: bool = False,
        searched: str | None = None,
    ) -> Taught:
        """Markdown with [n] marks, n counting the candidates from 1, all of it from the course.

        A hint has no passage and no FAQ answer. A `near` text is offered as possible help. Without anything
        to say it is the refusal sentence, or the course's own `refusal`, and the way to a TA.
        """
        refused = Rendered(escape_markdown(refusal) if refusal else refusal_sentence(language))
        if hint:
            text = compose_hint(question, steps, candidates, language, refused)
            return Taught(text=text, is_answer=True)
        concepts = [step.concept for step in steps]
        asked = Asked(
            question, candidates, analyser=self._analyser, concepts=concepts, style=style, searched=searched
        )
        chooser = Chooser(asked, candidates, style=style)
        answers = bool(chooser.order) and candidates[chooser.order[0] - 1].pair.source is Source.FAQ
        first = [] if answers else _defined(question, concepts, candidates, style)
        before = _prerequisites(steps, candidates) if asks_prerequisites(question) else []
        near = near and not before
        said = [each.definition for each in first]
        places = list(islice(chooser.excerpts(said), 0 if before else MOST_PLACES_SHOWN))
        is_defined = len(first) == 1 and not style.simpler
        bare = first[0] if is_defined and not before else None
        excerpts = [] if is_defined else places[:1]
        quotes = [_quote(question, candidates[each.n - 1].pair, each, near=near) for each in excerpts]
        entries = before or first
        if not quotes and not entries and not (candidates and style.already_said):
            entries = [entry for concept in concepts if (entry := as_entry(concept, candidates)).definition]
        text = render(
            f"chain_of_teach/offline.{language}.j2",
            quotes=quotes,
            entries=_each_once(entries),
            bare=bare,
            before=[as_line(step.concept.name) for step in steps if step.prerequisites] if before else [],
            near=near,
            told=bool(candidates and style.already_said),
            refusal=refused,
        )
        return Taught(
            text=str(text),
            is_answer=bool(quotes or entries) and not (near and quotes),
            quotes={excerpt.n: "" if near else excerpt.marked for excerpt in excerpts}
            | ({bare.n: ""} if bare and bare.n else {}),
            further=tuple(each.n for each in places if each not in excerpts),
        )


def _defined(
    question: str, concepts: Sequence[Concept], candidates: Sequence[Candidate], style: AnswerStyle
) -> list[Entry]:
    """The definitions that open the answer to a question what things are.

    All known ones for a comparison or a simpler answer, else those among the candidates.
    """
    kinds = kinds_of(question)
    if style.already_said or not (style.simpler or kinds <= {Kind.DEFINITION, Kind.DIFFERENCE}):
        return []
    all_known = style.simpler or (Kind.DIFFERENCE in kinds and len(concepts) > 1)
    entries = [as_entry(concept, candidates) for concept in concepts]
    return [entry for entry in entries if entry.definition and (all_known or entry.n)]


def _prerequisites(steps: Sequence[TeachStep], candidates: Sequence[Candidate]) -> list[Entry]:
    """The prerequisites of the question's concepts, each once."""
    known = {concept.id: concept for step in steps for concept in step.prerequisites}
    return [as_entry(concept, candidates) for concept in list(known.values())[:_MOST_PREREQUISITES]]


def _each_once(entries: Sequence[Entry]) -> list[Entry]:
    """The entries; concepts with one definition share an entry under all their names."""
    by_text: dict[str, list[Entry]] = {}
    for entry in entries:
        text = entry.definition.removesuffix(f" [{entry.n}]") or entry.name
        by_text.setdefault(text, []).append(entry)
    return [
        replace(same[0], name=Rendered(" / ".join(each.name for each in same))) for same in by_text.values()
    ]


def _quote(question: str, pair: QAPair, excerpt: Excerpt, *, near: bool) -> _Quote:
    """An excerpt, under a title where it only comes close or is an FAQ answer to another question."""
    asks_other = pair.source is Source.FAQ and normalise(question) not in map(normalise, pair.wordings)
    return _Quote(as_line(title_of(pair) if near or asks_other else ""), Rendered(excerpt.text))


@dataclass(frozen=True, slots=True)
class _Section:
    """A concept and its prerequisites, as a hint names them."""

    entry: Entry
    prerequisites: tuple[Entry, ...]


def compose_hint(
    question: str,
    steps: Sequence[TeachStep],
    candidates: Sequence[Candidate],
    language: Language,
    refusal: Rendered,
) -> str:
    """Markdown with definitions, titles of material and leading questions, and no passage or FAQ answer."""
    sections = _sections(steps, candidates)
    titles = dict.fromkeys(c.pair.question for c in candidates if c.pair.source is Source.MATERIAL)
    has_prerequisites = any(step.prerequisites for step in steps)
    return str(
        render(
            f"chain_of_teach/hint.{language}.j2",
            sections=sections,
            names=[section.entry.name for section in sections],
            compared=len(sections) > 1 and Kind.DIFFERENCE in kinds_of(question),
            places=[as_line(title) for title in list(titles)[:_MOST_PLACES]],
            order=[as_line(concept.name) for concept in study_order(steps) if has_prerequisites],
            refusal=refusal,
        )
    )


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


def _sections(steps: Sequence[TeachStep], candidates: Sequence[Candidate]) -> list[_Section]:
    explained = {step.concept.id for step in steps}
    shown: set[str] = set()

    def entry_of(concept: Concept, *, is_explained: bool = False) -> Entry:
        entry = as_entry(concept, candidates, is_explained=is_explained or concept.definition in shown)
        shown.update([concept.definition] if entry.definition else [])
        return entry

    sections: list[_Section] = []
    for step in steps:
        prerequisites: list[Entry] = []
        for concept in step.prerequisites:
            prerequisites.append(entry_of(concept, is_explained=concept.id in explained))
            explained.add(concept.id)
        sections.append(_Section(entry_of(step.concept), tuple(prerequisites)))
    return sections


@dataclass(frozen=True, slots=True)
class Entry:
    """A concept ready to print: Markdown-escaped, the definition with the [n] of its candidate."""

    name: Rendered
    definition: Rendered
    n: int | None


def as_entry(concept: Concept, candidates: Sequence[Candidate], *, is_explained: bool = False) -> Entry:
    """The concept with its definition, a candidate's if there is one, to make its [n] true.

    The definition is left out where it `is_explained` elsewhere in the answer.
    """
    n = _number_of(concept, candidates)
    definition = candidates[n - 1].pair.answer if n else concept.definition
    mark = f" [{n}]" if n else ""
    whole = join_sentences(split_sentences(definition))
    return Entry(
        name=as_line(concept.name),
        definition=Rendered(f"{escape_markdown(whole)}{mark}" if whole and not is_explained else ""),
        n=n,
    )


def _number_of(concept: Concept, candidates: Sequence[Candidate]) -> int | None:
    """The number of a concept's candidate with its explanation, counted from 1."""
    names = {normalise(name) for name in (concept.name, *concept.aliases)}
    numbered = enumerate((candidate.pair for candidate in candidates), start=1)
    is_it = (n for n, p in numbered if p.source is Source.CONCEPT and normalise(p.question) in names)
    return next(is_it, None)


def as_line(text: str) -> Rendered:
    return Rendered(escape_cell(text))
