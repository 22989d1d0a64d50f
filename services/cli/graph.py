"""`vta graph`: concepts and what comes before them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, group, platform, read_text, show, show_json
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.languages import Language
from vta.places import describe_place
from vta.types.concepts import Concept, ConceptStudy, Place, RelatedConcept
from vta.types.courses import CourseId

if TYPE_CHECKING:
    from services.wiring import Platform

graph_app = group("The concept graph. Example: vta graph show ds 栈")

COLUMNS = ("concept_a", "concept_b")
_LONGEST_NAME = 200
"""Characters."""


class GraphFormat(StrEnum):
    JSON = "json"
    GRAPHML = "graphml"
    MOOCCUBEX = "mooccubex"


@graph_app.command("build")
def build_from_material(
    *,
    course: CourseArgument,
    seeds: Annotated[
        Path | None, typer.Option("--seeds", help="File of known concept names, one per line.")
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Then have the language model read the material by section.")
    ] = False,
    most: Annotated[
        int | None, typer.Option(min=1, help="With --model: read at most so many sections.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With --model: do not ask whether to go on.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Build the graph: find concepts, explanations and prerequisites in the ingested material.

    In a course with a concept file, only missing explanations are added.

    Example: vta graph build ds --seeds names.txt
    """
    from concept_graph.extraction.material import read_seeds

    if model and as_json and not yes:
        raise InvalidInput(Fault("option.json_needs_yes"), field="--json")
    start = perf_counter()
    given = read_seeds(read_text(seeds).removeprefix("\ufeff"), path=str(seeds)) if seeds else ()
    course_id = CourseId(course)
    with platform(home) as vta:
        if model:
            _read_with_model(vta, course_id, given, most=most, yes=yes, as_json=as_json)
            return
        concepts, edges = vta.graphs.build(course_id, seeds=given)
    seconds = round(perf_counter() - start, 3)
    if as_json:
        show_json({"concepts": len(concepts), "edges": len(edges), "seconds": seconds})
    else:
        show(f"{len(concepts)} concepts and {len(edges)} edges in {seconds} s")


def _read_with_model(
    vta: Platform, course_id: CourseId, seeds: Sequence[str], *, most: int | None, yes: bool, as_json: bool
) -> None:
    """Read what is left, after a yes to the cost, and build."""
    from tqdm import tqdm

    if vta.model is None:
        raise InvalidInput(Fault("setting.no_model"), field="--model")
    start, plan = perf_counter(), vta.model_graphs.plan(course_id, most=most)
    usage = plan.usage
    cost = vta.settings.cost_of(usage)
    price = "" if cost is None else f", cost about {cost:.4f}"
    size = f"{len(plan.unread)} of {plan.total} sections to read, a call each"
    typer.echo(f"{size}, about {usage.prompt_tokens} + {usage.completion_tokens} tokens{price}", err=True)
    if plan.unread and not yes:
        typer.confirm("Ask the language model?", abort=True, err=True)
    is_quiet = not sys.stderr.isatty()
    with tqdm(total=len(plan.unread), unit="section", disable=is_quiet, file=sys.stderr, leave=False) as bar:
        made = vta.model_graphs.run(course_id, seeds=seeds, most=most, progress=bar.update)
    if as_json:
        failure = made.failure and made.failure.message
        counts = {"sections": made.sections, "read": made.read, "dropped": made.dropped, "failure": failure}
        built = {"concepts": made.concepts, "edges": made.edges, "seconds": round(perf_counter() - start, 3)}
        show_json({**built, "model": counts})
    else:
        show(f"{made.read} sections read, {made.dropped} names or quotes that no passage holds dropped")
        show(f"{made.concepts} concepts and {made.edges} edges")
    if made.failure is not None:
        left = made.sections - made.read
        typer.echo(f"{left} sections are left; run the command again to go on", err=True)
        raise made.failure


@graph_app.command("export")
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
    from concept_graph.concept_file import write_concepts
    from concept_graph.graphml import write_graphml
    from concept_graph.mooccubex import write_mooccubex
    from services.graph.files import write_folder

    if out is not None and form is not GraphFormat.MOOCCUBEX:
        raise InvalidInput(Fault("option.only_folder", form=form), field="--out")
    with platform(home) as vta:
        found = vta.stores.courses.course(CourseId(course))
        concepts, edges = vta.graphs.concepts(found.id)
    if form is GraphFormat.MOOCCUBEX:
        folder = out or Path(f"{course}-mooccubex")
        write_folder(write_mooccubex(concepts, edges, course=found), folder)
        counts = {"folder": str(folder), "concepts": len(concepts), "edges": len(edges)}
        show_json(counts) if as_json else show(f"{len(concepts)} concepts and {len(edges)} edges in {folder}")
        return
    write = write_concepts if as_json or form is GraphFormat.JSON else write_graphml
    show(write(concepts, edges).rstrip("\n"))


@graph_app.command("import")
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


@graph_app.command("score-pairs")
def score_course_pairs(
    course: CourseArgument,
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS.tsv", help="Columns concept_a, concept_b.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Score how likely concept_a is a prerequisite of concept_b in a course: JSON Lines, in input order.

    The score is 0 to 1, where 0.5 or more means yes, and null if either does not occur in the texts.
    Example: vta graph score-pairs ds pairs.tsv
    """
    wanted = read_concept_pairs(pairs)
    with platform(home) as vta:
        scores = vta.graphs.score_pairs(CourseId(course), wanted)
    for (a, b), score in zip(wanted, scores, strict=True):
        show_json({"a": a, "b": b, "score": score})


def read_concept_pairs(file: Path) -> tuple[tuple[str, str], ...]:
    """The pairs of a tab-separated file, whose header names `COLUMNS`, in order; further columns are ignored.

    Quotes are characters like any other. Empty lines are skipped. A fault is `InvalidInput` that names the
    line and, where there is one, the column.
    """
    return tuple((a, b) for _, (a, b) in read_columns(file, COLUMNS))


def read_columns(file: Path, columns: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The cells of the columns, line by line, with the number of each line."""
    lines = read_text(file).removeprefix("\ufeff").split("\n")
    header = [name.strip() for name in lines[0].split("\t")]
    for column in columns:
        if header.count(column) != 1:
            needed = " and ".join(columns)
            if column in header:
                twice = Fault("data.column_twice", column=column, needed=needed)
                raise line_fault(file, 1, column, twice)
            raise line_fault(file, 1, column, Fault("data.no_column", column=column, needed=needed))
    places = {column: header.index(column) for column in columns}
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            cells = line.rstrip("\r").split("\t")
            rows.append((number, [_cell(cells, places[each], file, number, each) for each in columns]))
    if not rows:
        raise line_fault(file, len(lines), None, Fault("data.no_pair"))
    return rows


def _cell(cells: list[str], place: int, file: Path, line: int, column: str) -> str:
    name = cells[place].strip() if place < len(cells) else ""
    if not name:
        raise line_fault(file, line, column, Fault("data.empty_cell", column=column))
    if len(name) > _LONGEST_NAME:
        raise line_fault(file, line, column, Fault("data.long_cell", column=column, most=_LONGEST_NAME))
    return name


def line_fault(file: Path, line: int, column: str | None, reason: Fault) -> InvalidInput:
    """A fault that names file, line and, where there is one, column."""
    fault = Fault("data.line", file=str(file), line=line, reason=reason)
    return InvalidInput(fault, path=str(file), line=line, field=column)


@graph_app.command("show")
def show_concept(
    course: CourseArgument,
    concept: Annotated[str, typer.Argument(metavar="CONCEPT", help="A name or alias.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show a concept: definition, prerequisites with evidence, learning path, and what builds on it.

    Example: vta graph show ds 栈
    """
    from services.graph.service import study_to_json

    with platform(home) as vta:
        studied = vta.graphs.study(CourseId(course), concept)
        language = vta.stores.courses.course(CourseId(course)).language
    if as_json:
        show_json(study_to_json(studied, language))
    else:
        show_study(studied)


def show_study(study: ConceptStudy) -> None:
    """Print a study; empty parts are left out."""
    show(f"{_explain(study.concept)}\n  {_where(study.place)}")
    _show_part("Direct prerequisites, surest first", _related(study.prerequisites), 0)
    steps = [
        f"{n}. {_explain(step.concept)} ({_where(step.place)})" for n, step in enumerate(study.path, start=1)
    ]
    _show_part("Learning path", steps, study.path_left_out)
    before = [f"- {_explain(each.concept)} ({_where(each.place)})" for each in study.taught_before]
    _show_part("No sure prerequisites; taught just before, in the order of the course", before, 0)
    _show_part("Builds on it", _related(study.dependents), study.dependents_left_out)


def _show_part(title: str, lines: Sequence[str] | Iterator[str], left_out: int) -> None:
    lines = list(lines)
    if lines:
        show("\n".join((f"\n{title}:", *lines)))
    if left_out:
        show(f"  and {left_out} more")


def _related(related: Sequence[RelatedConcept]) -> Iterator[str]:
    for each in related:
        origin = "written by a person" if each.edge.curated else f"score {each.edge.score:.2f}"
        yield f"- {_explain(each.concept)} ({_where(each.place)}; {origin})"
        yield from (f"    > {line}" for line in each.edge.evidence)


def _explain(concept: Concept) -> str:
    return f"{concept.name}: {concept.definition or 'no definition'}"


def _where(place: Place | None) -> str:
    return describe_place(place, Language.EN) if place else "no place found in the course"
