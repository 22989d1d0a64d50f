"""The test questions of a course by HTTP, and their last runs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.config import JsonDict

from services.people.course_keys import CourseInstructor, Name
from services.test_questions.store import LONGEST_PLACE, LONGEST_WORD, MOST_WORDS, CourseTest, Run
from services.web.problems import problems
from services.web.serving import Served, ThreadedRouter
from services.wiring import Platform
from vta.dialogue.question import LONGEST_QUESTION
from vta.types.courses import CourseId

Place = Annotated[str, StringConstraints(max_length=LONGEST_PLACE, pattern=r"^[^\x00]*$")]
Word = Annotated[str, StringConstraints(max_length=LONGEST_WORD, pattern=r"^[^\x00]*$")]
_EXAMPLE: JsonDict = {"question": "What is a stack?", "place": "notes/stack.md", "words": ["top"]}


class CourseTestIn(BaseModel):
    """A question, and what its answer must have: a first citation of a place, words in its text, or both."""

    model_config = ConfigDict(
        extra="forbid", from_attributes=True, json_schema_extra={"examples": [_EXAMPLE]}
    )

    question: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]
    place: Place = Field(
        default="", description='The path of a file, "/faq-ID" for an FAQ entry, or "/fact-ID" for a fact.'
    )
    heading: Place = Field(default="", description="The title of the passage in the file; empty for any.")
    words: Annotated[tuple[Word, ...], Field(max_length=MOST_WORDS)] = ()


class CourseTestOut(CourseTestIn):
    """A test question as it is stored, under the id of its wording."""

    id: str
    made_by: str
    made_at: datetime | None


class CourseTestsOut(BaseModel):
    """The test questions, the last run, and the last one before it that came out otherwise.

    `waits` says that a run is due or under way.
    """

    tests: tuple[CourseTestOut, ...]
    runs: tuple[Run, ...]
    waits: bool

    @classmethod
    def read(cls, platform: Platform, course_id: CourseId) -> Self:
        known = platform.stores.test_questions.read(course_id)
        tests = tuple(map(CourseTestOut.model_validate, known.tests))
        return cls(tests=tests, runs=known.runs, waits=platform.test_runs.waits(course_id))


router = ThreadedRouter(
    prefix="/v1/courses/{course}/test-questions",
    tags=["test questions"],
    responses=problems({404: "No such course."}),
)


@router.get("")
def list_test_questions(platform: Served, who: CourseInstructor) -> CourseTestsOut:
    """The test questions of a course with their last runs, which use no language model."""
    return CourseTestsOut.read(platform, who.course_id)


@router.post("", status_code=201)
def keep_test_question(body: CourseTestIn, platform: Served, who: CourseInstructor) -> CourseTestOut:
    """Keep a test question in the place of the one that asks the same; a run follows by itself."""
    given = CourseTest(**dict(body), made_by=who.name)
    return CourseTestOut.model_validate(platform.stores.test_questions.keep(who.course_id, given))


@router.post("/run", status_code=202)
def run_test_questions(platform: Served, who: CourseInstructor) -> CourseTestsOut:
    """Ask for a run, which begins within seconds; after it `waits` is false."""
    platform.stores.test_questions.ask_for_run(who.course_id)
    return CourseTestsOut.read(platform, who.course_id)


@router.delete("/{test}", status_code=204)
def remove_test_question(test: Name, platform: Served, who: CourseInstructor) -> None:
    """Remove a test question, if it is there."""
    platform.stores.test_questions.remove(who.course_id, test)
