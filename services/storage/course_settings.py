"""What the instructors of a course may set, read and changed as a whole."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

from sqlalchemy import Connection, Engine, select, update

from services.storage import tables
from services.storage.courses import keep_lending, unknown_course
from services.storage.embedding import Embedding, clean_origins, keep_embedding, read_embedding
from services.storage.rows import from_row
from services.storage.transactions import reading, write
from services.storage.webhooks import keep_address, read_address
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.ports import Clock
from vta.types import CourseId

LARGEST_BETA = 100.0
LARGEST = {"relevance": 1.0, "alpha": 1.0, "beta": LARGEST_BETA}
"""The thresholds that a course may set, and the largest value of each."""
LONGEST_REFUSAL = 500
"""Characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseSettings:
    """The settings of one course; None stands for the platform's own threshold or sentence, or no webhook.

    Whether the platform may be told at `webhook_url` is checked before it comes here.
    """

    relevance: float | None = None
    alpha: float | None = None
    beta: float | None = None
    refusal: str | None = None
    hints: bool = True
    shares_concepts: bool = False
    takes_concepts: bool = False
    origins: tuple[str, ...] = ()
    webhook_url: str | None = None

    @property
    def lending(self) -> dict[str, bool]:
        """Whether the course lends its concepts, and uses those that others lend."""
        return {"shares_concepts": self.shares_concepts, "takes_concepts": self.takes_concepts}

    @property
    def mark(self) -> str:
        """The same for the same settings; another one after a change."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


class SqlCourseSettings:
    """The settings of courses; what is changed holds from the next question on."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def settings(self, course_id: CourseId) -> CourseSettings:
        """`NotFound` for an unknown course."""
        with reading(self._engine) as connection:
            return _read(connection, course_id)

    def change(
        self,
        course_id: CourseId,
        edit: Callable[[CourseSettings], CourseSettings],
        *,
        expected: str | None = None,
    ) -> CourseSettings:
        """Put what `edit` makes of the settings in their place.

        `InvalidInput` that names the field for a value that cannot be used; `Conflict` where the settings do
        not have the `mark` expected.
        """

        def action(connection: Connection) -> CourseSettings:
            found = _read(connection, course_id, hold=True)
            if expected not in (None, found.mark):
                raise Conflict(Fault("setting.changed_meanwhile"))
            changed = clean_settings(edit(found))
            _keep(connection, course_id, changed)
            if changed.lending != found.lending:
                keep_lending(connection, course_id, changed.lending)
            if changed.webhook_url != found.webhook_url:
                keep_address(connection, course_id, changed.webhook_url, self._clock.now())
            return changed

        return write(self._engine, action)


def clean_settings(given: CourseSettings) -> CourseSettings:
    """The settings as they are kept. `InvalidInput` that names the first field that cannot be used."""
    for name, largest in LARGEST.items():
        value = getattr(given, name)
        if value is not None and not (math.isfinite(value) and 0 <= value <= largest):
            raise InvalidInput(Fault("setting.range", name=name, most=largest), field=name)
    if given.beta == 0:
        raise InvalidInput(Fault("setting.beta_zero"), field="beta")
    refusal = " ".join((given.refusal or "").split())
    if len(refusal) > LONGEST_REFUSAL:
        raise InvalidInput(
            Fault("setting.refusal_length", length=len(refusal), most=LONGEST_REFUSAL), field="refusal"
        )
    return replace(given, refusal=refusal or None, origins=clean_origins(given.origins))


def _read(connection: Connection, course_id: CourseId, *, hold: bool = False) -> CourseSettings:
    table = tables.courses
    query = select(table).where(table.c.id == course_id)
    row = connection.execute(query.with_for_update() if hold else query).one_or_none()
    if row is None:
        raise unknown_course(course_id)
    embedding = read_embedding(connection, course_id)
    return from_row(
        CourseSettings,
        row,
        hints=embedding.hints,
        origins=embedding.origins,
        webhook_url=read_address(connection, course_id),
    )


def _keep(connection: Connection, course_id: CourseId, settings: CourseSettings) -> None:
    table = tables.courses
    row = {name: getattr(settings, name) for name in (*LARGEST, "refusal")}
    connection.execute(update(table).where(table.c.id == course_id).values(row))
    embedding = Embedding(origins=settings.origins, hints=settings.hints)
    keep_embedding(connection, course_id, embedding)
