"""`vta graph export` and `vta graph import`: a course's graph as files."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from concept_graph.concept_file import write_concepts
from concept_graph.graphml import write_graphml
from concept_graph.mooccubex import write_mooccubex
from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.use_cases.graph_files import write_folder
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import CourseId


class GraphFormat(StrEnum):
    """The forms in which a graph is written."""

    JSON = "json"
    GRAPHML = "graphml"
    MOOCCUBEX = "mooccubex"


def register(app: typer.Typer) -> None:
    app.command("export")(export_graph)
    app.command("import")(import_graph_file)


def export_graph(
    course: CourseArgument,
    form: Annotated[
        GraphFormat, typer.Option("--format", help="json, graphml or mooccubex (a folder).")
    ] = GraphFormat.JSON,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Folder to write for mooccubex [COURSE-mooccubex]."),
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Export a course's graph to stdout, or as a folder of MOOCCubeX files.

    Example: vta graph export ds --format graphml > ds.graphml
    """
    if out is not None and form is not GraphFormat.MOOCCUBEX:
        raise InvalidInput(Fault("option.only_folder", form=form), field="--out")
    with platform(home) as vta:
        found = vta.stores.courses.course(CourseId(course))
        concepts, edges = vta.graphs.concepts(found.id)
        videos = vta.graphs.videos(found.id) if form is GraphFormat.MOOCCUBEX else ()
    if form is GraphFormat.MOOCCUBEX:
        folder = out or Path(f"{course}-mooccubex")
        write_folder(write_mooccubex(concepts, edges, course=found, videos=videos), folder)
        counts = {"folder": str(folder), "concepts": len(concepts), "edges": len(edges)}
        show_json(counts) if as_json else show(f"{len(concepts)} concepts and {len(edges)} edges in {folder}")
        return
    write = write_concepts if as_json or form is GraphFormat.JSON else write_graphml
    show(write(concepts, edges).rstrip("\n"))


def import_graph_file(
    course: CourseArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON, GraphML, or a MOOCCubeX folder.")],
    source: Annotated[
        str | None, typer.Option("--from", metavar="ID", help="The id of the course in MOOCCubeX.")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Import a graph made by people, replacing the previous import.

    The format is detected from the content. Like concepts.json it takes precedence: what is built or found in
    headings only adds to it. Example: vta graph import ds MOOCCubeX --from C_682649
    """
    with platform(home) as vta:
        imported = vta.graphs.import_file(CourseId(course), file, source=source)
    if as_json:
        show_json(asdict(imported))
        return
    left = f", {imported.left_out} pairs of other names left out" if imported.left_out else ""
    show(f"{imported.concepts} concepts and {imported.edges} edges{left}")
