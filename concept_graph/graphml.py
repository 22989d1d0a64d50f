"""Concepts and edges as GraphML, for graph tools such as Gephi or yEd."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from xml.etree.ElementTree import Element, ParseError  # types only; reading goes through defusedxml

import networkx as nx
from defusedxml import DefusedXmlException, ElementTree

from concept_graph.concept_file import Fields, make_concepts
from concept_graph.headings import ConceptSet
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LISTS = ("aliases", "domains", "evidence")
_OF_CONCEPT = ("name", "aliases", "definition", "domains", "score", "first_seen")
_OF_EDGE = ("score", "evidence")


def write_graphml(concepts: Iterable[Concept], edges: Iterable[ConceptEdge]) -> str:
    """A GraphML document with a node a concept and an edge from each prerequisite.

    Lists (aliases, domains, courses, evidence) are written as JSON texts; characters that XML cannot hold
    are left out.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    for concept in concepts:
        graph.add_node(
            _plain(concept.id),
            name=_plain(concept.name),
            aliases=_listed(concept.aliases),
            definition=_plain(concept.definition),
            domains=_listed(concept.domains),
            courses=_listed(concept.courses),
            score=concept.score,
            first_seen=_plain(concept.first_seen or ""),
        )
    for edge in edges:
        ends = _plain(edge.prerequisite), _plain(edge.concept)
        graph.add_edge(*ends, score=edge.score, evidence=_listed(edge.evidence))
    return "\n".join(nx.generate_graphml(graph, named_key_ids=True)) + "\n"


def _plain(text: str) -> str:
    return _NOT_XML.sub("", text)


def _listed(values: Iterable[str]) -> str:
    return _plain(json.dumps(list(values), ensure_ascii=False))


def read_graphml(data: bytes, *, path: str, course: Course) -> ConceptSet:
    """The concepts (nodes) and prerequisites (edges, from the one to know before) of a GraphML document.

    A node is called by its `name`, else `label`, else its id; lists are JSON texts. Other data is ignored.
    `InvalidInput` names the line of broken XML, else the node or edge and its field; XML with a DTD or
    entities, undirected and nested graphs are refused. Faults of the content are those of a concept file.
    """
    root = _parse(data, path)
    graphs = [each for each in root if _tag(each) == "graph"]
    if _tag(root) != "graphml" or len(graphs) != 1:
        raise InvalidInput(Fault("graph.no_graphml").at(path))
    (graph,) = graphs
    if graph.get("edgedefault") != "directed":
        raise InvalidInput(Fault("graph.not_directed").at(path, field="edgedefault"))
    keys = {each.get("id", ""): each.get("attr.name", "") for each in root if _tag(each) == "key"}
    nodes = list(_nodes(graph, keys, path))
    names = {fields.place: str(fields.values["name"]) for fields in nodes}
    edges = list(_edges(graph, keys, names, path))
    return make_concepts(nodes, edges, course=course)


def _parse(data: bytes, path: str) -> Element:
    try:
        root: Element = ElementTree.fromstring(data, forbid_dtd=True)
    except ParseError as error:
        raise InvalidInput(Fault("graph.no_xml", reason=str(error)).at(path, error.position[0])) from error
    except DefusedXmlException as error:
        raise InvalidInput(Fault("graph.xml_with_dtd").at(path)) from error
    except (LookupError, ValueError) as error:
        raise InvalidInput(Fault("graph.unreadable_xml", reason=str(error)).at(path)) from error
    return root


def _nodes(graph: Element, keys: Mapping[str, str], path: str) -> Iterator[Fields]:
    """The fields of each node; `place` tells its id."""
    seen: set[str] = set()
    for node in _children(graph, "node"):
        id = node.get("id", "")
        place = _place(id)
        if not id or id in seen:
            raise InvalidInput(Fault("graph.node_id").at(path, field=place))
        if any(_tag(each) == "graph" for each in node):
            raise InvalidInput(Fault("graph.nested").at(path, field=place))
        seen.add(id)
        data = _data(node, keys)
        values = _typed(data, _OF_CONCEPT, path, place)
        yield Fields(path, place, {**values, "name": data.get("name") or data.get("label") or id})


def _edges(graph: Element, keys: Mapping[str, str], names: Mapping[str, str], path: str) -> Iterator[Fields]:
    for edge in _children(graph, "edge"):
        source, target = edge.get("source", ""), edge.get("target", "")
        place = f"edge {source!r} -> {target!r}"
        if edge.get("directed", "true") != "true":
            raise InvalidInput(Fault("graph.edge_not_directed").at(path, field=place))
        for end in (source, target):
            if _place(end) not in names:
                raise InvalidInput(Fault("graph.no_node", node=end).at(path, field=place))
        values = _typed(_data(edge, keys), _OF_EDGE, path, place)
        ends = {"prerequisite": names[_place(source)], "concept": names[_place(target)]}
        yield Fields(path, place, {**values, **ends})


def _place(id: str) -> str:
    return f"node {id!r}"


def _children(graph: Element, tag: str) -> Iterator[Element]:
    return (each for each in graph if _tag(each) == tag)


def _tag(element: Element) -> str:
    """The name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _data(element: Element, keys: Mapping[str, str]) -> dict[str, str]:
    """The data of a node or edge by the name of its key."""
    return {keys.get(each.get("key", ""), ""): each.text or "" for each in element if _tag(each) == "data"}


def _typed(data: Mapping[str, str], known: Iterable[str], path: str, place: str) -> dict[str, object]:
    """Texts as the values a concept file would hold; what is empty is left out."""
    values: dict[str, object] = {}
    for field in known:
        text = data.get(field, "")
        if not text:
            continue
        values[field] = text
        try:
            if field in _LISTS:
                values[field] = json.loads(text)
            elif field == "score":
                values[field] = float(text)
        except (ValueError, RecursionError) as error:
            wrong = Fault("concept.no_json_list") if field in _LISTS else Fault("concept.no_share")
            raise InvalidInput(wrong.at(path, field=f"{place}.{field}")) from error
    return values
