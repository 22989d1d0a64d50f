"""Courses in memory, as hypothesis thinks of them and as the tests write them, for course files."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

from hypothesis import strategies as st

from services.archive.backups import temporary_store
from services.archive.courses import open_course, save_course
from services.clock import SystemClock
from services.courses.settings_store import LARGEST, MOST_TOKENS, CourseSettings
from services.courses.transfer import CourseContent, KeptEntry, SqlCourseTransfer
from services.documents.weeks import Week
from services.store.schema import upgrade_schema
from services.test_questions.store import CourseTest, clean
from vta.faq import clean_draft, comparison_key
from vta.languages import Language
from vta.text import normalise
from vta.types.concepts import (
    AddConcept,
    Concept,
    ConceptEdge,
    ExplainConcept,
    LinkConcepts,
    MergeConcepts,
    RecordedEdit,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)
from vta.types.courses import ConceptId, Course, CourseId, FaqId, PairId
from vta.types.documents import CourseDocument
from vta.types.facts import CourseFacts, Fact, FactKind
from vta.types.faq import FaqDraft
from vta.types.pairs import Locator, QAPair, Source

DS = CourseId("ds")
MADE = datetime(2025, 3, 1, 8, 0, 0, 123456, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Content:
    """A `CourseContent` that holds what it is given."""

    course: Course
    settings: CourseSettings = field(default_factory=CourseSettings)
    held_documents: tuple[CourseDocument, ...] = ()
    held_entries: tuple[KeptEntry, ...] = ()
    held_edits: tuple[RecordedEdit, ...] = ()
    facts: CourseFacts = field(default_factory=CourseFacts)
    tests: tuple[CourseTest, ...] = ()
    weeks: tuple[Week, ...] = ()

    @classmethod
    def of(cls, content: CourseContent) -> Content:
        """All that another content holds, so that it can be compared."""
        return cls(
            course=content.course,
            settings=content.settings,
            held_documents=tuple(content.documents()),
            held_entries=tuple(content.entries()),
            held_edits=tuple(content.edits()),
            facts=content.facts,
            tests=content.tests,
            weeks=content.weeks,
        )

    def documents(self) -> Iterator[CourseDocument]:
        return iter(self.held_documents)

    def entries(self) -> Iterator[KeptEntry]:
        return iter(self.held_entries)

    def edits(self) -> Iterator[RecordedEdit]:
        return iter(self.held_edits)


def written(content: CourseContent) -> bytes:
    """The course file of a content."""
    with tempfile.TemporaryDirectory() as folder, temporary_store(home := Path(folder)) as own:
        upgrade_schema(own)
        SqlCourseTransfer(own, SystemClock()).add(content, editor="ann")
        save_course(own, content.course.id, file := Path(folder, "course.zip"), home)
        return file.read_bytes()


def read(data: bytes, as_id: str | None = None) -> Content:
    """The content of a course file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "course.zip")
        file.write_bytes(data)
        with open_course(file, file.parent, as_id=None if as_id is None else CourseId(as_id)) as (found, _):
            return Content.of(found)


def members(data: bytes) -> dict[str, bytes]:
    """The members of a course file, by name."""
    with ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


SMALL = Content(
    weeks=(Week(path="week-2", name="第二周", opens="2027-03-08T08:00"),),
    tests=(
        clean(
            CourseTest(
                question="作业什么时候交？",
                place="/faq-" + "f" * 32,
                words=("周五",),
                made_at=datetime(2026, 11, 1, 8, tzinfo=UTC),
            )
        ),
        clean(CourseTest(question="什么是栈？", place="notes/stack.md#栈")),
    ),
    facts=CourseFacts(
        time_zone="Asia/Shanghai",
        facts=(Fact(id="f1", kind=FactKind.EXAM, name="期末考试", begins="2027-01-12T09:00"),),
    ),
    course=Course(
        id=DS,
        name="数据结构",
        domains=("计算机", "maths"),
        language=Language.ZH,
        relevance=0.7,
        alpha=0.4,
        beta=1.25,
        refusal="课程里没有写到。",
        tone="多举例。",
    ),
    settings=CourseSettings(
        relevance=0.7,
        alpha=0.4,
        beta=1.25,
        refusal="课程里没有写到。",
        origins=("https://learn.example",),
        hints=False,
        greeting="Hi.",
        starters=("Why?",),
        tone="多举例。",
        assistant="小栈",
        model="m-2",
        daily_tokens=0,
        research="How students ask.",
    ),
    held_documents=(
        CourseDocument(
            path="/graph/built",
            sha256="0" * 64,
            concepts=(
                Concept(id=ConceptId("ds:栈"), name="栈", aliases=("stack",), courses=(DS,), built=True),
                Concept(id=ConceptId("ds:表"), name="表", definition="一串元素。", courses=(DS,), score=0.5),
            ),
            edges=(
                ConceptEdge(prerequisite=ConceptId("ds:表"), concept=ConceptId("ds:栈"), evidence=("a",)),
            ),
        ),
        CourseDocument(
            path="notes/stack.md",
            sha256="1" * 64,
            folder="notes",
            contents=(("notes/stack", "栈"), ("notes/queue", "")),
            pairs=(
                QAPair(
                    id=PairId("0123456789abcdef0123"),
                    course_id=DS,
                    source=Source.MATERIAL,
                    question="栈 > 撤销",
                    answer="最后做的最先撤销。\u2028\n",
                    domains=("计算机", "maths"),
                    document="notes/stack.md",
                    locator=Locator(heading_path=("栈", "撤销")),
                ),
                QAPair(
                    id=PairId("0123456789abcdef0124"),
                    course_id=DS,
                    source=Source.MATERIAL,
                    question="第三讲",
                    answer="栈顶。",
                    locator=Locator(video="03.srt", start_s=0.0, end_s=12.25),
                ),
            ),
        ),
    ),
    held_entries=(
        KeptEntry(
            id=FaqId("f" * 32),
            draft=FaqDraft(
                question="什么时候交作业？",
                answer="周五。",
                similar_questions=("作业几号交",),
                negative_questions=("考试几号",),
            ),
            created_at=MADE,
        ),
    ),
    held_edits=(
        RecordedEdit(
            course_id=DS, number=3, edit=AddConcept(name="跳表", aliases=("skip list",)), created_at=MADE
        ),
        RecordedEdit(
            course_id=DS, number=7, edit=LinkConcepts(prerequisite="表", concept="栈"), created_at=MADE
        ),
    ),
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.one_of(st.sampled_from(["栈", "Stack", "表"]), texts.filter(lambda text: bool(normalise(text))))
shares = st.floats(0, 1)
seconds = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
many = st.lists(texts, max_size=3).map(tuple)
moments = st.datetimes(datetime(1971, 1, 1), datetime(2900, 1, 1), timezones=st.just(UTC))
locators = st.builds(
    Locator,
    heading_path=many,
    page=st.one_of(st.none(), st.integers(-(2**40), 2**40)),
    video=st.one_of(st.none(), texts),
    start_s=seconds,
    end_s=seconds,
)
paths = st.from_regex(r"[a-z栈 .]{0,5}/?[a-z]{1,5}\.md", fullmatch=True).filter(
    lambda path: not path.startswith("/") and ".." not in path.split("/")
)
edit_shapes = st.one_of(
    st.builds(AddConcept, name=names, aliases=many, definition=texts, domains=many),
    st.builds(RejectConcept, concept=names),
    st.builds(RenameConcept, concept=names, name=names),
    st.builds(MergeConcepts, concept=names, other=names),
    st.builds(ExplainConcept, concept=names, definition=texts),
    st.builds(LinkConcepts, prerequisite=names, concept=names, evidence=texts),
    st.builds(UnlinkConcepts, prerequisite=names, concept=names),
)


_TITLES = names.map(lambda text: " ".join(text.replace("\x00", "").split())).filter(bool)


@st.composite
def contents(draw: st.DrawFn) -> Content:
    """A course with anything that a store can hold of it."""
    course_id = CourseId(draw(st.sampled_from(["ds", "course-v1:a@b", "数"])))
    course = Course(
        id=course_id,
        name=draw(_TITLES),
        domains=tuple(draw(st.lists(_TITLES, min_size=1, max_size=3, unique=True))),
        language=draw(st.sampled_from(Language)),
        relevance=draw(st.one_of(st.none(), shares)),
        alpha=draw(st.one_of(st.none(), shares)),
        refusal=draw(st.one_of(st.none(), st.sampled_from(("?", "课程里没有写到。")))),
        tone=draw(st.one_of(st.none(), st.sampled_from(("?", "多举例。")))),
        beta=draw(st.one_of(st.none(), st.floats(0, 100, exclude_min=True))),
    )
    ids = draw(st.lists(st.from_regex(r"[0-9a-f]{20}", fullmatch=True), max_size=4, unique=True))
    keys = draw(st.lists(names.map(normalise), min_size=1, max_size=4, unique=True))
    places = sorted(draw(st.sets(paths, max_size=3)) | draw(st.sets(st.just("/graph/imported"))))
    documents = [
        CourseDocument(
            path=path,
            sha256=draw(texts),
            folder=draw(texts),
            pairs=tuple(draw(_pairs(course_id, id)) for id in ids[n :: len(places)]),
            concepts=tuple(draw(_concepts(course_id, key)) for key in keys),
            edges=tuple(draw(st.lists(_edges(course_id, keys), max_size=2))),
        )
        for n, path in enumerate(places)
    ]
    drafts = {
        comparison_key(draft.question): draft
        for draft in draw(
            st.lists(
                st.builds(FaqDraft, question=names, answer=names, similar_questions=st.tuples(names)),
                max_size=3,
            )
        )
    }
    times = sorted(draw(st.lists(moments, min_size=len(drafts), max_size=len(drafts))))
    numbers = sorted(draw(st.sets(st.integers(1, 10**6), max_size=3)))
    return Content(
        course=course,
        settings=CourseSettings(
            **{name: getattr(course, name) for name in (*LARGEST, "refusal", "tone")},
            assistant=draw(st.one_of(st.none(), st.sampled_from(("Bo", "小栈")))),
            model=draw(st.one_of(st.none(), st.just("m-2"))),
            daily_tokens=draw(st.one_of(st.none(), st.integers(0, MOST_TOKENS))),
            origins=draw(st.sampled_from([(), ("https://a.example", "http://localhost:8080")])),
            hints=draw(st.booleans()),
        ),
        held_documents=tuple(documents),
        held_entries=tuple(
            KeptEntry(id=FaqId(f"{n:032x}"), draft=clean_draft(drafts[key]), created_at=made)
            for n, (key, made) in enumerate(zip(drafts, times, strict=True))
        ),
        held_edits=tuple(
            RecordedEdit(course_id=course_id, number=n, edit=draw(edit_shapes), created_at=draw(moments))
            for n in numbers
        ),
    )


def _pairs(course_id: CourseId, id: str) -> st.SearchStrategy[QAPair]:
    return st.builds(
        QAPair,
        id=st.just(PairId(id)),
        course_id=st.just(course_id),
        source=st.sampled_from(Source),
        question=texts,
        answer=texts,
        domains=many,
        document=st.one_of(st.none(), texts),
        locator=locators,
        url=st.sampled_from([None, "https://a.example/?q=栈"]),
        similar_questions=many,
        negative_questions=many,
    )


def _concepts(course_id: CourseId, key: str) -> st.SearchStrategy[Concept]:
    return st.builds(
        Concept,
        id=st.just(ConceptId(f"{course_id}:{key}")),
        name=names,
        aliases=many,
        definition=texts,
        domains=many,
        courses=st.just((course_id,)),
        score=shares,
        curated=st.booleans(),
        built=st.booleans(),
        first_seen=st.one_of(st.none(), texts),
        locator=locators,
        document=st.one_of(st.none(), texts),
    )


def _edges(course_id: CourseId, keys: list[str]) -> st.SearchStrategy[ConceptEdge]:
    ends = st.sampled_from(keys).map(lambda key: ConceptId(f"{course_id}:{key}"))
    return st.builds(
        ConceptEdge, prerequisite=ends, concept=ends, score=shares, evidence=many, curated=st.booleans()
    )
