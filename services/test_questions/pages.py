"""The page of a course's test questions: how they are answered now, what has changed, and a form for one."""

from __future__ import annotations

from fastapi.responses import Response

from services.console.forms import action_of
from services.console.visits import PageRouter, Visit, Visiting
from services.test_questions.store import LONGEST, CourseTest, Outcome
from vta.dialogue.question import LONGEST_QUESTION

router = PageRouter()


@router.get("/preview/tests")
def show_tests(visit: Visiting) -> Response:
    """The test questions, what got worse first, and a form for a new one or the one of `edit`."""
    waits = visit.platform.test_runs.waits(visit.course_id)  # first: a run that ends now is read below
    known = visit.platform.stores.test_questions.read(visit.course_id)
    rows = sorted(known.rows, key=_rank)
    return visit.page(
        "test_questions.html",
        runs=known.runs,
        rows=rows,
        right=sum(bool(now and now.right) for _, now, _ in rows),
        worse=known.worse,
        waits=waits,
        has_model=visit.platform.test_runs.has_model,
        edited=next((each for each in known.tests if each.id == visit.query.get("edit")), None),
        longest=LONGEST,
        longest_question=LONGEST_QUESTION,
    )


@router.form("/preview/tests", show_tests)
def change_tests(visit: Visiting) -> Response:
    """Keep a test question, remove one, or ask for a run."""
    store = visit.platform.stores.test_questions
    match action_of(visit.form, ("keep", "remove", "run")):
        case "keep":
            store.keep(visit.course_id, _given(visit), instead=visit.field("id"))
        case "remove":
            store.remove(visit.course_id, visit.field("id"))
        case _:
            store.ask_for_run(visit.course_id)
    return visit.to("preview/tests?saved")


def _given(visit: Visit) -> CourseTest:
    """The test question of a form; one without a field for words leaves those that are there."""
    question, words = visit.field("question"), tuple(visit.field("words").split("\n"))
    if "words" not in visit.form:
        words = visit.platform.stores.test_questions.read(visit.course_id).words_of(question)
    return CourseTest(question=question, place=visit.field("place"), words=words, made_by=visit.who.name)


def _rank(row: tuple[CourseTest, Outcome | None, Outcome | None]) -> tuple[bool, bool, bool]:
    """What was right and is wrong comes first, then what has changed, then what is wrong."""
    _, now, before = row
    is_wrong, was_right = bool(now and not now.right), bool(before and before.right)
    return not (is_wrong and was_right), before is None, not is_wrong
