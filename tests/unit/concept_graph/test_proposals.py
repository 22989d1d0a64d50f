"""What is asked of a language model for a graph, and what of its reply holds."""

from __future__ import annotations

import factories as make
import pytest

from concept_graph.mentions import DictionaryLinker
from concept_graph.proposals import (
    LONGEST_EXPLANATION,
    PASSAGES,
    IncompleteConcept,
    ProposalForm,
    Proposals,
    ProposedConcept,
    find_asked,
    read_reply,
)
from vta.languages import Language
from vta.types.concepts import Concept
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair

COURSE = Course(id=CourseId("c"), name="C", domains=("cs",), language=Language.EN)


def concept(name: str, definition: str = "", score: float = 0.9) -> Concept:
    return make.concept(name, definition=definition, domains=("cs",), score=score)


def passage(n: int, title: str, text: str) -> QAPair:
    return make.passage(text, title, id=str(n), document=f"{n}.md")


STACK, QUEUE, LIST = concept("stack", score=0.7), concept("queue", score=0.8), concept("list", "A row.")
CONCEPTS = (STACK, QUEUE, LIST)
FIRST = passage(1, "Lists", "A stack is a list. Know the list before you meet a stack.")
SECOND = passage(2, "The stack", "Who opens a stack takes the newest.")
GIVEN = (FIRST, SECOND)
ABOUT = IncompleteConcept(concept=STACK, passages=GIVEN)
LINKER = DictionaryLinker(CONCEPTS)


def link(text: str) -> list[Concept]:
    return [mention.concept for mention in LINKER.link(text, course=COURSE)]


def read(*said: ProposedConcept) -> Proposals:
    return read_reply(ProposalForm(concepts=said), [ABOUT], (*GIVEN, passage(3, "Other", "A stack.")))


def entry(name: str = "stack", number: int = 1, text: str = "A stack is a list.") -> ProposedConcept:
    return ProposedConcept(concept=name, passage=number, explanation=text)


def test_what_lacks_an_explanation_is_asked_about_unless_no_passage_names_it() -> None:
    """The surest first; the passage whose heading names the concept before those that mention it."""
    queue = passage(3, "Lines", "A queue serves the first.")
    asked = find_asked([*CONCEPTS, concept("heap")], (*GIVEN, queue), link)
    assert [(each.concept.name, each.passages) for each in asked] == [
        ("queue", (queue,)),
        ("stack", (SECOND, FIRST)),
    ]


def test_a_concept_is_asked_about_with_few_passages() -> None:
    """However many name it."""
    many = [passage(n, "x", "A stack.") for n in range(9)]
    assert len(find_asked([STACK], many, link)[0].passages) == PASSAGES


def test_an_explanation_has_the_place_of_its_passage() -> None:
    """On one line, whatever spelling the model gave to the name."""
    ((explained, said),) = read(entry("Stacks", 2, " A stack\nis  new. ")).explained
    assert (explained.definition, explained.document, explained.locator) == (
        "A stack is new.",
        "2.md",
        SECOND.locator,
    )
    assert (explained.id, said) == (STACK.id, SECOND)


@pytest.mark.parametrize(
    "said",
    [
        entry("queue"),
        entry("list"),
        entry("unheard of"),
        entry(number=0),
        entry(number=-1),
        entry(number=3),
        entry(number=99),
        entry(text="x" * (LONGEST_EXPLANATION + 1)),
    ],
)
def test_what_does_not_hold_is_dropped_and_counted(said: ProposedConcept) -> None:
    """Other concepts, and passages that were not given for this one."""
    assert read(said) == Proposals(dropped=1)


def test_a_concept_counts_once_and_nothing_said_is_no_fault() -> None:
    """The first entry of a concept is the one that counts."""
    found = read(entry(), entry(text="A stack is a queue."), entry(number=0, text=" "))
    assert [each.definition for each, _ in found.explained] == ["A stack is a list."]
    assert found.dropped == 1
