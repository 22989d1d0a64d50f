"""What a language model said of passages, and the passages that carry it, on each database."""

from __future__ import annotations

from dataclasses import replace

import factories as make
import pytest

from services.materials.enrichment_store import Enrichment
from services.materials.rows import text_digest
from services.stores import Stores
from vta.languages import Language
from vta.types.courses import CourseId
from vta.types.documents import CourseDocument
from vta.types.pairs import Source

DS = CourseId("ds")
TEXTS = ("A stack is a list with one end.", "Push adds.", "Pop takes.")


def document(*texts: str, path: str = "a.md", **more: object) -> CourseDocument:
    pairs = tuple(
        make.passage(text, "Stack", id=f"{path}-{number}", course=DS, document=path)
        for number, text in enumerate(texts)
    )
    return replace(CourseDocument(path=path, sha256="0", pairs=pairs), **more)


def enrichment(text: str, *questions: str, summary: str = "") -> Enrichment:
    return Enrichment(
        digest=text_digest(text),
        questions=questions,
        summary=summary,
        languages=(Language.EN, Language.ZH),
        model="m",
        prompt=1,
    )


@pytest.fixture
def stores(stores: Stores) -> Stores:
    stores.documents.apply(DS, put=[document(*TEXTS), document("Push adds.", path="b.md")])
    stores.enrichments.keep(DS, enrichment("Push adds.", "How to add?", summary="About adding."))
    return stores


def carried(stores: Stores, course_id: CourseId = DS) -> list[tuple[str, ...]]:
    """What each passage is asked as."""
    return [each.asked_as for each in stores.documents.pairs(course_id)]


BOTH = ("How to add?", "About adding.")


def test_passages_of_a_text_carry_its_words_once_they_are_applied(stores):
    """The index is told of these passages alone; nothing is told where nothing changes."""
    before = stores.documents.revision()
    assert carried(stores) == [()] * 4
    revision = stores.enrichments.apply(DS)
    assert carried(stores) == [(), BOTH, (), BOTH]
    changes = stores.documents.changes(before)
    assert {pair.id for pair in changes.put} == {"a.md-1", "b.md-0"}
    assert (len(changes.removed), changes.concepts) == (0, False)
    assert stores.enrichments.apply(DS) == revision == stores.documents.revision()


def test_what_is_kept_comes_back_and_a_later_one_takes_its_place(stores):
    kept = enrichment("Push adds.", "Where does push put things?")
    stores.enrichments.keep(DS, kept)
    assert stores.enrichments.enrichments(DS) == {kept.digest: kept}
    assert stores.enrichments.count(DS) == 1


def test_documents_that_are_read_again_or_restored_carry_it_at_once(stores):
    """A text that changed does not, nor does an entry of the FAQ of the same text."""
    faq = make.pair("Push?", "Push adds.", id="f", course=DS, source=Source.FAQ, document="c.csv")
    table = CourseDocument(path="c.csv", sha256="0", pairs=(faq,))
    stores.documents.apply(DS, put=[document("Push adds!", "Push adds."), table], remove=["b.md"])
    assert carried(stores) == [(), BOTH, ()]
    stores.removed_documents.restore(DS, ["b.md"])
    assert carried(stores) == [(), BOTH, BOTH, ()]


def test_removal_leaves_nothing_also_in_what_is_switched_off_or_restored(stores):
    stores.enrichments.apply(DS)
    stores.documents.apply(DS, put=[], remove=["b.md"])
    stores.passages.switch(DS, "a.md", [text_digest("Push adds.")], on=False)
    stores.enrichments.remove(DS)
    stores.passages.switch(DS, "a.md", [text_digest("Push adds.")], on=True)
    stores.removed_documents.restore(DS, ["b.md"])
    assert carried(stores) == [()] * 4
    assert stores.enrichments.count(DS) == 0


def test_a_course_takes_the_words_along_and_leaves_none_when_it_goes(stores):
    """Read out and put into a store again, its passages are found by them."""
    stores.enrichments.apply(DS)
    with stores.transfer.reading(DS) as content:
        documents = list(content.documents())
    stores.courses.remove(DS)
    assert stores.enrichments.count(DS) == 0
    stores.courses.add(make.course("ds", "maths"))
    stores.documents.apply(DS, put=documents)
    assert carried(stores) == [(), BOTH, (), BOTH]
