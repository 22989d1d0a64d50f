"""Edits of the graph: what each does, and when one does nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from concept_graph.edited_course import apply_edits
from concept_graph.graph import NetworkxConceptGraph
from concept_graph.headings import ConceptSet
from concept_graph.names import concept_id
from vta.types.concepts import (
    AddConcept,
    Concept,
    ConceptEdge,
    ExplainConcept,
    GraphEdit,
    LinkConcepts,
    MergeConcepts,
    RecordedEdit,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)
from vta.types.courses import ConceptId, CourseId
from vta.types.pairs import Locator

DS, ML = CourseId("ds"), CourseId("ml")


def concept(name: str, *aliases: str, course: CourseId = DS, definition: str = "built") -> Concept:
    return Concept(
        id=concept_id(course, name), name=name, aliases=aliases, definition=definition, domains=("cs",),
        courses=(course,), score=0.6, built=True, document="a.md", locator=Locator(page=3),
    )  # fmt: skip


def edge(before: str, after: str, score: float = 0.6) -> ConceptEdge:
    return ConceptEdge(
        prerequisite=concept_id(DS, before), concept=concept_id(DS, after), score=score, evidence=("seen",)
    )


BUILT: ConceptSet = (
    (concept("list"), concept("stack", "LIFO"), concept("stack frame"), concept("library")),
    (edge("list", "stack"), edge("stack", "stack frame"), edge("library", "stack")),
)


def recorded(*edits: GraphEdit, course: CourseId = DS) -> list[RecordedEdit]:
    at = datetime(2024, 3, 1, tzinfo=UTC)
    return [
        RecordedEdit(course_id=course, number=n, edit=edit, created_at=at) for n, edit in enumerate(edits, 1)
    ]


def edited(*edits: GraphEdit, built: ConceptSet = BUILT) -> tuple[dict[str, Concept], set[tuple[str, str]]]:
    """Concepts by name and edges by names after edits that all have an effect."""
    (concepts, edges), idle = apply_edits(built, recorded(*edits))
    assert idle == ()
    names = {each.id: each.name for each in concepts}
    return {c.name: c for c in concepts}, {(names[e.prerequisite], names[e.concept]) for e in edges}


def test_no_edits_leave_the_graph_as_it_is() -> None:
    """The same concepts and edges come back."""
    assert apply_edits(BUILT, []) == (BUILT, ())


def test_an_added_concept_is_curated_and_sure() -> None:
    """It is of the course, with what was given of it; one that was found as well keeps its place."""
    added = AddConcept(name="queue", aliases=("FIFO",), definition="d", domains=("cs",))
    concepts, _ = edited(added)
    assert concepts["queue"] == Concept(
        id=concept_id(DS, "queue"), name="queue", aliases=("FIFO",), definition="d", domains=("cs",),
        courses=(DS,), curated=True,
    )  # fmt: skip
    again, _ = edited(AddConcept(name="Stacks", definition="by hand", aliases=("pile", "lifo")))
    assert "Stacks" not in again
    assert (again["stack"].definition, again["stack"].aliases) == ("by hand", ("LIFO", "pile"))
    assert (again["stack"].document, again["stack"].curated) == ("a.md", True)


def test_a_rejected_concept_goes_with_its_edges() -> None:
    """Nothing else changes."""
    concepts, edges = edited(RejectConcept(concept="library"))
    assert list(concepts.values()) == [each for each in BUILT[0] if each.name != "library"]
    assert edges == {("list", "stack"), ("stack", "stack frame")}


def test_a_renamed_concept_keeps_all_but_its_name() -> None:
    """The old name is an alias, the edges follow, and later edits know it by the new name."""
    concepts, edges = edited(
        RenameConcept(concept="stack", name="pushdown list"),
        ExplainConcept(concept="Pushdown  List", definition="d"),
    )  # fmt: skip
    renamed = concepts["pushdown list"]
    assert (renamed.id, renamed.aliases) == (concept_id(DS, "pushdown list"), ("stack", "LIFO"))
    assert (renamed.definition, renamed.document, renamed.curated) == ("d", "a.md", True)
    assert edges == {
        ("list", "pushdown list"),
        ("pushdown list", "stack frame"),
        ("library", "pushdown list"),
    }


def test_a_name_may_change_in_its_spelling_alone() -> None:
    """The concept stays the same one, without an alias that says the same."""
    concepts, edges = edited(RenameConcept(concept="stack", name="Stack"))
    assert (concepts["Stack"].id, concepts["Stack"].aliases) == (concept_id(DS, "stack"), ("LIFO",))
    assert ("list", "Stack") in edges


def test_a_name_that_was_left_is_free_again() -> None:
    """Another concept can take it."""
    concepts, _ = edited(RenameConcept(concept="stack", name="pile"), AddConcept(name="stack"))
    assert {"pile", "stack"} <= concepts.keys()
    assert concepts["stack"].definition == ""


def test_a_concept_that_a_build_found_under_its_new_name_too_is_one() -> None:
    """Renaming to a name that is there by now merges the two."""
    concepts, edges = edited(RenameConcept(concept="stack frame", name="list"))
    assert concepts["list"].aliases == ("stack frame",)
    assert edges == {("list", "stack"), ("stack", "list"), ("library", "stack")}


def test_merged_concepts_are_one_with_the_names_and_edges_of_both() -> None:
    """The first keeps its name and explanation, and an edge between the two is gone."""
    concepts, edges = edited(MergeConcepts(concept="stack", other="stack frame"))
    assert concepts["stack"].aliases == ("LIFO", "stack frame")
    assert concepts["stack"].definition == "built"
    assert edges == {("list", "stack"), ("library", "stack")}
    filled, _ = edited(AddConcept(name="pile"), MergeConcepts(concept="pile", other="stack"))
    assert (filled["pile"].definition, filled["pile"].document) == ("built", "a.md")


def test_an_explanation_by_a_person_beats_a_built_one() -> None:
    """The last one given counts, and the place where the concept is taught stays."""
    concepts, _ = edited(*(ExplainConcept(concept="stack", definition=text) for text in ("one", "two")))
    assert (concepts["stack"].definition, concepts["stack"].locator) == ("two", Locator(page=3))


def test_an_explanation_is_taken_away_alone() -> None:
    """The concept stays as it was found, neither accepted nor removed, and so do its edges."""
    concepts, edges = edited(ExplainConcept(concept="stack", definition=""))
    built, before = edited()
    assert built["stack"].definition
    assert (concepts["stack"], edges) == (replace(built["stack"], definition=""), before)


def test_a_link_is_sure_and_says_where_it_comes_from() -> None:
    """The evidence is what the person gave, else the number of the edit; a built edge gains it."""
    (_, edges), _ = apply_edits(
        BUILT,
        recorded(
            LinkConcepts(prerequisite="list", concept="library"),
            LinkConcepts(prerequisite="list", concept="stack", evidence="page 3"),
        ),
    )
    by_ends = {(each.prerequisite, each.concept): each for each in edges}
    made = by_ends[concept_id(DS, "list"), concept_id(DS, "library")]
    assert (made.score, made.evidence, made.curated) == (1.0, ("graph edit 1",), True)
    confirmed = by_ends[concept_id(DS, "list"), concept_id(DS, "stack")]
    assert (confirmed.score, confirmed.evidence, confirmed.curated) == (1.0, ("seen", "page 3"), True)


def test_a_link_wins_over_a_built_edge_that_says_the_contrary() -> None:
    """Where a later build closes a cycle with it, the built edge is the weaker one."""
    graph, _ = apply_edits(BUILT, recorded(LinkConcepts(prerequisite="stack", concept="list")))
    kept = {(each.prerequisite, each.concept) for each in NetworkxConceptGraph(*graph).edges()}
    assert (concept_id(DS, "stack"), concept_id(DS, "list")) in kept
    assert (concept_id(DS, "list"), concept_id(DS, "stack")) not in kept


def test_an_unlinked_edge_is_gone() -> None:
    """The concepts stay."""
    concepts, edges = edited(UnlinkConcepts(prerequisite="library", concept="stack"))
    assert len(concepts) == 4
    assert edges == {("list", "stack"), ("stack", "stack frame")}


@pytest.mark.parametrize(
    "edit",
    [
        RejectConcept(concept="gone"),
        RejectConcept(concept="LIFO"),
        RenameConcept(concept="gone", name="new"),
        MergeConcepts(concept="stack", other="gone"),
        MergeConcepts(concept="gone", other="stack"),
        MergeConcepts(concept="stack", other="Stacks"),
        ExplainConcept(concept="gone", definition="d"),
        LinkConcepts(prerequisite="gone", concept="stack"),
        LinkConcepts(prerequisite="stack", concept="stack"),
        UnlinkConcepts(prerequisite="stack", concept="gone"),
        UnlinkConcepts(prerequisite="stack frame", concept="stack"),
    ],
)
def test_an_edit_of_what_is_not_there_any_more_has_no_effect(edit: GraphEdit) -> None:
    """It is told, and the edits after it are applied; an alias is not the concept it was."""
    last = RejectConcept(concept="library")
    (concepts, _), idle = apply_edits(BUILT, recorded(edit, last))
    assert [each.number for each in idle] == [1]
    assert concepts == tuple(each for each in BUILT[0] if each.name != "library")


def test_edits_touch_their_own_course_only() -> None:
    """A concept of the same name in another course stays as it was."""
    other = concept("stack", course=ML)
    built = ((*BUILT[0], other), BUILT[1])
    edits = [*recorded(RejectConcept(concept="stack")), *recorded(AddConcept(name="tensor"), course=ML)]
    (concepts, _), idle = apply_edits(built, edits)
    assert idle == ()
    assert {each.id for each in concepts} == {
        *(concept_id(DS, name) for name in ("list", "stack frame", "library")),
        other.id,
        ConceptId("ml:tensor"),
    }  # fmt: skip
