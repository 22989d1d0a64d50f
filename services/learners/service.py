"""The data of learners: exported and erased on request, and erased after the days of retention."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pydantic import JsonValue

from services.stores import Stores
from vta.errors import Conflict
from vta.faults import Fault
from vta.types.courses import CourseId


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerService:
    """The data of learners, by their platform's id or their pseudonym."""

    stores: Stores
    retention_days: int | None

    def export(self, course_id: CourseId, learner_id: str) -> dict[str, JsonValue]:
        """All data of a learner in a course, as JSON; `NotFound` for an unknown course."""
        found = self.stores.courses.course(course_id)
        privacy = self.stores.privacy
        decided = privacy.consent(found.id, learner_id)
        consent = asdict(decided) | {"decided_at": decided.decided_at.isoformat()} if decided else None
        return {
            "learner_id": learner_id,
            "sessions": privacy.export(found.id, learner_id),
            "research_consent": consent,
        }

    def erase(self, course_id: CourseId, learner_id: str, *, vouched: bool) -> int:
        """Erase a learner's sessions in a course; returns how many. `NotFound` for an unknown course.

        `vouched` includes those of a learner whom the platform vouched for. Only they, the platform
        and the instructors of the course may ask for that.
        """
        found = self.stores.courses.course(course_id)
        return self.stores.privacy.erase(found.id, learner_id, vouched=vouched)

    def sweep(self) -> None:
        """Erase turns older than `VTA_RETENTION_DAYS`, if that is set, and old entries of the audit log."""
        self.stores.audit_log.sweep()
        if self.retention_days is not None:
            self.stores.privacy.sweep(self.retention_days)


def require_study(stores: Stores, course_id: CourseId) -> None:
    """`Conflict` where the course has no study."""
    if stores.settings.settings(course_id).research is None:
        raise Conflict(Fault("research.no_study"))
