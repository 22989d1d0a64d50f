"""What is kept of passages that are switched off, and of documents that were removed, on each database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import factories as make
import pytest
from clocks import SetClock
from plain_faults import plain

from services.documents.removed import KEPT, SqlRemovedDocuments
from services.stores import Stores
from vta.errors import NotFound
from vta.languages import Language
from vta.types.answers import Rejection
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, CourseId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair

DS = CourseId("ds")
TEXTS = ("A stack is a list with one end.", "Push adds.", "Pop takes.")


def pair(number: int, text: str, path: str = "a.md") -> QAPair:
    return make.passage(text, "Stack", id=f"{path}-{number}", course=DS, document=path)


def document(*texts: str, path: str = "a.md", **more: object) -> CourseDocument:
    pairs = tuple(pair(number, text, path) for number, text in enumerate(texts))
    return replace(CourseDocument(path=path, sha256="0", pairs=pairs), **more)


@pytest.fixture
def stores(stores: Stores) -> Stores:
    stores.documents.apply(DS, put=[document(*TEXTS)])
    return stores


@pytest.fixture
def removed(stores) -> SqlRemovedDocuments:
    """The removed documents as they are seen now."""
    return SqlRemovedDocuments(stores.engine, SetClock(datetime.now(UTC)))


def answering(stores: Stores) -> list[str]:
    return [each.answer for each in stores.documents.pairs(DS)]


def switch(stores: Stores, *texts: str, on: bool = False, path: str = "a.md") -> None:
    digests = {each.pair.answer: each.digest for each in stores.passages.file(DS, path).passages}
    stores.passages.switch(DS, path, [digests[text] for text in texts], on=on)


def states(stores: Stores, path: str = "a.md") -> list[tuple[str, bool]]:
    return [(each.pair.answer, each.is_on) for each in stores.passages.file(DS, path).passages]


def test_a_passage_that_is_off_is_read_by_nobody_but_its_own_page(stores):
    """Its place among the others stays; on again, all is as it was."""
    whole = list(stores.documents.pairs(DS))
    switch(stores, "Push adds.", "A stack is a list with one end.")
    assert answering(stores) == ["Pop takes."]
    assert [each.answer for each in stores.documents.passages(DS, "a.md")] == ["Pop takes."]
    assert states(stores) == [(TEXTS[0], False), (TEXTS[1], False), (TEXTS[2], True)]
    (summary,) = stores.documents.summaries(DS)
    assert (summary.pairs, summary.off) == (1, 2)
    switch(stores, TEXTS[1], TEXTS[0], on=True)
    assert list(stores.documents.pairs(DS)) == whole


def test_the_index_is_told_of_a_switched_passage_alone(stores):
    """The change log names what goes and what comes."""
    since = stores.documents.revision()
    switch(stores, "Push adds.")
    changes = stores.documents.changes(since)
    assert (changes.put, set(changes.removed)) == ((), {"a.md-1"})
    since = stores.documents.revision()
    switch(stores, "Push adds.", on=True)
    changes = stores.documents.changes(since)
    assert ([each.id for each in changes.put], set(changes.removed)) == (["a.md-1"], set())


def test_a_file_that_is_read_again_keeps_its_switches_by_text(stores):
    """Wherever the text stands now; where it is gone this is said, and off again where it comes back."""
    switch(stores, "Push adds.")
    stores.documents.apply(DS, put=[document("New.", "Pop takes.", "Push adds.")])
    assert states(stores) == [("New.", True), ("Pop takes.", True), ("Push adds.", False)]
    stores.documents.apply(DS, put=[document("New.", "Push adds things.")])
    assert answering(stores) == ["New.", "Push adds things."]
    assert stores.passages.file(DS, "a.md").lost == 1
    stores.documents.apply(DS, put=[document(*TEXTS)])
    assert answering(stores) == [TEXTS[0], TEXTS[2]]


def test_a_text_is_switched_in_its_file_alone_and_there_everywhere(stores):
    """The same words in another file go on answering; twice in one file they are off together."""
    stores.documents.apply(DS, put=[document("Push adds.", "Push adds.", path="b.md")])
    switch(stores, "Push adds.", path="b.md")
    assert answering(stores) == list(TEXTS)
    assert states(stores, "b.md") == [("Push adds.", False)] * 2


def test_an_explanation_goes_with_the_passage_it_is_taken_from(stores):
    """Whichever document keeps it; what people wrote or another file says stays."""
    said = TEXTS[0]
    stack, push, pop = (
        Concept(id=ConceptId(name), name=name, definition=said, document=path)
        for name, path in (("stack", "a.md"), ("push", "a.md"), ("pop", "b.md"))
    )
    concepts = (stack, replace(push, definition="By hand.", curated=True), pop)
    built = CourseDocument(path="/graph/built", sha256="0", concepts=concepts)
    stores.documents.apply(DS, put=[built, document(said, path="b.md")])
    since = stores.documents.revision()
    switch(stores, said)
    assert stores.documents.changes(since).concepts
    ((read, _),) = list(stores.documents.concepts())
    assert [each.definition for each in read] == ["", "By hand.", said]
    switch(stores, said, on=True)
    ((read, _),) = list(stores.documents.concepts())
    assert read == concepts


def test_what_is_not_there_cannot_be_switched(stores):
    """A path, a text, or a document that the platform keeps for itself: nothing changes."""
    since = stores.documents.revision()
    stores.documents.apply(DS, put=[CourseDocument(path="/graph/built", sha256="0")])
    for path, digests in (("none.md", []), ("/graph/built", []), ("a.md", ["0" * 32])):
        with pytest.raises(NotFound):
            stores.passages.switch(DS, path, digests, on=False)
    assert stores.documents.revision() == since + 1


def test_the_problems_of_a_file_are_kept_with_it_in_both_languages(stores):
    """Until it is read again."""
    faulty = Rejection(path="a.md", fault=plain("row 3 has no answer"), line=3)
    stores.documents.apply(DS, put=[document(*TEXTS, rejected=(faulty,))])
    (problem,) = stores.passages.file(DS, "a.md").problems
    assert "row 3" in problem[Language.ZH]
    assert "row 3" in problem[Language.EN]
    assert stores.documents.summaries(DS)[0].problems == 1
    stores.documents.apply(DS, put=[document(*TEXTS)])
    assert stores.passages.file(DS, "a.md").problems == ()


def test_a_removed_document_is_restored_as_it_was(stores, removed):
    """With its switches, its concepts, and the moment it was read; the index is told both times."""
    switch(stores, "Push adds.")
    before = stores.documents.document(DS, "a.md"), stores.passages.file(DS, "a.md")
    stores.documents.apply(DS, put=[], remove=["a.md"])
    assert (answering(stores), [each.path for each in removed.documents(DS)]) == ([], ["a.md"])
    assert removed.documents(DS)[0].pairs == 3
    since = stores.documents.revision()
    removed.restore(DS, ["a.md"])
    assert (stores.documents.document(DS, "a.md"), stores.passages.file(DS, "a.md")) == before
    assert [each.id for each in stores.documents.changes(since).put] == ["a.md-0", "a.md-2"]
    assert removed.documents(DS) == ()


def test_a_restoration_is_whole_or_not_at_all(stores, removed):
    """One path that is not kept any more, and nothing is restored."""
    stores.documents.apply(DS, put=[], remove=["a.md"])
    with pytest.raises(NotFound, match=r"never\.md"):
        removed.restore(DS, ["a.md", "never.md"])
    assert answering(stores) == []


def test_a_file_that_comes_again_takes_over_the_switches_of_the_removed_one(stores, removed):
    """And then there is nothing to restore any more."""
    switch(stores, "Push adds.")
    stores.documents.apply(DS, put=[], remove=["a.md"])
    stores.documents.apply(DS, put=[document(*TEXTS)])
    assert answering(stores) == [TEXTS[0], TEXTS[2]]
    assert removed.documents(DS) == ()


def test_removed_documents_are_kept_for_thirty_days(stores, removed):
    """Then they are neither shown nor restored, and a sweep erases them."""
    stores.documents.apply(DS, put=[], remove=["a.md"])
    later = SqlRemovedDocuments(stores.engine, SetClock(datetime.now(UTC) + KEPT + timedelta(minutes=1)))
    assert removed.purge() == 0
    assert later.documents(DS) == ()
    with pytest.raises(NotFound):
        later.restore(DS, ["a.md"])
    assert (later.purge(), removed.documents(DS)) == (1, ())


def test_what_the_platform_keeps_for_itself_is_not_among_the_removed(stores, removed):
    """Entries have their own history, and graphs are built anew."""
    stores.documents.apply(DS, put=[CourseDocument(path="/graph/built", sha256="0")])
    stores.documents.apply(DS, put=[], remove=["/graph/built"])
    assert removed.documents(DS) == ()


def test_a_course_takes_its_switches_along(stores):
    """A course that is read out and put into a store has the same passages off."""
    switch(stores, "Push adds.")
    with stores.transfer.reading(DS) as content:
        (taken,) = content.documents()
    assert [each.answer for each in taken.pairs] == list(TEXTS)
    assert taken.off == ("a.md-1",)
    stores.documents.apply(DS, put=[], remove=["a.md"])
    stores.documents.apply(DS, put=[replace(taken, path="b.md")])
    assert answering(stores) == [TEXTS[0], TEXTS[2]]
