"""LTI in the store: what expires, what serves once, and what goes with its platform."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import factories as make
import pytest
from clocks import SetClock
from sql_stores import lti_platform, new_stores
from sqlalchemy import select

from services.lti.launch_store import INVITATION_LASTS, LOGIN_LASTS, TICKET_LASTS, LearnerVisit, Ticket
from services.lti.platform_store import LtiContext, LtiPlatform
from services.store import tables
from services.store.store_secrets import VISIT_LASTS
from services.stores import Stores
from vta.errors import Conflict, NotFound
from vta.languages import Language
from vta.types.courses import Course, CourseId

COURSE = CourseId("ds")


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture
def stores(tmp_path: Path, clock: SetClock) -> Iterator[Stores]:
    opened = new_stores(tmp_path, make.course(COURSE), clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def platform(stores: Stores) -> LtiPlatform:
    return lti_platform(stores, deployments=("d", "d"))


@pytest.fixture
def context(platform: LtiPlatform) -> LtiContext:
    return LtiContext(platform_id=platform.id, deployment_id="d", context_id="c")


def test_a_log_in_is_there_until_it_is_used_or_expires(stores, clock, platform):
    """It is used once; after its minutes it is gone, and the next one clears it away."""
    login = stores.lti_launches.open_login(platform.id, "")
    assert stores.lti_launches.login(login.state).platform_id == platform.id
    assert stores.lti_launches.use_login(login.state)
    assert not stores.lti_launches.use_login(login.state)
    assert stores.lti_launches.login(login.state) is None
    late = stores.lti_launches.open_login(platform.id, "")
    clock.moment += LOGIN_LASTS
    assert stores.lti_launches.login(late.state) is None
    stores.lti_launches.open_login(platform.id, "")
    with stores.engine.connect() as connection:
        assert len(connection.execute(select(tables.lti_logins)).all()) == 1


def test_a_ticket_serves_once_and_not_late(stores, clock, context):
    """It gives what it was opened for; one that has expired gives nothing."""
    ticket = Ticket(context=context, instructor="LTI 1", is_assistant=True)
    text = stores.lti_launches.open_ticket(ticket)
    assert stores.lti_launches.use_ticket(text) == ticket
    assert stores.lti_launches.use_ticket(text) is None
    late = stores.lti_launches.open_ticket(ticket)
    clock.moment += TICKET_LASTS
    assert stores.lti_launches.use_ticket(late) is None


def test_a_learners_token_is_of_one_course_and_ends(stores, clock, platform):
    """Elsewhere and after its hours it is nobody's."""
    visit = LearnerVisit(course_id=COURSE, learner_id="visitor:1", platform_id=platform.id)
    token = stores.visits.open(visit)
    assert stores.visits.find(token, COURSE) == visit
    assert stores.visits.find(token, CourseId("other")) is None
    clock.moment += VISIT_LASTS - timedelta(seconds=1)
    assert stores.visits.find(token, COURSE) == visit
    clock.moment += timedelta(seconds=1)
    assert stores.visits.find(token, COURSE) is None


def test_a_platform_takes_all_that_came_by_it_along(stores, platform, context):
    """Consoles, learners, log-ins and contexts; a console that a key opened stays out of it."""
    stores.lti_platforms.map(context, COURSE)
    cookie, opened = stores.console.open(COURSE, "LTI 1", platform_id=platform.id, is_assistant=False)
    assert stores.console.find(cookie) == opened
    assert opened.key_id is None
    visit = LearnerVisit(course_id=COURSE, learner_id="visitor:1", platform_id=platform.id)
    token = stores.visits.open(visit)
    login = stores.lti_launches.open_login(platform.id, "")
    stores.lti_platforms.remove(platform.id)
    assert stores.console.find(cookie) is None
    assert stores.visits.find(token, COURSE) is None
    assert stores.lti_launches.login(login.state) is None
    assert stores.lti_platforms.contexts() == ()
    with pytest.raises(NotFound):
        stores.lti_platforms.remove(platform.id)


def test_unmapping_a_context_logs_its_visitors_out(stores, platform, context):
    """A context is one course at a time; mapping it elsewhere ends what was open on the first."""
    stores.courses.add(Course(id=CourseId("os"), name="操作系统", domains=("计算机",), language=Language.ZH))
    stores.lti_platforms.map(context, COURSE)
    cookie, _ = stores.console.open(COURSE, "LTI 1", platform_id=platform.id, is_assistant=False)
    stores.lti_platforms.map(context, CourseId("os"))
    assert stores.lti_platforms.mapped(context) == "os"
    assert stores.console.find(cookie) is None
    stores.courses.remove(CourseId("os"))
    assert stores.lti_platforms.mapped(context) is None


def test_a_client_of_an_issuer_is_registered_once(stores, platform):
    """A second registration is a conflict; an unknown deployment or course is not mapped."""
    assert platform.deployments == ("d",)
    with pytest.raises(Conflict):
        lti_platform(stores, issuer=platform.issuer, client_id=platform.client_id)
    wrong = LtiContext(platform_id=platform.id, deployment_id="x", context_id="c")
    with pytest.raises(NotFound):
        stores.lti_platforms.map(wrong, COURSE)
    assert stores.lti_platforms.platforms() == (platform,)


@pytest.mark.fault(case="T23")
def test_what_has_expired_does_not_live_again(stores, clock, platform):
    """Though the machine's clock is set back: neither a console session nor a learner's visit (T23)."""
    visit = LearnerVisit(course_id=COURSE, learner_id="visitor:1", platform_id=platform.id)
    token = stores.visits.open(visit)
    cookie, _ = stores.console.open(COURSE, "LTI 1", platform_id=platform.id, is_assistant=False)
    start, clock.moment = clock.moment, clock.moment + timedelta(hours=13)
    assert (stores.visits.find(token, COURSE), stores.console.find(cookie)) == (None, None)
    clock.moment = start
    assert (stores.visits.find(token, COURSE), stores.console.find(cookie)) == (None, None)


def test_a_secret_of_the_store_is_made_once(stores):
    """Whoever asks later gets the first one."""
    assert stores.secrets.text("a", lambda: "first") == "first"
    assert stores.secrets.text("a", lambda: "second") == "first"
    assert stores.secrets.text("b", lambda: "third") == "third"


def test_an_invitation_serves_once_within_its_days(stores, clock):
    """A used, unknown or old one is none; one whose registration failed serves again."""
    invitations = stores.lti_invitations
    text, old = invitations.make(), invitations.make()
    assert [invitations.use(each) for each in (text, text, "guessed")] == [True, False, False]
    invitations.give_back(text)
    assert invitations.use(text)
    clock.moment += INVITATION_LASTS
    assert (invitations.use(old), invitations.waiting()) == (False, 0)
