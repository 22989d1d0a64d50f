"""Every page of the console, and each of its states, opened one after another in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from threading import Event
from typing import Any

import month_of_use
from console_client import page_addresses
from playwright.sync_api import FilePayload, Locator, Page
from sqlalchemy import select

from services.demo.sample_courses import create_demo_courses
from services.documents.weeks import Week
from services.materials.ingest_store import Job
from services.materials.ingests import Task
from services.materials.site_store import Every, SiteChanges, SiteReading
from services.people.invitations import Maker
from services.people.store import CourseRole, PlatformRole
from services.store import tables
from services.wiring import Platform
from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import Course, CourseId, Role
from vta.types.faq import FaqDraft
from vta.types.inbox import Feedback, QuestionState
from vta.types.questions import Question

COURSES = {Language.ZH: CourseId("data-structures-zh"), Language.EN: CourseId("machine-learning-en")}
ASKED = {
    Language.ZH: (
        "期中考试考到哪一章？",
        "期中考试考到哪一章呢？",
        "怎样获得课程证书？",
        "什么是栈？",
        "考试可以带计算器吗？",
        "计算器能不能带进考场？",
        "拿破仑的厨师是谁？",
        "队列和栈有什么区别？",
    ),
    Language.EN: (
        "Which chapters does the midterm cover?",
        "Which chapters does the mid term cover?",
        "How do I get a certificate?",
        "What is overfitting?",
        "May I use a calculator in the exam?",
        "Is a calculator allowed in the exam?",
        "Who was Napoleon's cook?",
        "Why does regularisation help against overfitting?",
    ),
}
HANDED_ON = (0, 1, 2, 5, 6)
ENTRIES = {
    Language.ZH: FaqDraft(
        question="可以带计算器吗？",
        answer="可以，但不能带有编程功能的。",
        similar_questions=("考试允许用计算器吗？",),
    ),
    Language.EN: FaqDraft(
        question="Can I bring a calculator?",
        answer="Yes, but none that can be programmed.",
        similar_questions=("Are calculators allowed?",),
    ),
}
SETTINGS: dict[Language, dict[str, Any]] = {
    Language.ZH: {
        "refusal": "课程里没有写到，请到论坛提问。",
        "origins": ("https://learn.example",),
        "webhook_url": "https://learn.example/vta",
    },
    Language.EN: {
        "refusal": "The course does not say. Please ask in the forum.",
        "origins": ("https://learn.example",),
        "webhook_url": "https://learn.example/vta",
    },
}
REASONS = {Language.ZH: "这个问题属于另一门课程。", Language.EN: "This belongs to another course."}
NEW_ANSWERS = {Language.ZH: "不可以，考场会提供。", Language.EN: "No. The exam room has some."}
LATER_ANSWERS = {Language.ZH: "可以，但请先清除内存。", Language.EN: "Yes, but clear its memory first."}
TABLES = {
    Language.ZH: "问题,答案\n可以带计算器吗？,可以，任何型号都行。\n"
    "作业交到哪里？,交到课程网站。\n,没有问题的答案\n",
    Language.EN: 'question,answer\nCan I bring a calculator?,"Yes, any of them."\n'
    "Where do I hand in the homework?,On the course site.\n,An answer to nothing\n",
}
NOTES = {
    Language.ZH: "# 考试安排\n\n期末考试在第十八周进行，共两小时。\n",
    Language.EN: "# The exam\n\nThe exam is in week eighteen and takes two hours.\n",
}
CONCEPTS = {Language.ZH: ("栈", "队列"), Language.EN: ("overfitting", "pruning")}
WORDINGS = {Language.ZH: "什么是{}？", Language.EN: "What is {}?"}
PASSWORD = "correct horse battery"
PEOPLE = {Language.ZH: ("陈老师", "李老师"), Language.EN: ("Ann", "Bo")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """An instructor's way through the console of one sample course in its own language."""

    platform: Platform
    page: Page
    address: str
    language: Language

    @property
    def course(self) -> CourseId:
        return COURSES[self.language]

    def stops(self) -> Iterator[str]:
        """Opens every page in turn; gives the name of what is open now."""
        yield from self._log_in()
        yield from self._inbox()
        yield from self._faq()
        yield from self._import()
        yield from self._materials()
        yield from self._graph()
        yield from self._rest()
        yield from self._analytics()
        yield from self._faults()
        yield from self._empty_course()
        yield from self._people()

    def enter(self, course: CourseId) -> None:
        """Log in to a course from its log-in page, and read on in the tour's language."""
        key, _ = self.platform.stores.keys.make(course, Role.INSTRUCTOR)
        self._id("key").fill(key)
        self._id("name").fill(PEOPLE[self.language][0])
        with self.page.expect_navigation():
            self._id("log-in").click()
        self.page.goto(f"{self.address}/console/language/{self.language}?next=/console/{course}/inbox")

    def _log_in(self) -> Iterator[str]:
        self.page.goto(f"{self.address}/console/language/{self.language}?next=/console/log-in")
        yield "log-in"
        self._id("key").fill("vta_0")
        with self.page.expect_navigation():
            self._id("log-in").click()
        yield "log-in-wrong"
        self._open("inbox")
        self.enter(self.course)

    def _inbox(self) -> Iterator[str]:
        yield "inbox"
        self.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        yield "inbox-unfolded"
        group = self._id("group").filter(has_text=ASKED[self.language][5])
        group.get_by_test_id("answer").click()
        yield "answer"
        self._id("answer-text").fill(NEW_ANSWERS[self.language])
        self._id("keep-answer").click()
        yield "answer-template"
        self._id("answer-text").fill("")
        self._id("publish").click()
        yield "answer-refused"
        self._id("not-this").click()
        yield "answer-not-this"
        self._open("inbox/answered")
        yield "answered-none"
        stores = self.platform.stores
        waiting = stores.asked.all_questions(self.course, QuestionState.WAITING)
        stores.ta_queue.reject(self.course, [waiting[-1].id], reason=REASONS[self.language])
        self._open("inbox/rejected")
        yield "rejected"

    def _faq(self) -> Iterator[str]:
        words, faq = ENTRIES[self.language], self.platform.stores.faq
        self._open("faq")
        yield "faq"
        self._open("facts")
        yield "facts"
        self._open("faq?search=zzz")
        yield "faq-nothing-found"
        self._open("faq")
        self._id("choose").first.check()
        self._id("make-draft").click()
        yield "faq-confirm"
        self._id("confirm").click()
        yield "faq-changed"
        self._id("undo").click()
        yield "faq-undone"
        self._open("faq/new")
        yield "faq-new"
        self._id("question").fill(words.question)
        self._id("answer-text").fill(words.answer)
        self._id("save").click()
        yield "faq-taken"
        self._open("faq")
        self._id("entry").get_by_role("link").first.click()
        entry = faq.entries(self.course)[0]
        self._id("answer-text").fill(NEW_ANSWERS[self.language])
        self._id("replay").click()
        yield "replay"
        draft = FaqDraft(question=words.question, answer=LATER_ANSWERS[self.language])
        faq.edit(self.course, entry.id, draft, editor=PEOPLE[self.language][1], expected=entry.version)
        self._id("save").click()
        yield "conflict"
        self._id("save").click()
        yield "entry"
        self._id("remove").click()
        yield "faq-removed"
        self._open("faq?show=removed")
        yield "faq-removed-list"
        self._id("restore").last.click()
        self._id("roll-back").last.click()
        yield "entry-rolled-back"

    def _import(self) -> Iterator[str]:
        self._open("faq/import")
        yield "import-begun"
        self._upload("table", ("faq.csv", "no,columns\n1,2\n"))
        self._id("try").click()
        yield "import-refused"
        self._upload("table", ("faq.csv", TABLES[self.language]))
        self._id("try").click()
        yield "import"
        self._id("confirm").click()
        yield "import-done"

    def _materials(self) -> Iterator[str]:
        week = Week(path="week-3", name="3", opens="2026-12-03", review=True)
        self.platform.materials.set_week(self.course, week.path, week)
        self._open("materials")
        yield "materials"
        self._keep_sites()
        self._open("materials")
        yield "materials-sites"
        self._open("inbox")
        yield "inbox-sites"
        for each in self.platform.stores.sites.sites(self.course):
            self.platform.stores.sites.remove(self.course, each.address)
        self._open("materials")
        self._upload("files", ("notes.exe", "MZ"))
        self._id("upload").click()
        yield "materials-refused"
        with self._nothing_read():
            self._upload("files", ("exam.md", NOTES[self.language]), ("broken.csv", "no,columns\n1,2\n"))
            self._id("upload").click()
            yield "ingest-running"
        self._id("ingested").wait_for()
        yield "ingest"
        self._id("open-file").first.click()
        yield "material"
        self._id("switch-off").first.click()
        yield "material-off"
        self._open("materials/file?path=exam.md&search=zzz")
        yield "material-nothing-found"
        self._open("materials/removed")
        yield "removed-files-none"
        self._open("materials")
        self._upload("files", ("exam.md", NOTES[self.language] * 2))
        self._id("upload").click()
        self._id("planned").wait_for()
        yield "upload-plan"
        path = self.platform.materials.documents(self.course)[0].path
        self.platform.materials.remove(self.course, path)
        self._open(f"materials?removed={path}")
        yield "materials-removed"
        self._open("materials/removed")
        yield "removed-files"
        self.platform.materials.restore(self.course, [path])

    def _keep_sites(self) -> None:
        """Two websites are read again: one has changed, the other cannot be read."""
        sites = self.platform.stores.sites
        waiting = self.platform.stores.waiting_uploads.add(self.course, {}, [])
        gone = Fault("website.unreachable", address="https://b.example/", reason="status: 404")
        for address, found in (
            ("https://a.example/notes/", SiteReading(changes=SiteChanges(3, 2, 1, 0), plan=waiting)),
            ("https://b.example/", SiteReading(fault=gone)),
        ):
            sites.keep(self.course, address, Every.WEEK)
            (kept,) = (each for each in sites.sites(self.course) if each.address == address)
            sites.record(kept, found)

    def _graph(self) -> Iterator[str]:
        name, other = CONCEPTS[self.language]
        self._open("graph")
        yield "graph"
        self._id("wrong").last.click()
        self._id("told").wait_for()
        yield "concept-wrong"
        self._id("undo").click()
        self.page.locator("[data-state=reject]").wait_for(state="detached")
        self._open("graph?search=nothing")
        yield "no-such-concepts"
        self._open(f"graph/concept?name={name}")
        yield "concept"
        self._id("prerequisite").fill(other)
        with self.page.expect_navigation():
            self._id("link").click()
        yield "concept-refused" if self._id("fault").count() else "concept-changed"
        self._open(f"graph/concept?name={other}")
        self._id("definition").fill(self._id("definition").input_value() + " ")
        self._id("explain").click()
        self._open("graph/edits")
        yield "graph-edits"
        self._open("graph/model")
        yield "graph-by-model"
        self._open("graph/seeds")
        yield "seeds"

    def _rest(self) -> Iterator[str]:
        self._open("settings")
        yield "settings"
        self._id("beta").fill("-1")
        self._id("save").first.click()
        yield "settings-refused"
        self._id("webhook-url").fill("https://learn.example/vta")
        self._id("save-webhook").click()
        self._id("new-secret").wait_for()
        yield "settings-new-secret"
        self._id("make-key").click()
        self._id("new-key").wait_for()
        yield "settings-new-key"
        self._open("settings/notices")
        yield "notices"
        self._id("recipients").fill("ta")
        self._id("save").click()
        yield "notices-refused"
        self._open("preview")
        yield "preview-begun"
        self._id("question").fill(ASKED[self.language][2])
        self._id("ask").click()
        yield "preview"
        self._id("keep-test").click()
        self._id("saved").wait_for()
        yield "test-questions"

    def _analytics(self) -> Iterator[str]:
        self._open(f"analytics?from={date(2025, 1, 1)}&to={date(2025, 1, 2)}")
        yield "analytics-too-few"
        use_for_a_month(self.platform, self.language)
        month_ago = datetime.now(UTC).date() - timedelta(days=30)  # the usual days were counted before
        self._open(f"analytics?from={month_ago}")
        yield "analytics"
        self._open(f"conversations?from={date(2025, 1, 1)}&to={date(2025, 1, 2)}")
        yield "conversations-none"
        self._id("nav-conversations").click()
        yield "conversations"
        self._id("open").first.click()
        yield "conversation"
        self._id("hand-on").first.click()
        self._id("handed-on").wait_for()
        yield "conversation-handed-on"
        self._open(f"analytics/review?day={datetime.now(UTC).date()}")
        self._id("sampled").first.get_by_role("radio").first.check()
        self._id("save").first.click()
        self.page.evaluate("scrollTo(0, 0)")
        yield "review"
        self._open(f"analytics/review?day={date(2025, 1, 1)}")
        yield "review-empty"

    def _faults(self) -> Iterator[str]:
        self._open("faq/no-such-entry")
        yield "not-found"
        self._open("faq/new")
        self.page.locator("main [name=csrf]").evaluate("(field) => { field.value = 'old'; }")
        self._id("question").fill("?")
        self._id("save").click()
        yield "refused"

    def _empty_course(self) -> Iterator[str]:
        course = CourseId(f"{self.course}-empty")
        names = {Language.ZH: "新课程", Language.EN: "A new course"}
        self.platform.stores.courses.add(
            Course(id=course, name=names[self.language], domains=("x",), language=self.language)
        )
        self.page.goto(f"{self.address}/console/{course}/inbox")
        self.enter(course)
        for part in page_addresses():
            self.page.goto(f"{self.address}/console/{course}/{part}")
            yield f"{part.replace('/', '-')}-of-a-new-course"

    def _people(self) -> Iterator[str]:
        stores, (inviting, invited) = self.platform.stores, PEOPLE[self.language]
        self.page.goto(f"{self.address}/console/log-in")
        self.enter(self.course)
        kim = Maker(course_id=self.course, key_id=stores.keys.make(self.course, Role.INSTRUCTOR)[1].id)
        secret = self.platform.people.invite(kim, CourseRole.INSTRUCTOR, name=invited, email="", by=inviting)
        self._id("log-out").click()
        self.page.goto(f"{self.address}/console/-/invitations/{secret}")
        yield "invitation"
        self._id("email").fill(f"{self.language}@uni.example")
        self._id("password").fill(PASSWORD)
        self._id("accept").click()
        person = stores.people.find(f"{self.language}@uni.example")
        assert person is not None
        stores.people.set_role(person.id, PlatformRole.ADMIN)
        third = stores.people.add(name=inviting, email=f"{self.language}-2@uni.example")
        stores.memberships.put(self.course, third.id, CourseRole.TA)
        self._open("people")
        yield "people"
        self._id("invite-ta").check()
        self._id("invite").click()
        yield "people-invited"
        self._id("switcher").click()
        yield "switcher"
        self._id("all-courses").click()
        yield "courses"
        self._id("new-course").click()
        yield "course-new"
        self._id("platform").click()
        yield "platform-courses"
        self._id("nav-people").click()
        yield "platform-people"
        new = f"{self.language}-3@uni.example"
        self._upload("table", ("people.csv", f"email,name,course,role\nx,X,,\n{new},New,,\n"))
        self._id("look").click()
        yield "people-table"
        self._id("accept").click()
        yield "people-table-done"
        self._id("nav-people").click()
        self._id("reset-password").first.click()
        yield "platform-people-link"
        self._id("nav-lti").click()
        yield "platform-lti"
        self._id("nav-log").click()
        self._id("logged").first.wait_for()
        yield "platform-log"
        self._open("settings/log")
        yield "log"
        self._open("settings/course")
        yield "course"
        self._id("archive").click()
        yield "course-archived"
        self._id("archive").click()
        self._id("account").click()
        yield "account"
        self._id("status").click()
        yield "status"
        link = stores.invitations.make_password_link(person.id)
        self.page.goto(f"{self.address}/console/-/passwords/{link}")
        yield "password"

    def _id(self, name: str) -> Locator:
        return self.page.get_by_test_id(name)

    def _open(self, part: str) -> None:
        self.page.goto(f"{self.address}/console/{self.course}/{part}")

    def _upload(self, field: str, *files: tuple[str, str]) -> None:
        self._id(field).set_input_files(
            files=[
                FilePayload(name=name, mimeType="application/octet-stream", buffer=text.encode())
                for name, text in files
            ]
        )

    @contextmanager
    def _nothing_read(self) -> Iterator[None]:
        """Another ingest of the course is under way meanwhile, so those that are begun wait for it."""
        ended = Event()
        job = Job(id="before", course_id=self.course, total=1)
        self.platform.materials._queue.add(Task(job=job, run=partial(_wait, ended), drop=ended.set))
        try:
            yield
        finally:
            ended.set()


def _wait(ended: Event) -> None:
    ended.wait()


async def prepare(platform: Platform) -> None:
    """Both sample courses; students ask, hand some on and put a thumb down; one entry is written."""
    stores = platform.stores
    for _ in create_demo_courses(platform):
        pass
    for language, course in COURSES.items():
        stores.faq.add(course, [ENTRIES[language]], editor=PEOPLE[language][1])
        stores.settings.change(course, partial(replace, **SETTINGS[language]))
        for number, text in enumerate(ASKED[language]):
            answer = await platform.assistant.answer(Question(course_id=course, text=text))
            if number in HANDED_ON:
                stores.asked.ask_ta(course, answer.turn_id)
        thumb = Feedback(turn_id=answer.turn_id, rating="down", reason="hard_to_understand")
        stores.sessions.feedback(course, thumb)


def use_for_a_month(platform: Platform, language: Language) -> None:
    """Adds turns of the thirty days before today; the concepts that they are about are the course's."""
    course = COURSES[language]
    graph = platform.knowledge.current().graph
    names = [concept.name for concept in graph.concepts(course) if concept.definition]
    about = dict(zip((*month_of_use.TOPICS, month_of_use.RARE_TOPIC), names, strict=False))
    later = datetime.now(UTC) - month_of_use.FIRST - timedelta(days=month_of_use.DAYS)
    rows: list[dict[str, Any]] = []
    for row in month_of_use.generate(1, 600):
        topic = about[row["topic"]]
        rows.append(
            row
            | {
                "turn": f"{course}-{row['turn']}",
                "session": f"{course}-{row['session']}",
                "asked": row["asked"] + timedelta(days=later.days),
                "topic": topic,
                "question": WORDINGS[language].format(topic),
                "concepts": [about[each] for each in row["concepts"]],
            }
        )
    with platform.stores.engine.connect() as connection:
        answer = connection.execute(select(tables.turns.c.answer).limit(1)).scalar_one()
    month_of_use.store(platform.stores.engine, course, rows, answer)
