"""What a language model proposed is kept beside the graph, by the run and by teachers at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import factories as make

from services.graph.proposals import ProposalBook, change_book, read_book
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, CourseId
from vta.types.documents import CourseDocument

DS = CourseId("ds")


def concept(n: int, definition: str = "") -> Concept:
    return Concept(
        id=ConceptId(f"ds:{n}"),
        name=str(n),
        definition=definition,
        courses=(DS,),
        built=True,
        document="a.md",
    )


def note(n: int, book: ProposalBook) -> None:
    book.asked[concept(n).id] = concept(n)
    book.explain(concept(n, f"{n} is a number."), supported=n % 2 == 0)


def test_many_write_at_once_and_nothing_is_lost(stores):
    """Also the first two, which find nothing stored."""
    with ThreadPoolExecutor(6) as writers:
        list(writers.map(lambda n: change_book(stores.documents, DS, partial(note, n)), range(12)))
    book = read_book(stores.documents, DS)
    assert book.asked.keys() == {concept(n).id for n in range(12)}
    assert book.supported.keys() == {concept(n).id for n in range(0, 12, 2)}


def test_the_graph_holds_what_is_supported_and_nothing_that_waits(stores):
    """Neither explanations nor concepts; what is supported, while its passage says it."""
    file = CourseDocument(path="a.md", sha256="0", pairs=(make.passage("1 and 2.", course=DS),))
    stores.documents.apply(DS, put=[file])
    for n in (1, 2):
        change_book(stores.documents, DS, partial(note, n))
    for given in (DS, None):
        ((concepts, edges),) = stores.documents.concepts(given)
        assert [(each.name, each.definition, each.built) for each in concepts] == [
            ("2", "2 is a number.", False)
        ]
        assert edges == ()
    other = replace(file, pairs=(make.passage("Not 2.", course=DS),))
    stores.documents.apply(DS, put=[other])
    assert list(stores.documents.concepts(DS)) == []
    assert read_book(stores.documents, DS).supported == {}
