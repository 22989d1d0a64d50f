"""Documents that wait for their moment of release, on each database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import factories as make
import pytest
from clocks import SetClock

from services.documents.weeks import Week
from services.materials.passages import SqlReleases
from services.stores import Stores
from vta.errors import NotFound
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, CourseId
from vta.types.documents import CourseDocument

DS = CourseId("ds")
SOON = datetime.now(UTC) + timedelta(hours=1)


def document(path: str, *texts: str, **more: object) -> CourseDocument:
    pairs = tuple(
        make.passage(text, "Stack", id=f"{path}-{n}", course=DS, document=path)
        for n, text in enumerate(texts)
    )
    return replace(CourseDocument(path=path, sha256="0", pairs=pairs), **more)


@pytest.fixture
def stores(stores: Stores) -> Stores:
    stores.documents.apply(DS, put=[document("1.md", "One.", "Two."), document("2.md", "Three.")])
    return stores


def answering(stores: Stores) -> list[str]:
    return [each.answer for each in stores.documents.pairs(DS)]


def test_a_document_answers_nobody_until_its_moment_has_come(stores: Stores) -> None:
    """The index is told of both, and nothing is done a second time."""
    whole = list(stores.documents.pairs(DS))
    since = stores.documents.revision()
    stores.releases.set(DS, ["1.md"], SOON)
    assert answering(stores) == ["Three."]
    (waiting, other) = stores.documents.summaries(DS)
    assert (waiting.waits, waiting.release_at, waiting.pairs) == (True, SOON, 0)
    assert (other.waits, other.release_at) == (False, None)
    changes = stores.documents.changes(since)
    assert changes is not None
    assert set(changes.removed) == {"1.md-0", "1.md-1"}
    assert stores.releases.release_due() == 0

    later = SqlReleases(stores.engine, SetClock(SOON + timedelta(minutes=1)))
    since = stores.documents.revision()
    assert later.release_due() == 1
    assert list(stores.documents.pairs(DS)) == whole
    changes = stores.documents.changes(since)
    assert changes is not None
    assert [each.id for each in changes.put] == ["1.md-0", "1.md-1"]
    assert later.release_due() == 0
    (released, _) = stores.documents.summaries(DS)
    assert (released.waits, released.release_at) == (False, SOON)


@pytest.mark.parametrize("at", [None, datetime(2000, 1, 1, tzinfo=UTC)])
def test_a_document_is_released_at_once(stores: Stores, at: datetime | None) -> None:
    """By no moment, or by one that is past, which is kept for the next term."""
    stores.releases.set(DS, ["1.md", "2.md"], SOON)
    assert answering(stores) == []
    stores.releases.set(DS, ["1.md", "2.md"], at)
    assert answering(stores) == ["One.", "Two.", "Three."]
    assert {each.release_at for each in stores.documents.summaries(DS)} == {at}


def test_a_file_that_is_read_anew_still_waits(stores: Stores) -> None:
    stores.releases.set(DS, ["1.md"], SOON)
    stores.documents.apply(DS, put=[document("1.md", "One, put better.", sha256="1")])
    assert answering(stores) == ["Three."]
    assert SqlReleases(stores.engine, SetClock(SOON + timedelta(minutes=1))).release_due() == 1
    assert answering(stores) == ["One, put better.", "Three."]


def test_a_passage_that_is_off_stays_off_when_its_document_is_released(stores: Stores) -> None:
    """It can be switched while the document waits, and is no less part of what is exported."""
    stores.releases.set(DS, ["1.md"], SOON)
    first = stores.passages.file(DS, "1.md").passages[0]
    assert first.is_on
    stores.passages.switch(DS, "1.md", [first.digest], on=False)
    assert [each.is_on for each in stores.passages.file(DS, "1.md").passages] == [False, True]
    kept = stores.documents.document(DS, "1.md")
    assert kept is not None
    assert (kept.off, kept.release_at, len(kept.pairs)) == (("1.md-0",), SOON, 2)
    stores.releases.set(DS, ["1.md"], None)
    assert answering(stores) == ["Two.", "Three."]


def test_concepts_of_a_waiting_document_are_in_no_graph(stores: Stores) -> None:
    concept = Concept(id=ConceptId("ds:four"), name="four", courses=(DS,))
    stores.documents.apply(DS, put=[document("3.md", "Four.", concepts=(concept,))])
    stores.releases.set(DS, ["3.md"], SOON)
    assert [each for each, _ in stores.documents.concepts(DS)] == []
    stores.releases.set(DS, ["3.md"], None)
    assert [each for each, _ in stores.documents.concepts(DS)] == [(concept,)]


@pytest.mark.fault(case="T154")
@pytest.mark.parametrize("restored", [True, False])
def test_a_removed_document_waits_again_when_it_comes_back(stores: Stores, restored: bool) -> None:
    """Restored, or uploaded again."""
    stores.releases.set(DS, ["1.md"], SOON)
    stores.documents.apply(DS, put=(), remove=["1.md"])
    if restored:
        stores.removed_documents.restore(DS, ["1.md"])
    else:
        stores.documents.apply(DS, put=[document("1.md", "One, put better.", "Two.", sha256="1")])
    assert answering(stores) == ["Three."]
    assert SqlReleases(stores.engine, SetClock(SOON + timedelta(minutes=1))).release_due() == 1
    assert len(answering(stores)) == 3


@pytest.mark.parametrize("path", ["none.md", "/graph/built"])
def test_one_unknown_path_changes_nothing(stores: Stores, path: str) -> None:
    with pytest.raises(NotFound):
        stores.releases.set(DS, ["1.md", path], SOON)
    assert answering(stores) == ["One.", "Two.", "Three."]


def test_a_file_waits_for_the_later_of_its_date_and_its_week(stores: Stores) -> None:
    """The week with the longest path counts, and a change of it at once."""
    releases, far = stores.releases, Week(path="1", name="One", opens="2199-01-01")
    releases.set_week(DS, "", far)
    assert answering(stores) == ["Three."]
    releases.set_week(DS, "", Week(path="1.md", name="First", opens="2020-01-01"))
    assert answering(stores) == ["One.", "Two.", "Three."]
    releases.set(DS, ["1.md"], SOON)
    assert answering(stores) == ["Three."]
    releases.set_week(DS, "1.md", None)
    assert SqlReleases(stores.engine, SetClock(SOON + timedelta(days=1))).release_due() == 0
    releases.set_week(DS, "1", replace(far, opens="2020-01-01"))
    assert answering(stores) == ["Three."]
    assert SqlReleases(stores.engine, SetClock(SOON + timedelta(days=1))).release_due() == 1
    assert answering(stores) == ["One.", "Two.", "Three."]


def test_a_file_that_comes_or_comes_back_to_a_closed_week_waits(stores: Stores) -> None:
    """Put, replaced, or removed before the week was made and restored then."""
    stores.documents.apply(DS, put=(), remove=["1.md"])
    stores.releases.set_week(DS, "", Week(path="1", name="One", opens="2199-01-01"))
    stores.removed_documents.restore(DS, ["1.md"])
    stores.documents.apply(DS, put=[document("1/a.md", "Four."), document("10.md", "Five.")])
    assert answering(stores) == ["Five.", "Three."]
    stores.documents.apply(DS, put=[document("1/a.md", "Four, put better.", sha256="1")])
    assert answering(stores) == ["Five.", "Three."]
