"""How a course is cut for a language model, what of its replies holds, and what all of them make together."""

from __future__ import annotations

from itertools import chain

import factories as make
import pytest

from concept_graph.headings import ConceptSet
from concept_graph.model_graph import (
    LONGEST_NAME,
    LONGEST_QUOTE,
    Needed,
    Section,
    SectionReply,
    Taught,
    cut_sections,
    merge_sections,
    read_reply,
)
from vta.languages import Language
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair

COURSE = Course(id=CourseId("c"), name="C", domains=("cs",), language=Language.EN)
DEFINITION = "A **stack** is a list whose last\nitem leaves first."


def passage(title: str, text: str, document: str = "a.md") -> QAPair:
    return make.passage(text, title, id=f"{document}{title}{len(text)}", document=document)


FIRST = passage("Stacks", f"{DEFINITION} See [the table](https://x.example).")
SECOND = passage("Queues", "A queue is a list, unlike a stack. LIFO means last in, first out.")
(SECTION,) = cut_sections([FIRST, SECOND])


def taught(name: str = "stack", quote: str = "", number: int = 1, aliases: tuple[str, ...] = ()) -> Taught:
    return Taught(name=name, aliases=aliases, quote=quote, passage=number)


def needed(concept: str, needs: str, quote: str, number: int = 1) -> Needed:
    return Needed(concept=concept, needs=needs, quote=quote, passage=number)


def read(*concepts: Taught, needs: tuple[Needed, ...] = ()) -> tuple[ConceptSet, int]:
    return read_reply(SectionReply(concepts=concepts, prerequisites=needs), SECTION, COURSE)


def test_a_section_ends_at_a_heading_where_that_fits_and_with_its_document() -> None:
    """Small headings are read together, a long one in parts; every passage once, code and licences never."""
    small = [passage(f"Part {n}", "word " * 40) for n in range(5)]
    long = [passage("Long", "word " * (60 + n)) for n in range(5)]
    other = [passage("Other", "word", "b.md")]
    code = [passage("Code", "```\nx = 1\n```", "b.md"), passage("MIT", "word", "LICENSE.md")]
    sections = list(cut_sections([*small, *long, *other, *code], most=200))
    titles = [[pair.question for pair, _ in each.passages] for each in sections]
    assert titles[:2] == [["Part 0", "Part 1", "Part 2", "Part 3"], ["Part 4"]]
    assert titles[-1] == ["Other"]
    read = [pair for pair, _ in chain.from_iterable(each.passages for each in sections)]
    assert read == [*small, *long, *other]


def test_a_section_is_known_again_until_its_text_or_place_changes() -> None:
    (same,) = cut_sections([FIRST, SECOND])
    (longer,) = cut_sections([FIRST, passage("Queues", f"{SECOND.answer} It is fair.")])
    (moved,) = cut_sections([passage(each.question, each.answer, "b.md") for each in (FIRST, SECOND)])
    assert same.digest == SECTION.digest
    assert len({SECTION.digest, longer.digest, moved.digest}) == 3


def test_what_stands_in_the_passage_is_taken_from_there() -> None:
    """Without emphasis, on one line, whatever number the name has; with the passage as its place."""
    ((concept,), _), dropped = read(taught("Stacks", DEFINITION, aliases=("LIFO", "pile")))
    assert (concept.name, concept.aliases) == ("Stacks", ("LIFO",))
    assert concept.definition == "A stack is a list whose last item leaves first."
    assert (concept.document, concept.locator, concept.built) == ("a.md", FIRST.locator, True)
    assert dropped == 1


@pytest.mark.parametrize(
    "said",
    [
        taught("heap"),
        taught("sta"),
        taught("queue", number=1),
        taught(quote="A stack is a moon."),
        taught(quote=DEFINITION, number=2),
        taught(number=0),
        taught(number=-1),
        taught(number=3),
        taught(""),
        taught(quote="See [the table](https://x.example)."),
    ],
)
def test_a_concept_whose_words_stand_elsewhere_or_nowhere_is_dropped(said: Taught) -> None:
    assert read(said) == (((), ()), 1)


def test_a_name_in_bold_is_the_concept_of_that_name() -> None:
    """It has the id of the plain name, by which a teacher's edits find it."""
    ((concept,), _), _ = read(taught("**stack**"))
    assert (concept.id, concept.name) == ("c:stack", "stack")


def test_a_concept_is_first_seen_where_it_is_named_and_counted_once_a_section() -> None:
    """It is placed where it is explained; three namings in one section make it no surer than one."""
    named, explained = passage("1", "A heap."), passage("2", "A heap is a tree.", "b.md")
    replies = []
    for pair, concepts in (
        (named, (taught("heap"),) * 3),
        (explained, (taught("heap", "A heap is a tree."),)),
    ):
        (section,) = cut_sections([pair])
        replies.append(read_reply(SectionReply(concepts=concepts, prerequisites=()), section, COURSE)[0])
    ((once,), _), ((both,), _) = (merge_sections(replies[:n], COURSE) for n in (1, 2))
    assert (both.first_seen, both.document) == ("a.md", "b.md")
    assert once.score == 0.9


def test_a_quote_may_begin_with_the_heading_of_its_passage() -> None:
    """As on slides, where the text beneath does not name the thing; another heading is none of its words."""
    slide = passage("Queue", "First in, first out.\nWhoever came first is served first.")
    (section,) = cut_sections([slide, SECOND])

    def definition(quote: str) -> list[str]:
        reply = SectionReply(concepts=(taught("queue", quote),), prerequisites=())
        return [each.definition for each in read_reply(reply, section, COURSE)[0][0]]

    assert definition("Queue\nFirst in, first out.") == ["First in, first out."]
    assert definition("Queues\nFirst in, first out.") == definition("Queue\nLast out.") == []


def test_what_is_long_is_no_name_and_no_definition() -> None:
    """Though a passage holds it."""
    name, quote = "x" * (LONGEST_NAME + 1), "stack " * LONGEST_QUOTE
    section = Section(((FIRST, f"{name} {quote}"),))
    reply = SectionReply(concepts=(taught(name), taught(quote=quote)), prerequisites=())
    assert read_reply(reply, section, COURSE) == (((), ()), 2)


def test_a_prerequisite_rests_on_a_quote_that_names_both() -> None:
    good = needed("stack", "list", DEFINITION)
    bad = (
        needed("stack", "list", "A stack needs a list."),
        needed("stack", "queue", DEFINITION),
        needed("stack", "list", DEFINITION, 2),
        needed("stack", "list", ""),
    )
    (_, (edge,)), dropped = read(needs=(good, *bad))
    assert (edge.prerequisite, edge.concept, edge.is_sure) == ("c:list", "c:stack", True)
    assert edge.evidence == ("a.md > Stacks: A stack is a list whose last item leaves first.",)
    assert dropped == len(bad)


def test_sections_that_speak_of_one_concept_make_one() -> None:
    """By name or alias, in any spelling; its place is where it is explained first."""
    early, late = (
        passage("Early", "B-trees. SD here."),
        passage("Late", "A b tree is a tree. Standard deviation."),
    )
    replies = []
    for pair, concepts in (
        (early, (taught("B-trees"), taught("SD"))),
        (late, (taught("b tree", "A b tree is a tree."), taught("Standard deviation"))),
        (passage("Both", "Standard deviation (SD)."), (taught("standard deviation", aliases=("SD",)),)),
    ):
        (section,) = cut_sections([pair])
        replies.append(read_reply(SectionReply(concepts=concepts, prerequisites=()), section, COURSE)[0])
    tree, short, spelt = merge_sections(replies, COURSE)[0]
    assert (tree.name, tree.definition, tree.locator) == ("B-trees", "A b tree is a tree.", late.locator)
    assert (short.name, spelt.name, spelt.aliases) == ("SD", "Standard deviation", ())
    assert tree.score > spelt.score > short.score


def test_the_edges_of_all_sections_run_in_no_cycle_and_have_both_ends() -> None:
    """An end may be taught elsewhere or be called otherwise; the edge that more sections say stays."""
    text = "A stack is a pile. A pile is a stack. A stack needs a heap."
    (section,) = cut_sections([passage("One", text)])
    (again,) = cut_sections([passage("Two", "A pile is a stack.")])
    forth = needed("pile", "stack", "A pile is a stack.")
    back = needed("stack", "pile", "A stack is a pile.")
    loose = needed("stack", "heap", "A stack needs a heap.")
    reply = SectionReply(concepts=(taught("stack"), taught("pile")), prerequisites=(back, forth, loose))
    first, _ = read_reply(reply, section, COURSE)
    second = read_reply(SectionReply(concepts=(), prerequisites=(forth,)), again, COURSE)[0]
    _, edges = merge_sections([first, second], COURSE)
    assert [(each.prerequisite, each.concept) for each in edges] == [("c:stack", "c:pile")]
    assert len(edges[0].evidence) == 2
