"""The test questions of a course by HTTP, and their last runs."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints
from pydantic.config import JsonDict

from services.people.course_keys import CourseInstructor, Name
from services.test_questions.store import LONGEST, CourseTest, Run
from services.web.problems import problems
from services.web.schemas import RequestModel, plain_text
from services.web.serving import Served, ThreadedRouter
from vta.dialogue.question import LONGEST_QUESTION

Line = Annotated[str, plain_text(LONGEST)]
_EXAMPLE: JsonDict = {"question": "What is a stack?", "place": "notes/stack.md", "words": ["top"]}


class CourseTestIn(RequestModel, json_schema_extra={"examples": [_EXAMPLE]}):
    """A question, and what its answer must have: a first citation of a place, words in its text, or both."""

    question: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]
    place: Line = Field(
        default="",
        description='A file, "FILE#HEADING", "/faq-ID" for an FAQ entry, or "/fact-ID" for a course fact.',
    )
    words: Annotated[tuple[Line, ...], Field(max_length=LONGEST)] = ()


class CourseTestsOut(BaseModel):
    """The test questions, the last run, and the last one before it that came out otherwise.

    `waits` says that a run is due or under way.
    """

    tests: tuple[CourseTest, ...]
    runs: tuple[Run, ...]
    waits: bool


router = ThreadedRouter(
    prefix="/v1/courses/{course}/test-questions",
    tags=["test questions"],
    responses=problems({404: "No such course."}),
)


@router.get("")
def list_test_questions(platform: Served, who: CourseInstructor) -> CourseTestsOut:
    """The test questions of a course with their last runs, which use no language model."""
    waits = platform.test_runs.waits(who.course_id)  # first: a run that ends now is read below
    known = platform.stores.test_questions.read(who.course_id)
    return CourseTestsOut(tests=known.tests, runs=known.runs, waits=waits)


@router.post("", status_code=201)
def keep_test_question(body: CourseTestIn, platform: Served, who: CourseInstructor) -> CourseTest:
    """Keep a test question in the place of the one that asks the same; a run follows by itself."""
    given = CourseTest(**dict(body), made_by=who.name)
    return platform.stores.test_questions.keep(who.course_id, given)


@router.post("/run", status_code=202)
def run_test_questions(platform: Served, who: CourseInstructor) -> CourseTestsOut:
    """Ask for a run, which begins within seconds; after it `waits` is false."""
    platform.stores.test_questions.ask_for_run(who.course_id)
    return list_test_questions(platform, who)


@router.delete("/{test}", status_code=204)
def remove_test_question(test: Name, platform: Served, who: CourseInstructor) -> None:
    """Remove a test question, if it is there."""
    platform.stores.test_questions.remove(who.course_id, test)
