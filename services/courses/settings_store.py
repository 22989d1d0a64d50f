"""The settings of a course, read and changed as a whole."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, Literal, get_args

import httpx2
from sqlalchemy import Connection, Row, bindparam, select, update

from services.courses.store import change_course
from services.store import tables
from services.store.audit_log import Event, note
from services.store.course_rows import hold_course, to_course, unknown_course
from services.store.rows import from_row
from services.store.transactions import ClockedStore, put_row, reading, reading_once, written
from services.webhooks.store import keep_address
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.types.courses import Course, CourseId

LARGEST_BETA = 100.0
LARGEST = {"relevance": 1.0, "alpha": 1.0, "beta": LARGEST_BETA}
"""The thresholds that a course may set, and the largest value of each."""
_LINES = {
    "refusal": 500,
    "greeting": 300,
    "tone": 300,
    "assistant": 60,
    "model": 300,
    "experiment": 60,
    "experiment_value": 300,
}
"""The texts in one line, and how many characters each may have."""
LONGEST = _LINES | {"starters": 300, "research": 2000}
"""Characters of each text; of the starters, of each of them."""
MOST_TOKENS = 10**12
"""That a course may set for a day."""
MOST_STARTERS = 3
MOST_ORIGINS = 50
_OF_COURSE = (*LARGEST, "refusal", "tone")
_SHOWN = (
    *("origins", "hints", "greeting", "starters", "assistant", "model", "daily_tokens", "research"),
    *("experiment", "experiment_setting", "experiment_value"),
)
Varied = Literal["hint", "explain", "tone"]
VARIED: tuple[Varied, ...] = get_args(Varied)
"""What may differ for half of the learners: only hints, no direct answers, or the tone."""
_ORIGIN = re.compile(r"(https?)://([a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?")
_USUAL_PORTS = {"http": "80", "https": "443"}
_WITH_SETTINGS = (
    select(
        tables.courses,
        *(tables.course_embeddings.c[name] for name in _SHOWN),
        tables.course_webhooks.c.url.label("webhook_url"),
    )
    .outerjoin_from(tables.courses, tables.course_embeddings)
    .outerjoin(tables.course_webhooks, tables.course_webhooks.c.course_id == tables.courses.c.id)
    .where(tables.courses.c.id == bindparam("course"))
)
"""A course with its settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseSettings:
    """The settings of one course; None stands for the platform's own threshold or sentence, or no webhook.

    `starters` are the questions that an empty conversation offers; without any they are found. `assistant` is
    what the sidebar calls the assistant, and `daily_tokens` what its language model may use a day (UTC).
    `research` describes the study for which learners are asked; without it nobody is asked. While there is an
    `experiment`, half of the learners have another setting, one of `VARIED`; `experiment_value` is a tone.

    Whether the platform may be told at `webhook_url` and offers this `model` and as many tokens is checked
    before it comes here.
    """

    relevance: float | None = None
    alpha: float | None = None
    beta: float | None = None
    refusal: str | None = None
    tone: str | None = None
    assistant: str | None = None
    model: str | None = None
    daily_tokens: int | None = None
    greeting: str | None = None
    starters: tuple[str, ...] = ()
    hints: bool = True
    shares_concepts: bool = False
    takes_concepts: bool = False
    origins: tuple[str, ...] = ()
    webhook_url: str | None = None
    research: str | None = None
    experiment: str | None = None
    experiment_setting: str | None = None
    experiment_value: str | None = None

    @property
    def lending(self) -> dict[str, bool]:
        """The two settings of shared concepts."""
        return {"shares_concepts": self.shares_concepts, "takes_concepts": self.takes_concepts}

    @property
    def shown(self) -> dict[str, Any]:
        """The settings beside the course itself: of the sidebar, and of its language model."""
        return {name: getattr(self, name) for name in _SHOWN}

    def terms(self, platform: int) -> tuple[str | None, int | None]:
        """The name of the language model, None for the usual one, and the tokens a day, None for any number.

        Of its own number and that of the `platform`, of which 0 is any, the smaller one counts.
        """
        set_ones = (each for each in (self.daily_tokens, platform or None) if each is not None)
        return self.model, min(set_ones, default=None)

    @property
    def mark(self) -> str:
        """A digest of the settings, 16 hex digits."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


class SqlCourseSettings(ClockedStore):
    """The settings of courses; what is changed holds from the next question on."""

    def settings(self, course_id: CourseId) -> CourseSettings:
        """`NotFound` for an unknown course."""
        with reading(self._engine) as connection:
            return read_settings(connection, course_id)

    def with_course(self, course_id: CourseId) -> tuple[Course, CourseSettings]:
        """The course and its settings, in one statement; `NotFound` for an unknown one."""
        with reading_once(self._engine) as connection:
            row = _read_row(connection, course_id)
        return to_course(row), _to_settings(row)

    @written
    def change(
        self,
        connection: Connection,
        course_id: CourseId,
        edit: Callable[[CourseSettings], CourseSettings],
        *,
        expected: str | None = None,
    ) -> CourseSettings:
        """Put what `edit` makes of the settings in their place.

        `InvalidInput` that names the field for a value that cannot be used; `Conflict` where the settings do
        not have the `mark` expected.
        """
        found = read_settings(connection, course_id, hold=True)
        if expected not in (None, found.mark):
            raise Conflict(Fault("setting.changed_meanwhile"))
        changed = clean_settings(edit(found))
        row = {name: getattr(changed, name) for name in _OF_COURSE}
        connection.execute(update(tables.courses).filter_by(id=course_id).values(row))
        keep_shown(connection, course_id, changed)
        if changed.lending != found.lending:
            change_course(connection, course_id, changed.lending)
        if changed.webhook_url != found.webhook_url:
            keep_address(connection, course_id, changed.webhook_url, self._clock.now())
        after = asdict(changed)
        if names := [name for name, value in asdict(found).items() if value != after[name]]:
            note(connection, Event.SETTINGS, course_id=course_id, detail=", ".join(names))
        return changed


def clean_settings(given: CourseSettings) -> CourseSettings:
    """The settings in their stored form. `InvalidInput` names the first unusable field."""
    for name, largest in LARGEST.items():
        value = getattr(given, name)
        if value is not None and not (math.isfinite(value) and 0 <= value <= largest):
            raise InvalidInput(Fault("setting.range", name=name, most=largest), field=name)
    if given.beta == 0:
        raise InvalidInput(Fault("setting.beta_zero"), field="beta")
    if given.daily_tokens is not None and not 0 <= given.daily_tokens <= MOST_TOKENS:
        raise InvalidInput(Fault("setting.tokens", most=MOST_TOKENS), field="daily_tokens")
    study = "\n".join(line.rstrip() for line in (given.research or "").strip().splitlines())
    _check_length(study, "research")
    starters = tuple(filter(None, (_line(each, "starters") for each in given.starters)))
    if len(starters) > MOST_STARTERS:
        raise InvalidInput(Fault("setting.starters", most=MOST_STARTERS), field="starters")
    if given.experiment and given.experiment_setting not in VARIED:
        raise InvalidInput(Fault("setting.experiment", offered=", ".join(VARIED)), field="experiment_setting")
    lines: dict[str, Any] = {name: _line(getattr(given, name), name) for name in _LINES}
    varied = given.experiment_setting if lines["experiment"] else None
    if varied != "tone":
        lines["experiment_value"] = None
    return replace(
        given,
        **lines,
        experiment_setting=varied,
        starters=starters,
        origins=clean_origins(given.origins),
        research=study or None,
    )


def _line(text: str | None, field: str) -> str | None:
    """A text in one line; None for an empty one."""
    line = " ".join((text or "").split())
    _check_length(line, field)
    return line or None


def _check_length(text: str, field: str) -> None:
    if len(text) > (most := LONGEST[field]):
        raise InvalidInput(Fault("setting.length", name=field, length=len(text), most=most), field=field)


def read_settings(connection: Connection, course_id: CourseId, *, hold: bool = False) -> CourseSettings:
    """The settings of a course, with a lock on its row to `hold` them; `NotFound` for an unknown one."""
    if hold:
        hold_course(connection, course_id)
    return _to_settings(_read_row(connection, course_id))


def _read_row(connection: Connection, course_id: CourseId) -> Row[Any]:
    row = connection.execute(_WITH_SETTINGS, {"course": course_id}).one_or_none()
    if row is None:
        raise unknown_course(course_id)
    return row


def _to_settings(row: Row[Any]) -> CourseSettings:
    usual = CourseSettings()
    return from_row(CourseSettings, row, **{} if row.origins is not None else usual.shown)


def keep_shown(connection: Connection, course_id: CourseId, settings: CourseSettings) -> None:
    """Store what stands beside the course of clean settings."""
    put_row(connection, tables.course_embeddings, {"course_id": course_id}, settings.shown)


def clean_origins(origins: Sequence[str]) -> tuple[str, ...]:
    """The origins as browsers write them, each once; `InvalidInput` that names the first that is none."""
    if len(origins) > MOST_ORIGINS:
        raise InvalidInput(Fault("setting.origins", most=MOST_ORIGINS), field="origins")
    return tuple(dict.fromkeys(map(_clean, origins)))


def _clean(origin: str) -> str:
    shape = _ORIGIN.fullmatch(_ascii(origin.strip().lower().removesuffix("/")))
    if shape is None or int(shape[3] or 0) > 65535:
        raise InvalidInput(Fault("setting.origin", origin=origin), field="origins")
    scheme, host, port = shape.groups()
    return f"{scheme}://{host}" + (f":{port}" if port and port != _USUAL_PORTS[scheme] else "")


def _ascii(origin: str) -> str:
    """An internationalised host as browsers write it (Punycode); what is no address stays as it is."""
    if origin.isascii():
        return origin
    try:
        url = httpx2.URL(origin)
    except httpx2.InvalidURL:
        return origin
    return origin.replace(url.host, url.raw_host.decode("ascii"))
