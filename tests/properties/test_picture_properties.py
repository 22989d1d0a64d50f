"""Laws of the picture of a neighbourhood, whatever the concepts are called."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import example, given
from hypothesis import strategies as st

from concept_graph.picture import draw_neighbourhood, shorten, text_width
from vta.languages import Language
from vta.types.concepts import Concept, Neighbourhood
from vta.types.courses import ConceptId

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {f"{SVG}{tag}" for tag in ("svg", "title", "desc", "style", "g", "path", "rect", "text")}
names = st.text(max_size=60)


@given(st.lists(names, max_size=8), st.lists(names, max_size=4), st.sampled_from(Language))
@example(["<&\"'>]]>", "\x00\x1b\ud800\ufffe", "مكدس", "\u202eabc\u2066"], ["栈" * 50], Language.ZH)
def test_a_picture_is_well_formed_whatever_the_names_are(
    before: list[str], after: list[str], language: Language
) -> None:
    """XML with the known elements only, a box a concept, no reference and no event; UTF-8 can hold it."""
    concepts = [Concept(id=ConceptId(str(n)), name=name) for n, name in enumerate(["it", *before, *after])]
    columns = (tuple(concepts[1 : len(before) + 1][:4]), tuple(concepts[1 : len(before) + 1][4:]))
    picture = draw_neighbourhood(
        Neighbourhood(
            concept=concepts[0],
            before=tuple(column for column in columns if column),
            after=tuple(concepts[len(before) + 1 :]),
            order=tuple((each.id, concepts[0].id) for each in columns[0]),
        ),
        language,
    )
    root = ET.fromstring(picture.encode("utf-8"))
    assert {element.tag for element in root.iter()} <= DRAWN
    assert len(root.findall(f"{SVG}svg")) == len(concepts)
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not any(name.startswith("on") or "href" in name or name == "id" for name in attributes)


@given(names)
def test_a_cut_name_fits_its_box(name: str) -> None:
    """At most two lines, none empty and none wider than 15 units."""
    lines = shorten(name)
    assert 1 <= len(lines) <= 2
    assert all(lines)
    assert all(text_width(line) <= 15 for line in lines)


@given(st.text("ab 栈队", max_size=40))
def test_a_cut_name_says_that_it_is_cut(name: str) -> None:
    """Without an ellipsis nothing but space is lost; with one, the name goes on after what is shown."""
    shown, whole = "".join(shorten(name)).replace(" ", ""), "".join(name.split())
    if shown.endswith("…"):
        assert not whole or (whole.startswith(shown[:-1]) and len(whole) >= len(shown))
    else:
        assert shown == whole
