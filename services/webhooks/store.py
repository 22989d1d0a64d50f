"""Webhooks in the relational store: the URL of each course, and the outbox of its deliveries.

A delivery is written in the transaction of the event that it reports, and is settled when the platform has
accepted it or it is a day old. It refers to records and copies none of them, so nothing is sent that was
erased meanwhile. Only the oldest unsettled delivery of a course is tried, so deliveries arrive in order.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, func, insert, or_, select, update

from services.store import tables
from services.store.audit_log import Event, change
from services.store.jobs import claim
from services.store.rows import from_row
from services.store.transactions import ClockedStore, put_row, written
from services.webhooks.rows import (
    INGESTED,
    TEST,
    Delivery,
    DeliveryOutcome,
    DeliveryReason,
    Ingested,
    Outgoing,
    read_data,
)
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import CourseId

GIVEN_UP_AFTER = timedelta(days=1)
DELAYS_S = (1, 5, 30, 120, 600, 1800, 3600, 7200)
"""From one try to the next; the last one again and again."""
CLAIMED_FOR = timedelta(seconds=15)
"""Seconds for which a try belongs to one process, longer than any try takes."""
KEPT = timedelta(days=30)
"""The age at which settled deliveries are deleted."""
_AT_ONCE, _SHOWN = 20, 10


class SqlWebhooks(ClockedStore):
    """The webhooks of all courses; safe for several processes, of which each tries what it has claimed."""

    def keep_secret(self, course_id: CourseId, secret: str) -> None:
        """Set the secret that deliveries are signed with. `InvalidInput` where the course has no URL."""
        table = tables.course_webhooks
        here = update(table).filter_by(course_id=course_id).where(table.c.url.is_not(None))
        said = {"course_id": course_id, "detail": "webhook_secret"}
        if not change(self._engine, here.values(secret=secret), Event.SETTINGS, **said):
            raise InvalidInput(Fault("webhook.address_first"), field="webhook_url")

    def has_secret(self, course_id: CourseId) -> bool:
        query = select(tables.course_webhooks.c.secret).filter_by(course_id=course_id)
        return self._scalar(query) is not None

    def deliveries(self, course_id: CourseId) -> tuple[Delivery, ...]:
        """The last deliveries of a course, newest first."""
        table = tables.webhook_deliveries
        query = select(table).filter_by(course_id=course_id).order_by(table.c.number.desc()).limit(_SHOWN)
        return tuple(from_row(Delivery, row) for row in self._rows(query))

    def waiting(self, course_id: CourseId) -> int:
        """The number of unsettled deliveries of a course."""
        table = tables.webhook_deliveries
        query = select(func.count()).where(table.c.course_id == course_id, table.c.state == "waiting")
        return int(self._scalar(query))

    def claim(self) -> tuple[Outgoing, ...]:
        """Claim the deliveries that are due: no other process gets them until the claim ends."""
        now = self._clock.now()
        return claim(self._engine, _select_due(now), partial(_take, now=now))

    @written
    def settle(self, connection: Connection, outgoing: Outgoing, outcome: DeliveryOutcome) -> None:
        """Record the outcome of a try; a failed delivery is retried until it is a day old.

        Nothing is recorded where the claim ended and another process took over.
        """
        table, now = tables.webhook_deliveries, self._clock.now()
        mine = and_(table.c.id == outgoing.id, table.c.claim == outgoing.claim, table.c.state == "waiting")
        old = and_(table.c.course_id == outgoing.course_id, table.c.state != "waiting")
        row = connection.execute(select(table).where(mine).with_for_update()).one_or_none()
        if row is None:
            return
        told = {"tried_at": now, "status": outcome.status, "reason": outcome.reason.value, "claim": None}
        if outcome.is_heard or now - row.created_at >= GIVEN_UP_AFTER:
            told["state"] = "delivered" if outcome.is_heard else "failed"
        else:
            wait = DELAYS_S[min(row.attempts, len(DELAYS_S)) - 1]
            told |= {"next_try_at": now + timedelta(seconds=wait), "claimed_until": None}
        connection.execute(update(table).where(mine).values(told))
        connection.execute(delete(table).where(old, table.c.created_at < now - KEPT))

    @written
    def note_ingest(self, connection: Connection, course_id: CourseId, ingested: Ingested) -> None:
        now, facts = self._clock.now(), asdict(ingested)
        queue_delivery(connection, course_id, INGESTED, (), now=now, facts=facts)

    def test(self, course_id: CourseId) -> Outgoing:
        """A test delivery, which is sent at once and not queued. `InvalidInput` without URL or secret."""
        row = self._row(select(tables.course_webhooks).filter_by(course_id=course_id))
        if row is None or row.url is None:
            raise InvalidInput(Fault("webhook.address_first"), field="webhook_url")
        if row.secret is None:
            raise InvalidInput(Fault("webhook.secret_first"), field="webhook_url")
        return Outgoing(
            id=_new_id(),
            course_id=course_id,
            kind=TEST,
            created_at=self._clock.now(),
            url=row.url,
            secret=row.secret,
            data={"course_id": course_id},
        )

    @written
    def record_test(self, connection: Connection, outgoing: Outgoing, outcome: DeliveryOutcome) -> Delivery:
        row = {
            "id": outgoing.id,
            "course_id": outgoing.course_id,
            "kind": outgoing.kind,
            "question_ids": [],
            "created_at": outgoing.created_at,
            "next_try_at": outgoing.created_at,
            "tried_at": self._clock.now(),
            "state": "delivered" if outcome.is_heard else "failed",
            "attempts": 1,
            "status": outcome.status,
            "reason": outcome.reason.value,
        }
        table = tables.webhook_deliveries
        connection.execute(insert(table).values(row))
        query = select(table).filter_by(id=outgoing.id)
        return from_row(Delivery, connection.execute(query).one())


def read_address(connection: Connection, course_id: CourseId) -> str | None:
    query = select(tables.course_webhooks.c.url).filter_by(course_id=course_id)
    found = connection.execute(query).scalar()
    return None if found is None else str(found)


def keep_address(connection: Connection, course_id: CourseId, url: str | None, now: datetime) -> None:
    """Set the course's webhook URL: what waits is retried at once, or fails where the URL is cleared."""
    hooks, waiting = tables.course_webhooks, tables.webhook_deliveries
    put_row(connection, hooks, {"course_id": course_id}, {"url": url})
    changed = update(waiting).filter_by(course_id=course_id, state="waiting")
    given_up = {"state": "failed", "reason": DeliveryReason.NO_ADDRESS.value}
    connection.execute(changed.values(given_up if url is None else {"next_try_at": now}))


def queue_delivery(
    connection: Connection,
    course_id: CourseId,
    kind: str,
    question_ids: Sequence[str],
    *,
    now: datetime,
    **named: object,
) -> None:
    """Queue a delivery in the caller's transaction; nothing where the course has no URL.

    `named` are further columns: the entry and version of an answer, the facts of an ingest.
    """
    if read_address(connection, course_id) is None:
        return
    row = {
        "id": _new_id(),
        "course_id": course_id,
        "kind": kind,
        "question_ids": list(question_ids),
        **named,
        "created_at": now,
        "next_try_at": now,
        "state": "waiting",
        "attempts": 0,
    }
    connection.execute(insert(tables.webhook_deliveries).values(row))


def _new_id() -> str:
    return f"msg_{secrets.token_hex(16)}"


def _select_due(now: datetime) -> Any:
    """The numbers of the deliveries to try: of each course its first, where its time has come."""
    table, hooks = tables.webhook_deliveries, tables.course_webhooks
    first = select(func.min(table.c.number)).where(table.c.state == "waiting").group_by(table.c.course_id)
    signed = select(hooks.c.course_id).where(hooks.c.secret.is_not(None))
    return (
        select(table.c.number)
        .where(
            table.c.number.in_(first),
            table.c.course_id.in_(signed),
            table.c.next_try_at <= now,
            or_(table.c.claimed_until.is_(None), table.c.claimed_until <= now),
        )
        .order_by(table.c.next_try_at)
        .limit(_AT_ONCE)
    )


def _take(connection: Connection, due: Row[Any], now: datetime) -> Outgoing | None:
    """Claim a delivery; None where its course has no address any more."""
    table, hooks = tables.webhook_deliveries, tables.course_webhooks
    here = table.c.number == due.number
    claimed = {"claim": secrets.token_hex(8), "claimed_until": now + CLAIMED_FOR}
    connection.execute(update(table).where(here).values(claimed | {"attempts": table.c.attempts + 1}))
    joined = select(table, hooks.c.url, hooks.c.secret).join_from(
        table, hooks, hooks.c.course_id == table.c.course_id
    )
    row = connection.execute(joined.where(here)).one()
    if row.url is None:
        gone = {"state": "failed", "reason": DeliveryReason.NO_ADDRESS.value}
        connection.execute(update(table).where(here).values(gone))
        return None
    return from_row(Outgoing, row, data=read_data(connection, row))
