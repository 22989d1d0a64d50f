"""Names and scores of a platform: only where its course agreed, and never more than was agreed."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import moodle_like as moodle
import pytest
from served_platform import Served
from sqlalchemy import select

from services.lti.tool import Tool
from services.store import tables
from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")

pytestmark = pytest.mark.settings(lti_private_addresses=True)


@pytest.fixture
def lms(api: Served) -> Iterator[moodle.MoodleLike]:
    """A platform with both services, whose course is mapped and agreed to nothing."""
    with moodle.MoodleLike() as platform:
        platform.join(api, COURSE)
        yield platform


def ask(api: Served, entered: httpx.Response) -> None:
    """A question of a student who was let in."""
    token = next(c for c in entered.headers.get_list("set-cookie") if c.startswith("vta_learner_"))
    cookie = {"Cookie": token.partition(";")[0]}
    body = {"question": "What is a stack?"}
    reply = api.client.post(f"/v1/courses/{COURSE}/dialogue", json=body, headers=cookie)
    assert reply.status_code == 200


def kept(api: Served) -> list[str]:
    """The subjects of whom scores are kept."""
    with api.platform.stores.engine.connect() as connection:
        return list(connection.execute(select(tables.lti_scores.c.subject)).scalars())


def teachers(api: Served) -> list[str]:
    """What tickets call the instructors who came."""
    with api.platform.stores.engine.connect() as connection:
        return list(connection.execute(select(tables.lti_tickets.c.instructor)).scalars())


async def test_a_score_is_sent_after_as_many_questions_as_agreed(api: Served, lms: moodle.MoodleLike) -> None:
    """Once, to the activity's line item, for the platform's own id; not for teachers, and not before."""
    api.platform.stores.lti_platforms.agree(lms.context, names=False, score_after=2)
    moodle.launch(lms, api.address, moodle.TEACHER)
    entered, sender = moodle.launch(lms, api.address, moodle.STUDENT), Tool(api.platform).score_sender()
    ask(api, entered)
    assert await sender.send_due() == 0
    ask(api, moodle.launch(lms, api.address, moodle.STUDENT))
    assert (await sender.send_due(), await sender.send_due()) == (1, 0)
    (score,) = lms.scores
    assert (score["userId"], score["scoreGiven"], score["scoreMaximum"]) == (moodle.STUDENT.id, 1, 1)
    assert score["to"] == "/mod/lti/lineitem/scores?link=0"


async def test_nothing_is_asked_or_kept_without_consent(api: Served, lms: moodle.MoodleLike) -> None:
    """Though the platform offers both services, and tells names."""
    ask(api, moodle.launch(lms, api.address, moodle.STUDENT))
    moodle.launch(lms, api.address, moodle.TEACHER)
    assert await Tool(api.platform).score_sender().send_due() == 0
    assert (kept(api), lms.scores, lms._tokens) == ([], [], {})
    (name,) = teachers(api)
    assert name.startswith("LTI ")


async def test_a_score_that_was_not_taken_is_tried_again_later(api: Served, lms: moodle.MoodleLike) -> None:
    """It waits; an erased learner is none of the platform's any more."""
    stores = api.platform.stores
    stores.lti_platforms.agree(lms.context, names=False, score_after=1)
    ask(api, moodle.launch(lms, api.address, moodle.STUDENT))
    stores.lti_platforms.edit(lms.context.platform_id, {"token_url": "http://127.0.0.1:9/"})
    assert await Tool(api.platform).score_sender().send_due() == 0
    with stores.engine.connect() as connection:
        row = connection.execute(select(tables.lti_scores)).one()
    assert (row.tries, row.next_at > row.since) == (1, True)
    learner = f"lti:{lms.context.platform_id}:{moodle.STUDENT.id}"
    stores.privacy.erase(COURSE, learner, vouched=True)
    assert kept(api) == []


def test_instructors_have_their_names_where_the_course_agreed(api: Served, lms: moodle.MoodleLike) -> None:
    """By the platform's roster; students' names are not kept."""
    api.platform.stores.lti_platforms.agree(lms.context, names=True, score_after=None)
    moodle.launch(lms, api.address, moodle.TEACHER)
    moodle.launch(lms, api.address, moodle.STUDENT)
    assert teachers(api) == [moodle.TEACHER.name]
    with api.platform.stores.engine.connect() as connection:
        dump = "\n".join(connection.connection.driver_connection.iterdump())  # type: ignore[union-attr]
    assert moodle.STUDENT.name not in dump
