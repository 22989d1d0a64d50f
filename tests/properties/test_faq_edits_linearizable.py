"""FAQ entries under two editors: what they do at once is as if it was done one after the other (T53).

The model is a dict of histories. What the store does alone must be what the model does; what it does with two
operations in two threads must be what the model does in one of their two orders.
"""

from __future__ import annotations

import copy
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import factories as make
import pytest
from examples import examples
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from plain_faults import plain

from services.clock import SystemClock
from services.store.engine import sqlite_url
from services.stores import Stores, open_stores
from vta.errors import Conflict
from vta.faq import comparison_key
from vta.languages import Language
from vta.types.answers import Route
from vta.types.courses import Course, CourseId, FaqId, SessionId
from vta.types.faq import FaqDraft
from vta.types.questions import Question

DS = CourseId("ds")
QUESTIONS = ["When is the quiz?", "Who marks it?", "Is there a retake?"]
WORDINGS = ["quiz date?", "retake", "Who marks it"]
EDITORS = ("ann", "bo")
NO_DRAFT = FaqDraft(question="", answer="")


@dataclass(frozen=True)
class Operation:
    """What an editor asks for; `expected` is the version that they have seen."""

    kind: str
    editor: str
    entry: str = ""
    expected: int = 0
    draft: FaqDraft = NO_DRAFT
    waiting: str = ""


@dataclass(frozen=True)
class Version:
    """One version of an entry, without what a clock or a random id decides."""

    number: int
    question: str
    answer: str
    similar: tuple[str, ...]
    editor: str
    removed: bool


@dataclass
class Model:
    """Entries by name with all their versions, and waiting questions with their state and answer."""

    entries: dict[str, list[Version]] = field(default_factory=dict)
    waiting: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    def apply(self, operation: Operation) -> str:
        """The operation's outcome, `done` or `conflict`; a conflict changes nothing."""
        before = copy.deepcopy(self)
        try:
            getattr(self, f"_{operation.kind}")(operation)
        except Conflict:
            self.entries, self.waiting = before.entries, before.waiting
            return "conflict"
        return "done"

    def _add(self, operation: Operation, name: str = "", similar: tuple[str, ...] = ()) -> None:
        self._claim(name := name or operation.entry, operation.draft.question)
        draft = operation.draft
        self.entries[name] = [Version(1, draft.question, draft.answer, similar, operation.editor, False)]

    def _edit(self, operation: Operation) -> None:
        self._check(operation)
        draft, name = operation.draft, operation.entry
        self._claim(name, draft.question)
        self._next(
            name, operation.editor, question=draft.question, answer=draft.answer, similar=(), removed=False
        )

    def _delete(self, operation: Operation) -> None:
        self._check(operation)
        if not self.entries[operation.entry][-1].removed:
            self._next(operation.entry, operation.editor, removed=True)

    def _approve(self, operation: Operation) -> None:
        text = self._resolve(operation.waiting, "answered", operation.entry)
        own = comparison_key(text) == comparison_key(operation.draft.question)
        self._add(operation, similar=() if own else (text,))

    def _merge(self, operation: Operation) -> None:
        text = self._resolve(operation.waiting, "answered", operation.entry)
        last = self.entries[operation.entry][-1]
        known = comparison_key(text) in map(comparison_key, (last.question, *last.similar))
        if not known or last.removed:
            self._claim(operation.entry, last.question)
            similar = last.similar if known else (*last.similar, text)
            self._next(operation.entry, operation.editor, similar=similar, removed=False)

    def _reject(self, operation: Operation) -> None:
        self._resolve(operation.waiting, "rejected", "")

    def _check(self, operation: Operation) -> None:
        if self.entries[operation.entry][-1].number != operation.expected:
            raise Conflict(plain("another version"))

    def _claim(self, name: str, question: str) -> None:
        for other, versions in self.entries.items():
            last = versions[-1]
            if (
                other != name
                and not last.removed
                and comparison_key(last.question) == comparison_key(question)
            ):
                raise Conflict(plain("another entry asks this"))

    def _next(self, name: str, editor: str, **changes: Any) -> None:
        last = self.entries[name][-1]
        self.entries[name].append(replace(last, number=last.number + 1, editor=editor, **changes))

    def _resolve(self, waiting: str, state: str, entry: str) -> str:
        """An answer settles everyone who waits with the same words, a rejection this one alone."""
        text, was, _ = self.waiting[waiting]
        if was != "waiting":
            raise Conflict(plain("settled already"))
        for name, (asked, now, _) in self.waiting.items():
            alike = state == "answered" and now == "waiting" and comparison_key(asked) == comparison_key(text)
            if name == waiting or alike:
                self.waiting[name] = (asked, state, entry)
        return text


class Real:
    """The stores under the model's names."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.ids: dict[str, FaqId] = {}
        self.asked: dict[str, str] = {}

    def apply(self, operation: Operation) -> str:
        faq, queue = self.stores.faq, self.stores.ta_queue
        name, editor, draft = operation.entry, operation.editor, operation.draft
        try:
            match operation.kind:
                case "add":
                    (made,) = faq.add(DS, [draft], editor=editor)
                    self.ids[name] = made.id
                case "edit":
                    faq.edit(DS, self.ids[name], draft, editor=editor, expected=operation.expected)
                case "delete":
                    faq.remove(DS, self.ids[name], editor=editor, expected=operation.expected)
                case "approve":
                    self.ids[name] = queue.answer(
                        DS, [self.asked[operation.waiting]], draft, editor=editor
                    ).id
                case "merge":
                    queue.answer(DS, [self.asked[operation.waiting]], self.ids[name], editor=editor)
                case "reject":
                    queue.reject(DS, [self.asked[operation.waiting]], reason="no")
        except Conflict:
            return "conflict"
        return "done"

    def ask(self, turn: str, text: str) -> None:
        """A question that waits for a TA, by the name of its turn."""
        session = f"session of {turn}"
        answer = make.answer(turn, session, DS, route=Route.REFUSED, standalone_question=text)
        self.stores.sessions.record(Question(course_id=DS, text=text), answer)
        self.asked[turn] = self.stores.asked.ask_ta(DS, answer.turn_id).id

    def state(self) -> Model:
        """What is stored, in the words of the model."""
        names = {id: name for name, id in self.ids.items()}
        entries = {
            name: [
                Version(
                    v.version,
                    v.draft.question,
                    v.draft.answer,
                    v.draft.similar_questions,
                    v.editor,
                    v.removed,
                )
                for v in self.stores.faq.history(DS, id)
            ]
            for name, id in self.ids.items()
        }
        waiting = {}
        for each in self.stores.asked.all_questions(DS):
            answered = self.stores.ta_queue.answers(DS, SessionId(f"session of {each.turn_id}"))
            by = next((each.faq_id for each in answered), None)
            entry = names[by] if by is not None else ""
            waiting[str(each.turn_id)] = (each.question, each.state, entry)
        return Model(entries, waiting)


DRAFTS = st.builds(FaqDraft, question=st.sampled_from(QUESTIONS), answer=st.sampled_from(["a", "b"]))


@dataclass(frozen=True)
class Choice:
    """What is drawn for an operation, whatever there is to work on: the machine makes sense of it."""

    kind: int
    entry: int
    waiting: int
    behind: int
    draft: FaqDraft


CHOICES = st.builds(
    Choice,
    kind=st.integers(0, 59),
    entry=st.integers(0, 59),
    waiting=st.integers(0, 59),
    behind=st.sampled_from([0, 0, 0, -1, 1]),
    draft=DRAFTS,
)


class TwoEditors(RuleBasedStateMachine):
    """Two editors add, edit, approve, merge, delete and reject, alone and at once; often too late."""

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        stores = open_stores(sqlite_url(Path(self.folder.name) / "vta.db"), SystemClock())
        stores.courses.add(Course(id=DS, name="ds", domains=("computing",), language=Language.EN))
        self.real, self.model, self.named = Real(stores), Model(), 0
        self.pool = ThreadPoolExecutor(2)

    def teardown(self) -> None:
        if hasattr(self, "real"):
            self.pool.shutdown()
            self.real.stores.close()
            self.folder.cleanup()

    def new_name(self) -> str:
        self.named += 1
        return f"e{self.named}"

    def operation(self, choice: Choice, editor: str) -> Operation:
        """What the choice means now: on some entry and waiting question, in its newest version or another."""
        live, asked = list(self.model.entries), list(self.model.waiting)
        kinds = ["add"] + ["edit", "delete"] * bool(live) + ["approve", "reject"] * bool(asked)
        kinds += ["merge"] * (bool(live) and bool(asked))
        kind = kinds[choice.kind % len(kinds)]
        entry, expected = self.new_name(), 0
        if kind in ("edit", "delete", "merge"):
            entry = live[choice.entry % len(live)]
            expected = max(1, len(self.model.entries[entry]) + choice.behind)
        waiting = asked[choice.waiting % len(asked)] if kind in ("approve", "merge", "reject") else ""
        return Operation(kind, editor, entry, expected, choice.draft, waiting)

    @rule(text=st.sampled_from(WORDINGS))
    def a_student_asks(self, text: str) -> None:
        name = f"t{len(self.model.waiting)}"
        self.real.ask(name, text)
        self.model.waiting[name] = (text, "waiting", "")

    @rule(choice=CHOICES, editor=st.sampled_from(EDITORS))
    def one_editor(self, choice: Choice, editor: str) -> None:
        operation = self.operation(choice, editor)
        assert self.real.apply(operation) == self.model.apply(operation)

    @rule(choices=st.tuples(CHOICES, CHOICES))
    def both_editors_at_once(self, choices: tuple[Choice, Choice]) -> None:
        pair = [self.operation(choice, editor) for choice, editor in zip(choices, EDITORS, strict=True)]
        outcomes = list(self.pool.map(self.real.apply, pair))
        possible = []
        for order in (pair, pair[::-1]):
            model = copy.deepcopy(self.model)
            told = {operation: model.apply(operation) for operation in order}
            possible.append((model, [told[operation] for operation in pair]))
        found = self.real.state()
        fitting = [model for model, told in possible if told == outcomes and model == found]
        assert fitting, (pair, outcomes, found)
        self.model = fitting[0]

    @invariant()
    def the_store_is_what_the_model_is(self) -> None:
        if not hasattr(self, "real"):
            return
        assert self.real.state() == self.model
        for versions in self.model.entries.values():
            assert [version.number for version in versions] == list(range(1, len(versions) + 1))
        live = {versions[-1].question for versions in self.model.entries.values() if not versions[-1].removed}
        pairs = [pair.question for pair in self.real.stores.documents.pairs()]
        assert sorted(pairs) == sorted(live), "what students are answered from is the newest versions"


@pytest.mark.fault(case="T53")
class TestTwoEditors(TwoEditors.TestCase):
    """Random programs of two editors."""

    settings = settings(
        max_examples=examples(25),
        stateful_step_count=15,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.fault(case="T53")
def test_the_model_tells_orders_apart() -> None:
    """The two orders of an edit and a removal of one version end differently, so a mixture is found."""
    entry = [Version(1, "q", "a", (), "ann", False)]
    edit = Operation("edit", "ann", "e", 1, FaqDraft(question="q2", answer="b"))
    delete = Operation("delete", "bo", "e", 1)
    told = []
    for order in ((edit, delete), (delete, edit)):
        model = Model({"e": list(entry)})
        told.append([model.apply(operation) for operation in order])
        assert len(model.entries["e"]) == 2
    assert told == [["done", "conflict"], ["done", "conflict"]]
