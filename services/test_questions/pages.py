"""The page of a course's test questions: how they are answered now, what has changed, and a form for one."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from fastapi.responses import Response

from services.console.forms import action_of
from services.console.visits import PageRouter, Visit, Visiting
from services.test_questions.store import LONGEST_PLACE, CourseTest, CourseTests, Outcome
from vta.dialogue.question import LONGEST_QUESTION

ACTIONS = ("keep", "remove", "run")

router = PageRouter()


class Row(NamedTuple):
    """A test question with its outcome in the last run and in the one before that differs, where they are."""

    test: CourseTest
    now: Outcome | None
    before: Outcome | None

    @property
    def has_changed(self) -> bool:
        return bool(self.now and self.before and self.now.visible != self.before.visible)

    @property
    def rank(self) -> tuple[bool, bool, bool]:
        """What was right and is wrong comes first, then what has changed, then what is wrong."""
        is_wrong = self.now is not None and not self.now.right
        was_right = self.before is not None and self.before.right
        return not (is_wrong and was_right), not self.has_changed, not is_wrong


@router.get("/preview/tests")
def show_tests(visit: Visiting) -> Response:
    """The test questions, what has changed first, and a form for a new one or the one of `edit`."""
    known = visit.platform.stores.test_questions.read(visit.course_id)
    rows = _rows(known)
    wanted = visit.query.get("edit", "")
    return visit.page(
        "test_questions.html",
        runs=known.runs,
        rows=rows,
        right=sum(bool(each.now and each.now.right) for each in rows),
        worse=sum(not each.rank[0] for each in rows),
        waits=visit.platform.test_runs.waits(visit.course_id),
        has_model=visit.platform.test_runs.has_model,
        edited=next((each for each in known.tests if each.id == wanted), None),
        longest=LONGEST_PLACE,
        longest_question=LONGEST_QUESTION,
    )


@router.form("/preview/tests", show_tests)
def change_tests(visit: Visiting) -> Response:
    """Keep a test question, remove one, or ask for a run."""
    action, store = action_of(visit.form, ACTIONS), visit.platform.stores.test_questions
    if action == "keep":
        _keep(visit)
    elif action == "remove":
        store.remove(visit.course_id, visit.field("id"))
    else:
        store.ask_for_run(visit.course_id)
    return visit.to("preview/tests?saved")


def _keep(visit: Visit) -> None:
    """Keep what the form says; one without a field for words leaves those of the question as they are."""
    store = visit.platform.stores.test_questions
    given = CourseTest(
        question=visit.field("question"),
        place=visit.field("place"),
        heading=visit.field("heading"),
        words=tuple(visit.field("words").split("\n")),
        made_by=visit.who.name,
    )
    old = next((each for each in store.read(visit.course_id).tests if each.id == given.id), None)
    if old is not None and "words" not in visit.form:
        given = replace(given, words=old.words)
    kept = store.keep(visit.course_id, given)
    if (before := visit.field("id")) and before != kept.id:
        store.remove(visit.course_id, before)


def _rows(known: CourseTests) -> list[Row]:
    found = [{each.id: each for each in run.outcomes} for run in known.runs]
    now, before = (*found, {}, {})[:2]
    rows = [Row(test, now.get(test.id), before.get(test.id)) for test in known.tests]
    return sorted(rows, key=lambda row: row.rank)
