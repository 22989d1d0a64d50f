"""The websites of courses: kept by instructors, and read again once they are due."""

from __future__ import annotations

import asyncio
import logging

from services.materials.ingest_store import Job
from services.materials.service import CourseMaterials
from services.materials.site_store import Every, Site, SiteReading
from services.materials.website import start_of
from services.stores import Stores
from vta.errors import LimitExceeded, VtaError
from vta.faults import Fault
from vta.types.courses import Course, CourseId

_log = logging.getLogger(__name__)


class CourseSites:
    """Websites whose changes become plans, which replace nothing before an instructor confirms them."""

    def __init__(self, stores: Stores, materials: CourseMaterials) -> None:
        self._sites, self._courses = stores.sites, stores.courses
        self._materials = materials

    def keep(self, course_id: CourseId, address: str, every: Every) -> None:
        """Read a website again after a while; `InvalidInput` for no address, or one website too many."""
        self._sites.keep(course_id, start_of(address), every)

    async def read(self, course: Course, address: str, every: Every | None) -> Job | str:
        """As `CourseMaterials.upload_site`; where `every` says when to read the website again, it is kept."""
        start = start_of(address)
        if every is not None:
            await asyncio.to_thread(self._sites.check_room, course.id, start)
        begun = await self._materials.upload_site(course, start)
        if every is not None:
            await asyncio.to_thread(self._sites.keep, course.id, start, every)
        await asyncio.to_thread(self._sites.was_read, course.id, start)
        return begun

    async def read_due(self) -> int:
        """Read the website that has been due longest, and store its changes or its fault. 1, else 0.

        None is read while the instructor reads one, or the process as many as it may.
        """
        site = await asyncio.to_thread(self._sites.due)
        if site is None:
            return 0
        try:
            found = await self._read(site)
        except LimitExceeded:
            return 0
        except VtaError as failure:
            found = SiteReading(fault=failure.fault)
        except Exception:
            _log.exception("a website could not be read")
            found = SiteReading(fault=Fault("upload.failed"))
        await asyncio.to_thread(self._sites.record, site, found)
        return 1

    async def _read(self, site: Site) -> SiteReading:
        course = await asyncio.to_thread(self._courses.course, site.course_id)
        return await self._materials.plan_site(course, site.address, lambda stamp: stamp != site.stamp)
