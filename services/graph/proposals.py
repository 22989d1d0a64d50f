"""Explanations that a language model proposes for concepts of a course, and a teacher's decisions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from concept_graph.names import concept_id
from concept_graph.proposals import IncompleteConcept, Link, ProposalForm, find_asked, read_reply
from prompts.messages import AskedConcept, proposal_messages
from services.documents.rows import PROPOSED, SUPPORTED
from services.documents.store import SqlDocuments
from services.graph.files import graph_document
from services.graph.service import CourseGraphs
from services.indexing.stored_knowledge import StoredKnowledge, sync_index
from services.language_model.structured import StructuredAnswers
from services.stores import Stores
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.places import describe_place
from vta.ports import Guard, LanguageModel
from vta.sentences import split_lines, split_sentences
from vta.text import normalise
from vta.tokens import message_tokens
from vta.types.concepts import Concept, ExplainConcept, Place
from vta.types.courses import ConceptId, Course, CourseId
from vta.types.documents import CourseDocument
from vta.types.language_model import ChatMessage
from vta.types.pairs import QAPair


@dataclass(slots=True)
class ProposalBook:
    """The proposals of one course.

    `asked` are all concepts asked about, with the explanation that waits for a teacher or none. `supported`
    ones are known to the graph, which takes their explanation where it has no other.
    """

    asked: dict[ConceptId, Concept]
    supported: dict[ConceptId, Concept]

    def explain(self, concept: Concept, *, supported: bool) -> None:
        """Note a proposed explanation; a supported one only completes what the graph holds."""
        if supported:
            self.supported[concept.id] = replace(concept, curated=False, built=False)
        else:
            self.asked[concept.id] = concept

    def settle(self, concept: ConceptId) -> None:
        """Take out a concept's explanation; the concept stays asked about."""
        self.supported.pop(concept, None)
        if concept in self.asked:
            self.asked[concept] = replace(self.asked[concept], definition="")

    def forget(self, concept: ConceptId) -> None:
        """Let the concept be asked about again."""
        self.supported.pop(concept, None)
        self.asked.pop(concept, None)


def read_book(documents: SqlDocuments, course_id: CourseId) -> ProposalBook:
    """The proposals of a course; none where none were made."""
    found = (documents.document(course_id, path) for path in (PROPOSED, SUPPORTED))
    return _book({each.path: each for each in found if each})


def change_book(documents: SqlDocuments, course_id: CourseId, change: Callable[[ProposalBook], None]) -> None:
    """Change the proposals of a course; no other writer comes between reading and writing them."""

    def rewritten(stored: Mapping[str, CourseDocument]) -> tuple[CourseDocument, ...]:
        book = _book(stored)
        change(book)
        return (
            graph_document(PROPOSED, tuple(book.asked.values())),
            graph_document(SUPPORTED, tuple(book.supported.values())),
        )

    documents.rewrite(course_id, (PROPOSED, SUPPORTED), rewritten)


def _book(stored: Mapping[str, CourseDocument]) -> ProposalBook:
    asked, supported = (
        {each.id: each for each in stored[path].concepts} if path in stored else {}
        for path in (PROPOSED, SUPPORTED)
    )
    return ProposalBook(asked=asked, supported=supported)


AT_ONCE = 3
"""Concepts in one prompt."""
ANSWER_TOKENS = 200
"""Assumed tokens of a reply about a concept."""
LONGEST_PASSAGE = 1_200
"""Characters of a passage in a prompt; the rest is cut."""
_CHARACTERS_A_PROMPT_TOKEN = 3
"""By which all passages of a prompt are cut where the model has little room; half of it is left free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Concepts asked about in one prompt; its n-th document is the n-th passage."""

    asked: tuple[IncompleteConcept, ...]
    passages: tuple[QAPair, ...]
    messages: tuple[ChatMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The prompts of a run; tokens are estimates."""

    batches: tuple[Batch, ...]

    @property
    def concepts(self) -> int:
        """How many concepts are asked about."""
        return sum(len(batch.asked) for batch in self.batches)

    @property
    def prompt_tokens(self) -> int:
        """Those of all prompts, if none has to be repeated."""
        return sum(message_tokens(batch.messages) for batch in self.batches)

    @property
    def completion_tokens(self) -> int:
        """Those of all replies."""
        return self.concepts * ANSWER_TOKENS


def batches(asked: Iterable[IncompleteConcept], language: Language, *, room: int) -> Iterator[Batch]:
    """The concepts in order, as many to a prompt as `room` tokens hold, and at most `AT_ONCE`."""
    batch: Batch | None = None
    for each in asked:
        more = _batch((*batch.asked, each) if batch else (each,), language, room)
        if batch and (len(more.asked) > AT_ONCE or message_tokens(more.messages) > room):
            yield batch
            more = _batch((each,), language, room)
        batch = more
    if batch:
        yield batch


def _batch(asked: tuple[IncompleteConcept, ...], language: Language, room: int) -> Batch:
    passages = tuple({pair.id: pair for each in asked for pair in each.passages}.values())
    shown = [
        AskedConcept(
            name=each.concept.name,
            documents=tuple(passages.index(pair) + 1 for pair in each.passages),
        )
        for each in asked
    ]
    longest = min(LONGEST_PASSAGE, max(1, room // (_CHARACTERS_A_PROMPT_TOKEN * len(passages))))
    texts = [f"{pair.question}\n{pair.answer}"[:longest] for pair in passages]
    return Batch(asked=asked, passages=passages, messages=proposal_messages(shown, texts, language))


OUTAGES = 2
"""Prompts in a row without an answer after which the rest is left for another run."""

_LINK = re.compile(r"://|\]\(|<")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The outcome of a run; `failure` is why concepts were `left`, which another run asks about."""

    asked: int = 0
    supported: int = 0
    waiting: int = 0
    dropped: int = 0
    left: int = 0
    failure: UpstreamFailed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphProposal:
    """An explanation of a concept, and the words of the course that it rests on.

    `is_shown` says that students see it already, as its passage supports it.
    """

    concept: Concept
    where: str
    said: str
    is_shown: bool = False


class GraphProposals:
    """The proposals for the graphs of all courses of one platform."""

    def __init__(
        self,
        *,
        graphs: CourseGraphs,
        stores: Stores,
        knowledge: StoredKnowledge,
        guard: Guard,
        model: LanguageModel | None,
        room: int,
    ) -> None:
        """`room` is what the model holds beside its answer, in tokens."""
        self._graphs, self._courses, self._documents = graphs, stores.courses, stores.documents
        self._knowledge, self._guard = knowledge, guard
        self._model, self._room = model, room

    def require_model(self) -> LanguageModel:
        """The language model; `InvalidInput` names the settings where there is none."""
        if self._model is None:
            raise InvalidInput(Fault("setting.no_model"), field="--model")
        return self._model

    def plan(self, course_id: CourseId, *, most: int | None = None) -> Plan:
        """The prompts for a course: at most `most` concepts, none that was asked about before."""
        course = self._courses.course(course_id)
        concepts, _ = self._graphs.concepts(course_id)
        found = find_asked(concepts, self._graphs.passages(course_id), self._link(course))
        settled = read_book(self._documents, course_id).asked
        asked = [each for each in found if each.concept.id not in settled][:most]
        return Plan(batches=tuple(batches(asked, course.language, room=self._room)))

    async def ask(self, course_id: CourseId, plan: Plan, *, progress: Callable[[int], object]) -> Run:
        """Ask about everything of a plan, and store the valid part of each reply before the next prompt.

        A prompt that fails is left for another run, and after `OUTAGES` in a row so is the rest. `progress`
        gets the number of concepts after each prompt that did not fail.
        """
        course = self._courses.course(course_id)
        model = StructuredAnswers(self.require_model(), course_id=course_id)
        run, failed = Run(left=plan.concepts), 0
        for batch in plan.batches:
            try:
                reply = await model.fill(batch.messages, ProposalForm, language=course.language)
            except UpstreamFailed as failure:
                run, failed = replace(run, failure=failure), failed + 1
                if failed == OUTAGES:
                    break
                continue
            failed = 0
            run = self._keep(course, batch, reply, run)
            progress(len(batch.asked))
        sync_index(self._knowledge)
        return run

    def recheck(self, course_id: CourseId) -> None:
        """Forget the explanations that the course's passages do not support any more."""
        course = self._courses.course(course_id)
        supported = read_book(self._documents, course_id).supported.values()
        passages, link = self._graphs.passages(course_id), self._link(course)
        gone = [
            each.id
            for each in supported
            if not any(self._supports(each, pair, link) for pair in _standing_at(each, passages))
        ]

        def forget(book: ProposalBook) -> None:
            for each in gone:
                book.forget(each)

        if gone:
            self._change(course_id, forget)

    def proposals(self, course_id: CourseId) -> tuple[GraphProposal, ...]:
        """Proposals that wait for a teacher, of concepts that the course has, then those students see."""
        course = self._courses.course(course_id)
        here = {each.id: each for each in self._graphs.concepts(course_id)[0]}
        passages = self._graphs.passages(course_id)
        book = read_book(self._documents, course_id)
        readable = self._documents.readable(course_id)
        waiting = [
            each for each in book.asked.values() if each.definition and each.id in here and readable.at(each)
        ]
        return (
            *(_explained(each, passages, course) for each in waiting if not here[each.id].definition),
            *(
                replace(_explained(each, passages, course), is_shown=True)
                for each in book.supported.values()
                if each.id in here and here[each.id].definition == each.definition
            ),
        )

    def accept(self, course_id: CourseId, edit: ExplainConcept) -> None:
        """Record the edit that a proposal leads to, which is settled then; raises as `check_edits` does."""
        self._graphs.record(course_id, edit)
        self.remove(course_id, edit)

    def remove(self, course_id: CourseId, edit: ExplainConcept) -> None:
        """Settle the proposal that would lead to this edit; it is not made again."""
        about = concept_id(course_id, edit.concept)
        self._change(course_id, lambda book: book.settle(about))

    def _change(self, course_id: CourseId, change: Callable[[ProposalBook], None]) -> None:
        change_book(self._documents, course_id, change)
        sync_index(self._knowledge)

    def _keep(self, course: Course, batch: Batch, reply: ProposalForm, run: Run) -> Run:
        link = self._link(course)
        found = read_reply(reply, batch.asked, batch.passages)
        supported = {
            concept.id for concept, passage in found.explained if self._supports(concept, passage, link)
        }

        def note(book: ProposalBook) -> None:
            for each in batch.asked:
                book.asked[each.concept.id] = replace(each.concept, definition="")
            for concept, _ in found.explained:
                book.explain(concept, supported=concept.id in supported)

        change_book(self._documents, course.id, note)
        return replace(
            run,
            asked=run.asked + len(batch.asked),
            supported=run.supported + len(supported),
            waiting=run.waiting + len(found.explained) - len(supported),
            dropped=run.dropped + found.dropped,
            left=run.left - len(batch.asked),
        )

    def _supports(self, concept: Concept, passage: QAPair, link: Link) -> bool:
        """May students read the explanation at once?

        It names the concept and links to nothing, each of its sentences stands in the passage, and the
        passage holds no orders to a model.
        """
        is_named = concept.id in {each.id for each in link(concept.definition)}
        if not is_named or _LINK.search(concept.definition):
            return False
        lines = (passage.question, *split_lines(passage.answer))
        if any(self._guard.inspect(line).flag for line in lines):
            return False
        text = _letters(passage.answer)
        return all(_letters(sentence) in text for sentence in split_sentences(concept.definition))

    def _link(self, course: Course) -> Link:
        linker = self._knowledge.current().linker

        def link(text: str) -> list[Concept]:
            found = (mention.concept for mention in linker.link(text, course=course))
            return [each for each in found if course.id in each.courses]

        return link


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", normalise(text))


def _explained(proposed: Concept, passages: Sequence[QAPair], course: Course) -> GraphProposal:
    pairs = _standing_at(proposed, passages)
    place = Place(document=pairs[0].document or "", locator=pairs[0].locator) if pairs else None
    return GraphProposal(
        concept=proposed,
        where=describe_place(place, course.language) if place else "",
        said="\n\n".join(pair.answer for pair in pairs),
    )


def _standing_at(concept: Concept, passages: Sequence[QAPair]) -> list[QAPair]:
    """The passages at the place of a proposed explanation."""
    place = concept.document, concept.locator
    return [each for each in passages if (each.document, each.locator) == place]
