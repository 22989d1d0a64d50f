"""No sentence or name of a passage that is withheld is read anywhere, in whatever order things are done.

`ORDERS=2000 pytest tests/functional/test_withheld.py` tries so many orders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from examples import examples
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from served_platform import Build, Serve

from concept_graph.model_graph import SectionReply, Taught, read_reply
from services.app import create_app
from services.dialogue.lookup import look_up
from services.documents.rows import SECTIONS
from services.documents.weeks import Week
from services.graph.files import graph_document
from services.reading.readers import build_readers
from services.wiring import Platform
from vta.dialogue.concepts import teach_steps
from vta.errors import VtaError
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.types.concepts import AddConcept, LinkConcepts
from vta.types.courses import Course, CourseId, Role
from vta.types.facts import CourseFacts
from vta.types.pairs import Source

CANARY = re.compile(r"canary[a-z]+\d+v\d+", re.IGNORECASE)
FILES = ("week1.md", "week2.md", "week3.md")
LATER = datetime.now(UTC) + timedelta(days=900)
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
NUMBER = count()


def text(file: int, version: int) -> str:
    """A file of two passages, whose every name and sentence has a word of its own."""
    mark = f"{file}v{version}"
    return (
        f"# Canaryname{mark} trees\n\n"
        f"A canaryname{mark} tree is a balanced tree whose canarysecret{mark} nodes hold exactly seven keys. "
        f"A canaryname{mark} tree is a search tree of the heap.\n\n"
        f"## Canaryheap{mark} heaps\n\n"
        f"A canaryheap{mark} heap is a canaryname{mark} tree with the canaryleast{mark} key on top.\n"
    )


def canaries(words: str) -> set[str]:
    return {each.lower() for each in CANARY.findall(words)}


class Term:
    """A course and, once it is copied, its copy, which takes the concepts of the first."""

    def __init__(self, platform: Platform, client: TestClient, folder: Path) -> None:
        self.platform, self.client, self.folder = platform, client, folder
        self.folder.mkdir()
        self.ids = [CourseId(f"term{next(NUMBER)}")]
        self.versions = [0, 0, 0]
        self.accepted, self.confirmed = set[str](), set[str]()
        course = Course(id=self.ids[0], name="Trees", domains=("trees",), language=Language.EN)
        platform.stores.courses.add(replace(course, shares_concepts=True))
        for file in range(len(FILES)):
            self.put(file)
        self.build(0)

    def put(self, file: int) -> None:
        """Put the next version of a file in its place; a name that a person accepted is theirs then."""
        gone = f"{file}v{self.versions[file]}"
        self.confirmed |= {each for each in self.accepted if each.endswith(gone)}
        self.versions[file] += 1
        self.folder.joinpath(FILES[file]).write_text(text(file, self.versions[file]), encoding="utf-8")
        course, documents = self.platform.stores.courses.course(self.ids[0]), self.platform.stores.documents
        given = [self.folder / FILES[file]]
        ingest(given, course=course, readers=build_readers(), documents=documents, base=self.folder)

    def build(self, file: int) -> None:
        self.platform.graphs.build(self.ids[-1])

    def model_read(self, file: int) -> None:
        """A language model reads every section, says all that it can, and the graph is built of that."""
        documents, course = self.platform.stores.documents, self.platform.stores.courses.course(self.ids[-1])
        for section in self.platform.graphs.sections(course.id):
            taught = [
                Taught(name=name, aliases=canaries(text), quote=text.partition("\n")[2], passage=n)
                for n, text in enumerate(section.texts, start=1)
                for name in canaries(text)
            ]
            found, _ = read_reply(SectionReply(concepts=tuple(taught), prerequisites=()), section, course)
            documents.apply(course.id, put=[graph_document(SECTIONS + section.digest, *found)])
        self.build(file)

    def accept(self, file: int) -> None:
        """Accept everything that the graph holds."""
        concepts, edges = self.platform.graphs.concepts(self.ids[-1])
        names = {each.id: each.name for each in concepts}
        self.accepted |= canaries(" ".join(names.values()))
        found = [AddConcept(name=e.name, definition=e.definition) for e in concepts if not e.curated]
        found += [
            LinkConcepts(
                prerequisite=names[e.prerequisite], concept=names[e.concept], evidence="\n".join(e.evidence)
            )
            for e in edges
            if not e.curated
        ]
        for each in found:
            self.platform.graphs.record(self.ids[-1], each, waits=False)
        self.platform.graphs.catch_up()

    def remove(self, file: int) -> None:
        self.platform.materials.remove(self.ids[-1], FILES[file])

    def restore(self, file: int) -> None:
        self.platform.materials.restore(self.ids[-1], [FILES[file]])

    def wait(self, file: int) -> None:
        self.platform.materials.release(self.ids[-1], [FILES[file]], LATER)

    def release(self, file: int) -> None:
        self.platform.materials.release(self.ids[-1], [FILES[file]], None)

    def week(self, file: int) -> None:
        """Let a file be a week of its own that is not open yet."""
        week = Week(path=FILES[file], name="Later", opens="2198-01-01")
        self.platform.materials.set_week(self.ids[-1], FILES[file], week)

    def open_week(self, file: int) -> None:
        self.platform.materials.set_week(self.ids[-1], FILES[file], None)

    def switch(self, file: int, on: bool = False) -> None:
        passages = self.platform.stores.passages.file(self.ids[-1], FILES[file]).passages
        self.platform.stores.passages.switch(self.ids[-1], FILES[file], [passages[-1].digest], on=on)

    def switch_on(self, file: int) -> None:
        self.switch(file, on=True)

    def copy(self, file: int) -> None:
        """Copy the course for the next term, once."""
        if len(self.ids) == 1:
            later, as_id = timedelta(weeks=26), CourseId(f"{self.ids[0]}-next")
            catalogue = self.platform.catalogue
            catalogue.copy(self.ids[0], as_id=as_id, name="Next term", later=later, editor="ann")
            self.ids.append(as_id)
            change = self.platform.course_settings.change
            change(as_id, lambda found: replace(found, takes_concepts=True, shares_concepts=False))

    def end(self) -> None:
        for each in self.ids:
            self.platform.catalogue.remove(each)

    def open_to(self, course: CourseId) -> set[str]:
        """What stands in the passages that a student of a course may read, or that another course lends."""
        lent = {course, self.ids[0]}
        pairs = (pair for each in lent for pair in self.platform.stores.documents.pairs(each))
        texts = (f"{p.question} {p.answer}" for p in pairs if p.source is Source.MATERIAL)
        return canaries(" ".join(texts))

    def read(self, course: CourseId) -> Iterator[tuple[str, str]]:
        """All that a student may be shown, each with where."""
        client = self.client
        yield "graph", client.get(f"/v1/courses/{course}/graph").text
        yield "page", client.get(f"/courses/{course}").text
        for file, version in enumerate(self.versions):
            names = [f"{word}{file}v{v} {kind}" for v in range(1, version + 1) for word, kind in NAMES]
            for name in names:
                study = client.get(f"/v1/courses/{course}/concepts/{name}")
                if study.status_code == 200:
                    yield "concept", study.text
                asked = f"What is a {name}?"
                body = {"question": asked, "mode": "answer"}
                yield "answer", without(asked, client.post(f"/v1/courses/{course}/dialogue", json=body).text)
                yield "prompt", without(asked, self.prompt(course, asked))

    def prompt(self, course: CourseId, asked: str) -> str:
        found = self.platform.stores.courses.course(course)
        known = look_up(self.platform, found, asked, top=9)
        candidates = known.ranking.candidates
        steps = teach_steps(known.asked.mentions, known.asked.knowledge.graph)
        built = self.platform.prompts.build(asked, steps=steps, candidates=candidates, language=Language.EN)
        return f"{built.reasoning}\n{built.prompt}"


NAMES = (("canaryname", "tree"), ("canaryheap", "heap"))


def without(asked: str, words: str) -> str:
    """A reply without what the question itself says."""
    return re.sub("|".join(canaries(asked)), "", words, flags=re.IGNORECASE)


WHAT = (
    *"build put model_read accept accept remove remove restore wait wait release".split(),
    *"week week open_week switch switch_on copy".split(),
)
STEPS = st.lists(st.tuples(st.sampled_from(WHAT), st.integers(0, 2)), min_size=1, max_size=8)


@pytest.fixture
def platform(build: Build) -> Platform:
    return build({}, limit_learner=0, limit_address=0, limit_course=0, limit_requests=0)


@pytest.mark.fault(case="T154")
def test_nothing_that_is_withheld_is_read(platform: Platform, tmp_path: Path) -> None:
    with TestClient(create_app(platform)) as client:

        @settings(
            max_examples=int(os.environ.get("ORDERS", examples(15))),
            deadline=None,
            suppress_health_check=QUIET,
        )
        @given(steps=STEPS)
        @example(steps=[("accept", 0), ("remove", 0), ("copy", 0)])
        def check(steps: list[tuple[str, int]]) -> None:
            term = Term(platform, client, tmp_path / f"given{next(NUMBER)}")
            for kind, file in steps:
                try:
                    getattr(term, kind)(file)
                except VtaError:
                    continue  # such as to restore what is there
            platform.knowledge.sync()
            for course in term.ids:
                allowed = term.open_to(course) | term.confirmed
                read: list[Any] = [(where, canaries(words) - allowed) for where, words in term.read(course)]
                assert [each for each in read if each[1]] == []
            term.end()

        check()


COMING = {
    "What is Bayes' rule?": "“Bayes' Rule” becomes part of the course on 30 November 2998, 16:00 (UTC).",
    "什么是贝叶斯公式？": "“贝叶斯公式”将于2998年11月30日 16:00（UTC）加入课程。",
}


@pytest.mark.parametrize("asked", COMING)
def test_a_question_for_the_title_of_a_file_that_waits_is_told_its_day(
    build: Build, tmp_path: Path, asked: str
) -> None:
    """Its title alone, where the course answers nothing; not once it is released."""
    platform = build({})
    course = Course(id=CourseId("prob"), name="Probability", domains=("probability",), language=Language.EN)
    platform.stores.courses.add(course)
    title = "Bayes' Rule" if asked.isascii() else "贝叶斯公式"
    waiting, other = tmp_path / "9-bayes.md", tmp_path / "other.md"
    waiting.write_text(f"# Lecture 9: {title}\n\n{title}: a canarya1v1 posterior is updated.\n", "utf-8")
    other.write_text("# Dice\n\nA die has six sides, and each is as likely as the next.\n", "utf-8")
    platform.materials.ingest(course, [waiting, other])
    with TestClient(create_app(platform)) as client:

        def answer(question: str) -> str:
            body = {"question": question, "mode": "answer"}
            return str(client.post("/v1/courses/prob/dialogue", json=body).json()["text"])

        for day in (LATER, datetime(2998, 12, 1, tzinfo=timezone(timedelta(hours=8)))):
            platform.materials.release(course.id, ["9-bayes.md"], day)
            told = answer(asked)
        assert told.endswith(f"\n\n{COMING[asked]}")
        assert not canaries(told)
        assert "2998" not in answer("What is a Poisson process?") + answer("How many sides has a die?")
        platform.materials.release(course.id, ["9-bayes.md"], None)
        assert "2998" not in answer(asked)


WEEK = {
    "Which colour has a canaryheap tree?": "“Week 5: Heaps” of this course opens on 3 December 2198.",
    "canaryheap 树是什么颜色？": "本课程的“Week 5: Heaps”将于2198年12月3日开放。",
}


@pytest.mark.parametrize("asked", WEEK)
def test_a_question_for_what_a_closed_week_teaches_is_told_its_name_and_day(
    build: Build, tmp_path: Path, asked: str
) -> None:
    """None of its words, also none that are guessed, and none of its day for what it does not teach, or once
    it is open.
    """
    platform = build({})
    course = Course(id=CourseId("trees"), name="Trees", domains=("trees",), language=Language.EN)
    platform.stores.courses.add(course)
    zone = CourseFacts(time_zone="Asia/Shanghai")
    platform.stores.facts.change(course.id, lambda found: zone)
    week = Week(path="week-5", name="Week 5: Heaps", opens="2198-12-03")
    platform.materials.set_week(course.id, week.path, week)
    (tmp_path / "week-5").mkdir()
    en, zh = "Canaryheap trees are canarysecret1v1 in colour.", "Canaryheap 树的颜色是 canarysecret1v1。"
    notes = f"# Notes\n\n## Canaryheap trees\n\n{en}\n\n## Canaryheap 树\n\n{zh}\n"
    (tmp_path / "week-5" / "heaps.md").write_text(notes, "utf-8")
    (tmp_path / "dice.md").write_text("# Dice\n\nA die has six sides, and each is as likely.\n", "utf-8")
    platform.materials.ingest(course, [tmp_path / "dice.md"])
    ingest(
        [tmp_path / "week-5" / "heaps.md"],
        course=course,
        readers=build_readers(),
        documents=platform.stores.documents,
        base=tmp_path,
    )
    platform.knowledge.sync()
    with TestClient(create_app(platform)) as client:

        def answer(question: str) -> str:
            body = {"question": question, "mode": "answer"}
            return str(client.post("/v1/courses/trees/dialogue", json=body).json()["text"])

        assert answer(asked).endswith(f"\n\n{WEEK[asked]}")
        assert not canaries(answer(asked).replace("canaryheap", ""))
        for other in (
            "Which colour has an oak leaf?",
            "How many sides has a die?",
            "Canaryheap canarysecret1v1",
        ):
            assert "2198" not in answer(other)
        platform.materials.set_week(course.id, week.path, replace(week, opens="2020-12-03"))
        assert "2198" not in answer(asked)
        assert "canarysecret1v1" in answer(asked)


@pytest.mark.fault(case="T154")
def test_the_graph_is_read_by_those_who_may_read_the_course(serve: Serve) -> None:
    """And by its instructors."""
    api = serve(open_sidebar=False)
    path = "/v1/courses/stacks-en/graph"
    assert api.client.get(path).status_code == 401
    assert api.client.get(path, headers=api.bearer(course="stacks-zh")).status_code == 403
    for headers in (api.learner(), api.bearer(), api.bearer(Role.PLATFORM)):
        assert api.client.get(path, headers=headers).status_code == 200
