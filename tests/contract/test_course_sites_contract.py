"""The websites that are read again by themselves, on each database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from services.materials.site_store import MOST_SITES, Every, SiteChanges, SiteReading
from services.store import tables
from services.store.waiting_uploads import KEPT, MOST_KEPT
from vta.errors import InvalidInput, NotFound
from vta.faults import Fault
from vta.types.courses import CourseId

DS, ML = CourseId("ds"), CourseId("ml")
ZOO = "https://zoo.example/notes/"
TWO_NEW = SiteChanges(2, 0, 0, 0)
GONE = Fault("website.unreachable", address=ZOO, reason="status: 404")


@pytest.fixture
def sites(stores):
    return stores.sites


def aged(stores, days, address=ZOO):
    """Let the last reading lie some days back."""
    with stores.engine.begin() as connection:
        earlier = {"read_at": stores.sites._clock.now() - timedelta(days=days)}
        connection.execute(update(tables.course_sites).filter_by(address=address).values(earlier))


def plan(stores, course=DS):
    return stores.waiting_uploads.add(course, {"plan": 1}, [])


def test_a_website_is_due_at_once_and_then_after_its_interval(sites, stores):
    """One that is read never, or in an archived course, is not due; the one longest due is first."""
    sites.keep(DS, ZOO, Every.WEEK)
    assert sites.due().address == ZOO
    sites.record(sites.due(), SiteReading(changes=TWO_NEW, stamp="a"))
    assert sites.due() is None
    aged(stores, 6)
    assert sites.due() is None
    sites.keep(DS, ZOO, Every.DAY)
    assert sites.due().changes == TWO_NEW
    sites.keep(ML, ZOO, Every.DAY)
    assert sites.due().course_id == ML
    stores.courses.set_archived(ML, True)
    assert sites.due().course_id == DS
    sites.keep(DS, ZOO, Every.NEVER)
    assert (sites.due(), sites.sites(DS)[0].every) == (None, Every.NEVER)


def test_a_plan_waits_until_it_is_answered_or_the_next_one_takes_its_place(sites, stores):
    """It neither grows old nor gives way to uploads by hand; the next reading, or one by hand, drops it."""
    sites.keep(DS, ZOO, Every.DAY)
    first = plan(stores)
    sites.record(sites.due(), SiteReading(changes=TWO_NEW, stamp="a", plan=first))
    with stores.engine.begin() as connection:
        earlier = {"made_at": stores.sites._clock.now() - KEPT * 3}
        connection.execute(update(tables.waiting_uploads).filter_by(id=first).values(earlier))
    by_hand = [plan(stores) for _ in range(MOST_KEPT + 1)]
    assert stores.waiting_uploads.details(DS, first) == {"plan": 1}
    with pytest.raises(NotFound):
        stores.waiting_uploads.details(DS, by_hand[0])
    aged(stores, 1)
    second = plan(stores)
    sites.record(sites.due(), SiteReading(changes=TWO_NEW, stamp="b", plan=second))
    with pytest.raises(NotFound):
        stores.waiting_uploads.details(DS, first)
    assert (sites.sites(DS)[0].plan, sites.sites(DS)[0].tells) == (second, True)
    aged(stores, 1)
    sites.record(sites.due(), SiteReading(changes=TWO_NEW, stamp="b"))
    assert sites.sites(DS)[0].plan == second
    stores.waiting_uploads.remove(DS, second)
    assert (sites.sites(DS)[0].plan, sites.sites(DS)[0].tells) == (None, False)
    aged(stores, 1)
    third = plan(stores)
    sites.record(sites.due(), SiteReading(changes=TWO_NEW, stamp="c", plan=third))
    sites.was_read(DS, ZOO)
    with pytest.raises(NotFound):
        stores.waiting_uploads.details(DS, third)
    assert (sites.sites(DS)[0].changes, sites.due()) == (None, None)
    aged(stores, 1)
    fourth = plan(stores)
    sites.record(sites.due(), SiteReading(changes=TWO_NEW, stamp="d", plan=fourth))
    aged(stores, 1)
    sites.record(sites.due(), SiteReading(changes=SiteChanges(0, 0, 0, 0), stamp="d"))
    assert sites.sites(DS)[0].plan is None


def test_a_fault_is_told_once_and_again_only_for_another_reason(sites, stores):
    """It leaves the plan of an earlier reading, and ends with a reading that succeeds."""
    sites.keep(DS, ZOO, Every.DAY)
    waiting = plan(stores)
    sites.record(sites.due(), SiteReading(changes=TWO_NEW, stamp="a", plan=waiting))
    aged(stores, 1)
    sites.record(sites.due(), SiteReading(fault=GONE))
    site = sites.sites(DS)[0]
    assert (site.fault, site.tells_fault, site.plan, site.stamp) == (GONE, True, waiting, "a")
    sites.dismiss_fault(DS, ZOO)
    aged(stores, 1)
    sites.record(sites.due(), SiteReading(fault=GONE))
    assert not sites.sites(DS)[0].tells_fault
    aged(stores, 1)
    sites.record(sites.due(), SiteReading(fault=Fault("website.too_long", seconds=50)))
    assert sites.sites(DS)[0].tells_fault
    aged(stores, 1)
    sites.record(sites.due(), SiteReading(changes=TWO_NEW, stamp="a"))
    site = sites.sites(DS)[0]
    assert (site.fault, site.tells_fault, site.plan) == (None, False, waiting)


@pytest.mark.parametrize("meanwhile", ["was_read", "remove"])
def test_a_reading_that_somebody_overtook_is_dropped_with_its_plan(sites, stores, meanwhile):
    sites.keep(DS, ZOO, Every.DAY)
    seen, late = sites.due(), plan(stores)
    getattr(sites, meanwhile)(DS, ZOO)
    sites.record(seen, SiteReading(changes=TWO_NEW, stamp="a", plan=late))
    with pytest.raises(NotFound):
        stores.waiting_uploads.details(DS, late)
    assert [each.changes for each in sites.sites(DS)] == ([] if meanwhile == "remove" else [None])


def test_a_course_keeps_so_many_websites_and_all_go_with_it(sites, stores):
    for number in range(MOST_SITES):
        sites.keep(DS, f"{ZOO}{number}/", Every.DAY)
    sites.keep(DS, f"{ZOO}0/", Every.WEEK)
    for refusing in (sites.check_room, lambda *given: sites.keep(*given, Every.DAY)):
        with pytest.raises(InvalidInput, match=str(MOST_SITES)):
            refusing(DS, ZOO)
    sites.remove(DS, f"{ZOO}0/")
    sites.keep(DS, ZOO, Every.DAY)
    stores.courses.remove(DS)
    assert sites.due() is None
    with pytest.raises(NotFound):
        sites.sites(DS)


def test_pages_that_were_never_told_are_told_though_they_are_as_before(sites, stores):
    """A reading that found no difference leaves nothing that somebody could have declined."""
    sites.keep(DS, ZOO, Every.DAY)
    sites.record(sites.due(), SiteReading(changes=SiteChanges(0, 0, 0, 1), stamp="a"))
    aged(stores, 1)
    site = sites.due()
    gone = plan(stores)
    sites.record(site, SiteReading(changes=SiteChanges(0, 0, 1, 0), stamp="a", plan=gone))
    assert sites.sites(DS)[0].plan == gone
