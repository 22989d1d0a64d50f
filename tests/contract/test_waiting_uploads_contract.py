"""Uploads that wait for a yes, which every server of a database finds."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from io import BytesIO

import pytest
from sqlalchemy import update

from services.store import tables
from services.store.waiting_uploads import KEPT, MOST_KEPT
from services.stores import Stores
from vta.errors import NotFound
from vta.types.courses import CourseId

DS = CourseId("ds")
LONG = bytes(range(256)) * 3000


@pytest.fixture
def uploads(stores: Stores):
    return stores.waiting_uploads


@pytest.mark.fault(case="T142")
def test_files_come_back_byte_for_byte_until_somebody_has_removed_them(uploads):
    """In the order in which they were given; another course has none of them."""
    given = {"a/长.pdf": LONG, "empty.md": b""}
    kept = uploads.add(DS, {"plan": 1}, [(path, partial(BytesIO, text)) for path, text in given.items()])
    found: dict[str, bytes] = {}
    for path, piece in uploads.pieces(kept):
        found[path] = found.get(path, b"") + piece
    assert (found, uploads.details(DS, kept)) == (given, {"plan": 1})
    for of_course in (partial(uploads.details, CourseId("ml")), partial(uploads.remove, CourseId("ml"))):
        with pytest.raises(NotFound):
            of_course(kept)
    uploads.remove(DS, kept)
    with pytest.raises(NotFound):
        uploads.remove(DS, kept)
    assert list(uploads.pieces(kept)) == []


def test_the_oldest_gives_way_and_what_nobody_wanted_goes_after_a_day(uploads, stores):
    kept = [uploads.add(DS, {}, []) for _ in range(MOST_KEPT + 1)]
    with pytest.raises(NotFound):
        uploads.details(DS, kept[0])
    assert uploads.details(DS, kept[1]) == {}
    with stores.engine.begin() as connection:
        table = tables.waiting_uploads
        earlier = {"made_at": uploads._clock.now() - KEPT - timedelta(minutes=1)}
        connection.execute(update(table).filter_by(id=kept[2]).values(earlier))
    uploads.add(CourseId("ml"), {}, [])
    with pytest.raises(NotFound):
        uploads.details(DS, kept[2])
