"""The status page: what works and what does not, in the words of a teacher."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from clocks import SetClock
from console_people import account, log_in
from small_platform import COURSES

from services.archive.backups import note_backup
from services.people.store import CourseRole
from services.status.watch import StatusWatch, Works
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.types.courses import Role

COURSE = COURSES["stacks-en"][0]
PAGE = "/console/-/status"
NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)


def states(watch):
    return {each.name: each.works.value for each in watch.states()}


@pytest.fixture
def platform(build, mail):
    return build(smtp_url=f"smtp://127.0.0.1:{mail.port}", mail_from="vta@uni.example")


@pytest.fixture
def watch(platform):
    return StatusWatch(platform, SetClock(NOON))


async def test_whoever_is_logged_in_reads_it_in_their_language(platform, browser):
    """A TA, and the bearer of a key; others log in first."""
    account(platform, "cy", (COURSE.id, CourseRole.INSTRUCTOR))
    opened = await log_in(browser, "cy")
    inbox = await opened.get(f"/console/{COURSE.id}/inbox")
    assert f'href="{PAGE}"' in inbox.text
    page = (await opened.get(PAGE)).text
    each = r'<li class="card" data-testid="(\w+)">.*?data-testid="works">([^<]+)<'
    told = dict(re.findall(each, page, re.DOTALL))
    assert (told["answers"], told["language_model"], told["backup"]) == ("Works", "Not set up", "Not set up")
    await opened.get(f"/console/language/zh?next={PAGE}")
    assert "正常" in (await opened.get(PAGE)).text
    keyed = await browser()
    key, _ = platform.stores.keys.make(COURSE.id, Role.INSTRUCTOR)
    await keyed.post("/console/log-in", key=key, name="Kim")
    nobody = await browser()
    assert [(await each.get(PAGE)).status_code for each in (keyed, nobody)] == [200, 303]


async def test_what_fails_is_told_with_the_time_at_which_it_was_first_seen(platform, watch, monkeypatch):
    """Until it works again. The search index fails for one look, and for a later one anew."""
    assert states(watch)["search_index"] == "works"

    def broken(_):
        raise UpstreamFailed(Fault("search.server_left_out", server="x"))

    seen = []
    for fails in (True, True, False, True):
        watch._clock.moment += timedelta(minutes=5)
        with monkeypatch.context() as patched:
            if fails:
                patched.setattr(type(platform.knowledge), "sync", broken)
            seen.append({each.name: each.since for each in watch.states()})
    first, again = (NOON + timedelta(minutes=each) for each in (5, 20))
    assert [each["search_index"] for each in seen] == [first, first, None, again]
    assert [each["answers"] for each in seen] == [first, first, None, again]
    assert [each["storage"] for each in seen] == [None] * 4


async def test_mail_is_asked_by_a_log_in_without_a_letter(platform, watch, mail):
    assert states(watch)["mail"] == "unknown"
    await watch.look()
    assert (states(watch)["mail"], mail.received.empty()) == ("works", True)
    worker = platform.mail_worker
    away = replace(worker._server, url="smtp://127.0.0.1:1")
    worker._server = away
    await watch.look()
    assert states(watch)["mail"] == "fails"


@pytest.mark.parametrize(
    ("hours", "works"), [(None, Works.OFF), (1, Works.YES), (7 * 24, Works.YES), (7 * 24 + 1, Works.NO)]
)
async def test_a_backup_made_by_hand_is_late_after_a_week(platform, watch, hours, works):
    if hours is not None:
        note_backup(platform.settings.home, NOON - timedelta(hours=hours))
    found = next(each for each in watch.states() if each.name == "backup")
    late = NOON - timedelta(hours=1) if works is Works.NO else None
    assert (found.works, found.since) == (works, late)
    assert (found.last_backup is None) == (hours is None)


async def test_daily_backups_are_late_after_26_hours(build, tmp_path):
    """A folder without one is late, too."""
    folder = tmp_path / "backups"
    folder.mkdir()
    watch = StatusWatch(build(backup_folder=folder), SetClock(datetime.now(UTC)))
    assert states(watch)["backup"] == "fails"
    (folder / "vta-2026-11-27.zip").write_bytes(b"x")
    assert states(watch)["backup"] == "works"
    watch._clock.moment += timedelta(hours=27)
    assert states(watch)["backup"] == "fails"
