"""The teacher without a language model: the course's own words that answer, and little else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from prompts.chain_of_teach.asked import Asked
from prompts.chain_of_teach.choosing import Chooser, Excerpt
from prompts.chain_of_teach.entries import Entry, as_entry, as_line, names_of, number_of
from prompts.chain_of_teach.excerpts import columns
from prompts.chain_of_teach.hints import compose_hint
from prompts.markdown import escape_markdown
from prompts.primers import refusal_sentence
from prompts.render import Rendered, render
from vta.kinds import Kind, asks_prerequisites
from vta.ports import Embedder
from vta.text import Analyser, normalise
from vta.types import Candidate, Concept, Language, QAPair, Source, TeachStep, Wish
from vta.units import defines

_MOST_PREREQUISITES = 5
_MOST_SIDES = 3
_WIDTH = 640
_SECOND = 0.4


@dataclass(frozen=True, slots=True)
class _Quote:
    """Words of the course, and the question that they answer there where it is not the one asked."""

    title: Rendered
    text: Rendered


class ComposingTeacher:
    """Answers with whole sentences and units of the course, two or three sentences of one or two places."""

    def __init__(self, *, analyser: Analyser | None = None, embedder: Embedder | None = None) -> None:
        """`embedder` compares sentences with the question by meaning; None: by their words alone."""
        self._analyser = analyser or Analyser()
        self._embedder = embedder

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
            return compose_hint(question, steps, candidates, language, refused)
        concepts = [step.concept for step in steps]
        first = [e for c in concepts if (e := as_entry(c, candidates)).definition] if _begins(wish) else []
        wish = replace(wish, told=(*wish.told, *(concept.definition for concept in concepts if first)))
        asked = Asked(question, candidates, analyser=self._analyser, concepts=concepts, wish=wish)
        chooser = Chooser(asked, candidates, embedder=self._embedder, wish=wish)
        quotes: list[_Quote] = []
        before = _prerequisites(steps, candidates) if asks_prerequisites(question) else []
        compared = before
        if not before and Kind.DIFFERENCE in asked.kinds and len(steps) > 1:
            quotes, compared = _compare(concepts, candidates, chooser)
        near = (near or chooser.lacks_amount()) and not quotes and not compared
        order = chooser.meant if near else chooser.order
        if not quotes and not compared:
            quotes = [
                _quote(candidates, e, title=near or not _asks(question, candidates[e.n - 1].pair))
                for e in _best(chooser, chooser.excerpts(order), most=1 if near else 2)
            ]
        compared = compared or first
        if not quotes and not compared and not (candidates and wish.told):
            compared = [entry for concept in concepts if (entry := as_entry(concept, candidates)).definition]
        missing = next((kind for kind in (Kind.CODE, Kind.FORMULA) if kind in asked.kinds), None)
        has_it = missing is None or any(_holds(missing, quote.text) for quote in quotes)
        return str(
            render(
                f"chain_of_teach/offline.{language}.j2",
                quotes=quotes,
                compared=compared,
                before=[as_line(step.concept.name) for step in steps if step.prerequisites] if before else [],
                near=near,
                meant=near and bool(order) and candidates[order[0] - 1].pair.source is Source.FAQ,
                others=_titles(candidates, order[1:], but=quotes) if near else [],
                missing="" if has_it or missing is None else str(missing),
                told=bool(candidates and wish.told),
                refusal=refused,
            )
        )


def _best(chooser: Chooser, excerpts: Iterable[Excerpt], *, most: int) -> list[Excerpt]:
    """The first of these: a further one where the first is not the whole answer, all together stay short, and
    it is not far less relevant. What answers best stands first.
    """
    chosen: list[Excerpt] = []
    for excerpt in excerpts:
        together = sum(columns(each.text) for each in [*chosen, excerpt])
        if not chosen or (together <= _WIDTH and excerpt.value > _SECOND * chosen[0].value):
            chosen.append(excerpt)
        if len(chosen) == most or chooser.answers_whole(chosen[0].n):
            break
    return sorted(chosen, key=lambda excerpt: -excerpt.rank)


def _begins(wish: Wish) -> bool:
    """Whether something is to be explained simply from the start: first what it is, then more."""
    return wish.simpler and not wish.told


def _compare(
    concepts: Sequence[Concept], candidates: Sequence[Candidate], chooser: Chooser
) -> tuple[list[_Quote], list[Entry]]:
    """What compares them: an FAQ entry or passage under such a title, else the definitions, then what
    names them all and what is most relevant.
    """
    about = [n for n in chooser.order if _compares(concepts, candidates[n - 1].pair)]
    if about:
        order = [about[0], *(n for n in chooser.order if n != about[0])]
        return [_quote(candidates, e) for e in _best(chooser, chooser.excerpts(order), most=2)], []
    entries = [_side(concept, candidates, chooser) for concept in concepts[:_MOST_SIDES]]
    defined = [entry for entry in entries if entry.definition]
    if len(defined) < 2:
        return [], []
    notes = [n for n in chooser.order if candidates[n - 1].pair.source is not Source.CONCEPT]
    told = [str(entry.definition).rsplit(" [", 1)[0] for entry in defined]
    said = [e for e in chooser.excerpts(notes) if not any(text in e.text for text in told)]
    both = [e for e in said if _names_all(concepts, e.text)]
    best = _best(chooser, [*both[:1], *(e for e in said if e not in both[:1])], most=2 if both else 1)
    return [_quote(candidates, e, title=not _names_all(concepts, e.text)) for e in best], defined


def _compares(concepts: Sequence[Concept], pair: QAPair) -> bool:
    return pair.source is not Source.CONCEPT and _names_all(concepts, pair.question)


def _side(concept: Concept, candidates: Sequence[Candidate], chooser: Chooser) -> Entry:
    """A concept with its definition, else with a sentence of the candidates that says what it is."""
    entry = as_entry(concept, candidates)
    if number_of(concept, candidates) and defines(names_of(concept), entry.definition):
        return entry
    found = chooser.definition(names_of(concept))
    return entry if found is None else Entry(name=entry.name, definition=Rendered(found.text))


def _prerequisites(steps: Sequence[TeachStep], candidates: Sequence[Candidate]) -> list[Entry]:
    """What should be known before the concepts of the question, each once."""
    known = {concept.id: concept for step in steps for concept in step.prerequisites}
    return [as_entry(concept, candidates) for concept in list(known.values())[:_MOST_PREREQUISITES]]


def _quote(candidates: Sequence[Candidate], excerpt: Excerpt, *, title: bool = False) -> _Quote:
    return _Quote(_title(candidates[excerpt.n - 1].pair) if title else as_line(""), Rendered(excerpt.text))


def _asks(question: str, pair: QAPair) -> bool:
    """Whether the answer needs no title: it is no FAQ entry, or one that asks this very question."""
    return pair.source is not Source.FAQ or normalise(question) in map(normalise, pair.wordings)


def _title(pair: QAPair) -> Rendered:
    headings = pair.locator.heading_path
    return as_line(headings[-1] if pair.source is Source.MATERIAL and headings else pair.question)


def _titles(
    candidates: Sequence[Candidate], order: Sequence[int], *, but: Sequence[_Quote]
) -> list[Rendered]:
    """The titles of two more, each with its [n]."""
    titles = {_title(candidates[n - 1].pair): n for n in reversed(order)}
    named = [(n, title) for title, n in reversed(titles.items()) if title not in [q.title for q in but]]
    return [Rendered(f"{title} [{n}]") for n, title in named[:2]]


def _names_all(concepts: Sequence[Concept], text: str) -> bool:
    plain = normalise(text)
    return all(any(normalise(name) in plain for name in names_of(concept)) for concept in concepts)


def _holds(kind: Kind, text: str) -> bool:
    return {Kind.CODE: "`", Kind.FORMULA: "$"}[kind] in text
