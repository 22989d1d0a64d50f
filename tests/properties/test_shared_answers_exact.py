"""Whatever was edited before, an answer from a cache is the answer of a platform that has just started."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path

import factories as make
import pytest
from filelock import FileLock
from small_platform import SmallPlatform

from knowledge.index.embedded import EmbeddedIndex
from services.indexing.stored_knowledge import StoredKnowledge
from vta.dialogue.assistant import Assistant
from vta.types.answers import Answer
from vta.types.concepts import AddConcept
from vta.types.courses import Course, CourseId
from vta.types.documents import CourseDocument
from vta.types.pairs import Source
from vta.types.questions import Question

IDS = (CourseId("a"), CourseId("b"))
WORDS = ("stack", "queue", "heap", "二叉树", "红黑树")
STEPS = 12
QUESTIONS = ("What is a heap?", "stack or queue", "什么是红黑树？", "二叉树有什么用？")


def new_course(id: CourseId) -> Course:
    return make.course(id, "cs", name=id.upper())


class Edits:
    """Edits of both courses, each drawn by chance."""

    def __init__(self, small: SmallPlatform, chance: random.Random) -> None:
        self._small, self._chance, self._number = small, chance, 0

    def make_one(self) -> None:
        kinds: list[Callable[[CourseId], object]] = [
            self._put,
            self._put,
            self._put,
            self._remove,
            self._rename,
            self._lend,
            self._take,
            self._name_platform_graph,
            self._threshold,
            self._concept,
            self._again,
        ]
        self._number += 1
        self._chance.choice(kinds)(self._chance.choice(IDS))

    def _text(self) -> str:
        return f"A {self._chance.choice(WORDS)} is {self._chance.choice(WORDS)} number {self._number}。"

    def _put(self, id: CourseId) -> None:
        path, word = f"{self._chance.randrange(4)}", self._chance.choice(WORDS)
        source = self._chance.choice((Source.FAQ, Source.MATERIAL))
        pair = make.pair(f"What is a {word}?", self._text(), id=f"{id}{path}", course=id, source=source)
        pair = replace(pair, document=path)
        concept = make.concept(word, course=id, definition=self._text(), domains=("cs",), curated=True)
        concepts = (concept,) if self._chance.random() < 0.4 else ()
        document = CourseDocument(path=path, sha256=str(self._number), pairs=(pair,), concepts=concepts)
        self._small.documents.apply(id, put=[document])

    def _remove(self, id: CourseId) -> None:
        self._small.documents.apply(id, put=(), remove=[str(self._chance.randrange(4))])

    def _rename(self, id: CourseId) -> None:
        domains = self._chance.choice((("cs",), ("cs", "maths")))
        self._small.courses.edit(id, name=f"{id} {self._number}", domains=domains)

    def _change(self, id: CourseId, **changes: object) -> None:
        self._small.stores.settings.change(id, lambda found: replace(found, **changes))

    def _lend(self, id: CourseId) -> None:
        self._change(id, shares_concepts=self._chance.random() < 0.5)

    def _take(self, id: CourseId) -> None:
        self._change(id, takes_concepts=self._chance.random() < 0.5)

    def _threshold(self, id: CourseId) -> None:
        self._change(id, beta=self._chance.choice((None, 0.5, 0.9)))

    def _name_platform_graph(self, id: CourseId) -> None:
        self._small.courses.name_platform_graph(id, is_platform_graph=self._chance.random() < 0.3)

    def _concept(self, id: CourseId) -> None:
        name = f"{self._chance.choice(WORDS)} {self._number}"
        self._small.stores.edits.record(id, AddConcept(name=name, definition=self._text()))

    def _again(self, id: CourseId) -> None:
        self._small.courses.remove(id)
        self._small.courses.add(new_course(id))


def start(small: SmallPlatform, index: Path) -> tuple[Assistant, StoredKnowledge]:
    """What a process over these stores and this index answers with."""
    process = copy(small)
    process.knowledge = StoredKnowledge(
        courses=small.courses,
        documents=small.documents,
        edits=small.stores.edits,
        index=EmbeddedIndex(index),
        alone=lambda: FileLock(f"{index}.lock"),
        patience_s=60.0,
    )
    return process.assistant(), process.knowledge


def said(answer: Answer) -> object:
    """An answer without what each turn has of its own."""
    steps = tuple((step.stage, step.decision) for step in answer.trace)
    return replace(answer, turn_id="", session_id="", trace=()), steps


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", range(3))
async def test_a_cached_answer_is_a_fresh_one(tmp_path: Path, seed: int, workers: int) -> None:
    """After each of many edits of two courses, in every process; and answers were shared meanwhile."""
    small, chance = SmallPlatform(tmp_path / "small"), random.Random(seed)
    for id in IDS:
        small.courses.add(new_course(id))
    started = [start(small, tmp_path / "index") for _ in range(workers)]
    edits, shared = Edits(small, chance), 0
    for step in range(STEPS):
        edits.make_one()
        fresh, own = start(small, tmp_path / f"fresh{step}")
        for id in IDS:
            for text in QUESTIONS:
                question = Question(course_id=id, text=text)
                right = said(await fresh.answer(question))
                for assistant, _ in started:
                    before = len(small.intents.told)
                    assert said(await assistant.answer(question)) == right, (step, id, text)
                    shared += len(small.intents.told) == before
        own.close()
    for _, knowledge in started:
        knowledge.close()
    small.stores.close()
    assert shared > STEPS * workers


def test_an_edit_of_a_course_that_lends_is_a_new_version(tmp_path: Path) -> None:
    """The words stay the same, so that only the revision of the lender tells; others do not count."""
    small = SmallPlatform(tmp_path / "small")
    for id in IDS:
        small.courses.add(new_course(id))
    taker, lender = IDS
    small.stores.settings.change(taker, lambda found: replace(found, takes_concepts=True))
    _, knowledge = start(small, tmp_path / "index")

    def version_after(definition: str) -> object:
        concept = make.concept("heap", course=lender, definition=definition, domains=("cs",))
        document = CourseDocument(path="heap", sha256=definition, pairs=(), concepts=(concept,))
        small.documents.apply(lender, put=[document])
        return knowledge.current().version_of(small.courses.course(taker))

    for lends in (False, True):
        small.stores.settings.change(lender, lambda found, lends=lends: replace(found, shares_concepts=lends))
        before = version_after(f"The largest is on top, {lends}.")
        assert (version_after(f"The smallest is on top, {lends}.") != before) is lends
    knowledge.close()
    small.stores.close()
