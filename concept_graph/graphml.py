"""Concepts and edges as GraphML, for graph tools such as Gephi or yEd."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from io import BytesIO
from xml.etree.ElementTree import Element, ParseError  # types only; reading goes through defusedxml

import networkx as nx
from defusedxml import DefusedXmlException, ElementTree

from concept_graph.concept_file import OF_CONCEPT, OF_EDGE, Fields, make_concepts
from concept_graph.headings import ConceptSet
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LISTS = ("aliases", "domains", "evidence")


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
    graph = _parse(data, path)
    names = {id: str(data.get("name") or data.get("label") or id) for id, data in graph.nodes(data=True)}
    nodes = [
        _fields(path, f"node {id!r}", {**data, "name": names[id]}, OF_CONCEPT)
        for id, data in graph.nodes(data=True)
    ]
    edges = [
        _fields(
            path,
            f"edge {before!r} -> {after!r}",
            {**data, "prerequisite": names[before], "concept": names[after]},
            OF_EDGE,
        )
        for before, after, data in graph.edges(data=True)
    ]
    return make_concepts(nodes, edges, course=course)


def _parse(data: bytes, path: str) -> nx.Graph[str]:
    """The graph as networkx reads it, once the XML is known to be harmless and its ids to be complete."""
    try:
        root: Element = ElementTree.fromstring(data, forbid_dtd=True)
        graph = nx.read_graphml(BytesIO(data))
    except ParseError as error:
        raise InvalidInput(Fault("graph.no_xml", reason=str(error)).at(path, error.position[0])) from error
    except DefusedXmlException as error:
        raise InvalidInput(Fault("graph.xml_with_dtd").at(path)) from error
    except (nx.NetworkXError, LookupError, ValueError, AttributeError, TypeError) as error:
        raise InvalidInput(Fault("graph.unreadable", reason=str(error)).at(path)) from error
    if len(root.findall(".//{*}graph")) != 1:
        raise InvalidInput(Fault("graph.no_graphml").at(path))
    if not graph.is_directed():
        raise InvalidInput(Fault("graph.not_directed").at(path, field="edgedefault"))
    ids = Counter(node.get("id", "") for node in root.findall(".//{*}node"))
    for id, times in ids.items():
        if not id or times > 1:
            raise InvalidInput(Fault("graph.node_id").at(path, field=f"node {id!r}"))
    for before, after in graph.edges():
        if missing := [id for id in (before, after) if id not in ids]:
            place = f"edge {before!r} -> {after!r}"
            raise InvalidInput(Fault("graph.no_node", node=missing[0]).at(path, field=place))
    return graph


def _fields(path: str, place: str, data: Mapping[str, object], known: Iterable[str]) -> Fields:
    """The known data of a node or edge as the values of a concept file; what is empty is left out."""
    values = {field: data[field] for field in known if data.get(field) not in (None, "")}
    for field, value in values.items():
        try:
            if field in _LISTS:
                values[field] = json.loads(str(value))
            elif field == "score":
                values[field] = float(str(value))
        except (ValueError, RecursionError) as error:
            wrong = Fault("concept.no_json_list") if field in _LISTS else Fault("concept.no_share")
            raise InvalidInput(wrong.at(path, field=f"{place}.{field}")) from error
    return Fields(path, place, values)
