"""The linker finds what a plain search of every place finds, and forgives what plain distances allow."""

from __future__ import annotations

from itertools import accumulate

import rjieba
from hypothesis import example, given
from hypothesis import strategies as st

from concept_graph.mentions import DictionaryLinker
from concept_graph.misspellings import Misspellings, one_mistake
from concept_graph.names import plural, singular
from vta.languages import Language
from vta.text import normalise
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, Course, CourseId

COURSE = Course(id=CourseId("0"), name="C", domains=("d",), language=Language.EN)
PIECES = (
    "ab",
    "a",
    "b",
    "abs",
    " ",
    "-",
    "c++",
    "c",
    "数组",
    "参数",
    "组成",
    "图",
    "图书馆",
    "二叉",
    "树",
    "。",
)

pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join).filter(normalise)
concepts = st.lists(
    st.tuples(pieces, st.sampled_from("012"), st.sampled_from(("d", "D ", "e"))), max_size=12, unique=True
).map(
    lambda rows: [
        Concept(id=ConceptId(str(n)), name=name, courses=(CourseId(course),), domains=(domain,))
        for n, (name, course, domain) in enumerate(rows)
    ]
)
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def latin(character: str) -> bool:
    return character == "_" or (character.isalnum() and not "\u3400" <= character <= "\u9fff")


def may_stand(text: str, start: int, end: int) -> bool:
    inner = text[start:end]
    if latin(inner[0]) and latin(text[start - 1 : start] or " "):
        return False
    if latin(inner[-1]) and (latin(text[end : end + 1] or " ") or text[end:].startswith(("++", "#"))):
        return False
    if not any("\u3400" <= end_of <= "\u9fff" for end_of in (inner[0], inner[-1])):
        return True
    cuts = list(accumulate(map(len, rjieba.cut(text, False)), initial=0))
    if len(inner) == 1:
        return start in cuts and end in cuts
    return start in cuts or end in cuts or not any(start < cut < end for cut in cuts)


def scan(text: str, known: list[Concept]) -> list[tuple[int, int, str]]:
    """Every place from the left, every end from the longest, every concept by its closeness."""
    forms: dict[str, list[tuple[bool, bool, float, str]]] = {}
    for each in known:
        name = normalise(each.name)
        own = COURSE.id in each.courses
        if own or normalise(each.domains[0]) == "d":
            for form in {name, singular(name), plural(singular(name))}:
                forms.setdefault(form, []).append((not own, form != name, -each.score, each.id))
    found: list[tuple[int, int, str]] = []
    start = 0
    while start < len(text):
        ends = [
            e for e in range(len(text), start, -1) if text[start:e] in forms and may_stand(text, start, e)
        ]
        if ends:
            found.append((start, ends[0], min(forms[text[start : ends[0]]])[3]))
        start = ends[0] if ends else start + 1
    first = {concept: (start, end, concept) for start, end, concept in reversed(found)}
    return sorted(first.values())


@given(concepts, texts)
@example([Concept(id=ConceptId("0"), name="图书馆图", courses=(COURSE.id,), domains=("d",))], "图书馆树")
def test_mentions_are_those_of_a_plain_scan(known: list[Concept], text: str) -> None:
    """Longest match, word boundaries, nesting and the course's preference, all as by trying everything.

    Where nothing is found, a name of the course with one mistake may be.
    """
    linked = DictionaryLinker(known).link(text, course=COURSE)
    found = [(each.start, each.end, each.concept.id) for each in linked]
    own = [each for each in known if COURSE.id in each.courses]
    forgiven = [(start, end, each.id) for each, start, end in Misspellings(own).find(normalise(text))]
    exact = scan(normalise(text), known)
    assert found == exact or (not exact and found and set(found) <= set(forgiven))


words = st.text("abc1 ", min_size=1, max_size=8)


def mistakes(name: str) -> set[str]:
    """All that one mistake makes of a name."""
    letters = "abc "
    places = range(1, len(name))
    made = {name[:n] + name[n + 1 :] for n in places if name[n] != "1"}
    made |= {name[:n] + c + name[n:] for n in range(1, len(name) + 1) for c in letters}
    made |= {name[:n] + c + name[n + 1 :] for n in places[:-1] for c in letters if name[n] != "1"}
    made |= {
        name[:n] + name[n + 1] + name[n] + name[n + 2 :] for n in places[:-1] if "1" not in name[n : n + 2]
    }
    return made - {name}


@given(words, words, st.data())
def test_a_mistake_is_one_of_those_listed(name: str, other: str, data: st.DataObject) -> None:
    """`one_mistake` says yes to exactly what all single mistakes make of a name."""
    made = mistakes(name)
    assert one_mistake(name, other) == (other in made)
    if made:
        assert one_mistake(name, data.draw(st.sampled_from(sorted(made))))
