"""`vta graph`: concepts and what comes before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from concept_graph.extraction.seeds import read_seeds
from services.cli import graph_edits, graph_files, graph_seeds
from services.cli.concept_pairs import read_concept_pairs
from services.cli.graph_proposals import propose
from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.use_cases.graph import study_to_json
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.places import describe_place
from vta.types import Concept, ConceptStudy, CourseId, Language, Place, RelatedConcept

graph_app = typer.Typer(help="The concept graph. Example: vta graph show ds 栈", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    graph_edits.register(graph_app)
    graph_files.register(graph_app)
    graph_seeds.register(graph_app)
    app.add_typer(graph_app, name="graph")


@graph_app.command("build")
def build_from_material(
    course: CourseArgument,
    seeds: Annotated[
        Path | None, typer.Option("--seeds", help="File of known concept names, one per line.")
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Then let the language model propose what is missing.")
    ] = False,
    most: Annotated[
        int | None, typer.Option(min=1, help="With --model: ask about at most so many concepts.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With --model: do not ask whether to go on.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Build the graph: find concepts, explanations and prerequisites in the ingested material.

    In a course with a concept file, only missing explanations are added.

    Example: vta graph build ds --seeds names.txt
    """
    if model and as_json and not yes:
        raise InvalidInput(Fault("option.json_needs_yes"), field="--json")
    start = perf_counter()
    given = _read_seeds(seeds) if seeds else ()
    course_id = CourseId(course)
    with platform(home, asks_model=model) as vta:
        if model:
            vta.proposals.require_model()
        concepts, edges = vta.graphs.build(course_id, seeds=given)
        vta.proposals.recheck(course_id)
        seconds = round(perf_counter() - start, 3)
        built = {"concepts": len(concepts), "edges": len(edges), "seconds": seconds}
        if not as_json:
            show(f"{len(concepts)} concepts and {len(edges)} edges in {seconds} s")
        elif not model:
            show_json(built)
        if model:
            propose(vta, course_id, most=most, yes=yes, built=built if as_json else None)


def _read_seeds(file: Path) -> tuple[str, ...]:
    try:
        return read_seeds(file.read_text(encoding="utf-8-sig"), path=str(file))
    except OSError as error:
        raise InvalidInput(
            Fault("data.unreadable", file=str(file), reason=error.strerror or ""), path=str(file)
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(Fault("data.not_utf8_text", file=str(file)), path=str(file)) from error


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
