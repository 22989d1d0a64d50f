"""GraphML, written and read back."""

from __future__ import annotations

import json

import networkx as nx
import pytest

from concept_graph.graphml import read_graphml, write_graphml
from concept_graph.headings import ConceptSet
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, Course, CourseId


def test_graphml_holds_concepts_and_edges() -> None:
    """Another reader finds the names, lists, scores and evidence, and no character that XML forbids."""
    stack = Concept(
        id=ConceptId("ds:栈"), name="栈", aliases=("stack", "<lifo>"), definition="a\u0000 & b", score=0.5
    )
    array = Concept(id=ConceptId("ds:数组"), name="数组")
    found = ConceptEdge(prerequisite=array.id, concept=stack.id, score=0.25, evidence=('"x"', "y"))
    graph = nx.parse_graphml(write_graphml([stack, array], [found]))
    assert graph.nodes["ds:栈"]["definition"] == "a & b"
    assert json.loads(graph.nodes["ds:栈"]["aliases"]) == ["stack", "<lifo>"]
    assert graph.nodes["ds:栈"]["score"] == 0.5
    edge = graph.edges["ds:数组", "ds:栈"]
    assert (edge["score"], json.loads(edge["evidence"])) == (0.25, ['"x"', "y"])


COURSE = Course(id=CourseId("ds"), name="数据结构", domains=("计算机",), language=Language.ZH)
HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
KEYS = "".join(
    f'<key id="k{name}" for="all" attr.name="{name}" attr.type="string"/>'
    for name in ("name", "label", "aliases", "definition", "score", "evidence", "colour")
)
STACK = '<node id="1"><data key="kname">栈</data></node>'
LIST = '<node id="2"><data key="klabel">线性表</data></node>'


def document(body: str, directed: str = "directed") -> bytes:
    return f'{HEAD}{KEYS}<graph edgedefault="{directed}">{body}</graph></graphml>'.encode()


def read(data: bytes) -> ConceptSet:
    return read_graphml(data, path="g.graphml", course=COURSE)


def test_nodes_are_concepts_and_edges_run_from_what_comes_first() -> None:
    """Called by name, label or id; what tools add is passed over."""
    (stack, array, queue), (edge,) = read(
        document(
            '<desc>by hand</desc><node id="1"><data key="kname">栈</data>'
            '<data key="kaliases">["stack"]</data><data key="kdefinition">后进先出 &amp; 一端</data>'
            '<data key="kscore">0.5</data><data key="kcolour">red</data></node>'
            f'{LIST}<node id="队列"/>'
            '<edge source="2" target="1"><data key="kscore">0.25</data>'
            '<data key="kevidence">["p. 3"]</data></edge>'
        )
    )
    assert (stack.name, stack.aliases, stack.definition, stack.score) == (
        "栈", ("stack",), "后进先出 & 一端", 0.5
    )  # fmt: skip
    assert (array.name, array.domains, array.curated, queue.name) == ("线性表", ("计算机",), True, "队列")
    assert (edge.prerequisite, edge.concept, edge.score, edge.evidence) == (
        array.id, stack.id, 0.25, ("p. 3",)
    )  # fmt: skip


def test_other_encodings_that_xml_declares_are_read() -> None:
    """UTF-16 with its mark is XML like any other."""
    text = f'<?xml version="1.0" encoding="UTF-16"?>{document(STACK).decode()}'
    assert [each.name for each in read(text.encode("utf-16"))[0]] == ["栈"]


BOMB = '<!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><graphml>&b;</graphml>'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "g.graphml, line 1: not well-formed"),
        (b"<graphml>\n<graph>", "g.graphml, line 2: not well-formed"),
        (
            document('<node id="1"><data key="kwidth">wide</data></node>').replace(
                b"<graph ", b'<key id="kwidth" for="node" attr.name="width" attr.type="int"/><graph '
            ),
            "cannot be read as GraphML",
        ),
        (document(STACK).replace("栈".encode(), "线性表".encode("gb18030")), "not well-formed"),
        (b'<?xml version="1.0" encoding="nothing"?><graphml/>', "unknown encoding"),
        (BOMB.encode(), "DTD or entities"),
        (b'<!DOCTYPE g SYSTEM "file:///etc/passwd"><graphml/>', "DTD or entities"),
        (b"<svg/>", "cannot be read as GraphML"),
        (f"{HEAD}</graphml>".encode(), "cannot be read as GraphML"),
        (document('</graph><graph edgedefault="directed">'), "one graph"),
        (document(STACK, "undirected"), "edgedefault"),
        (document(STACK + STACK), "node '1': its id"),
        (document("<node/>"), "node '': its id"),
        (document("<node><data key='kname'>栈</data></node>"), "node '': its id"),
        (document('<node id="1"><graph edgedefault="directed"/></node>'), "one graph"),
        (document('<node id="1"><data key="none">x</data></node>'), "no key none"),
        (document(STACK + '<edge source="1" target="9"/>'), "edge '1' -> '9': there is no node '9'"),
        (document(STACK + LIST + '<edge source="1" target="2" directed="false"/>'), "directed=false edge"),
        (document(STACK + '<edge source="1" target="1"/>'), "its own prerequisite"),
        (document(STACK + LIST + '<edge source="1" target="2"/>' * 2), "given twice"),
        (document(STACK + '<node id="2"><data key="kname">栈</data></node>'), "node '2'.name"),
        (document('<node id="1"><data key="kaliases">stack</data></node>'), "node '1'.aliases"),
        (document('<node id="1"><data key="kaliases">"stack"</data></node>'), "node '1'.aliases"),
        (document('<node id="1"><data key="kscore">high</data></node>'), "node '1'.score"),
        (document('<node id="1"><data key="kscore">nan</data></node>'), "node '1'.score"),
        (document(f'<node id="1"><data key="kaliases">{"[" * 100_000}</data></node>'), "node '1'.aliases"),
    ],
)
def test_each_fault_is_named(data: bytes, said: str) -> None:
    """By the line of broken XML, or by the node or edge and its field; entities are never expanded."""
    with pytest.raises(InvalidInput) as caught:
        read(data)
    assert said in caught.value.message
    assert caught.value.path == "g.graphml"


def test_a_node_that_yed_drew_is_called_by_its_label() -> None:
    yed = (
        '<key for="node" id="d0" yfiles.type="nodegraphics"/><graph edgedefault="directed"><node id="n0">'
        '<data key="d0"><y:ShapeNode xmlns:y="http://www.yworks.com/xml/graphml"><y:NodeLabel>栈</y:NodeLabel>'
        "</y:ShapeNode></data></node>"
    )
    ((stack,), edges) = read(f"{HEAD}{yed}</graph></graphml>".encode())
    assert (stack.name, edges) == ("栈", ())
