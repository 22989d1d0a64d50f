"""`vta enrich`: let the language model say what students would ask of each passage."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, cost_line, counting, platform, show, show_json
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import CourseId

if TYPE_CHECKING:
    from services.materials.enrichment import EnrichmentPlan, EnrichmentRun
    from services.wiring import Platform


def enrich(
    course: CourseArgument,
    both: Annotated[
        bool,
        typer.Option("--both", help="Questions in English and Chinese, not in the course's language alone."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether to go on.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Forget all that the model said.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Ask the language model what students would ask of each passage, so that it is found by these words too.

    Nobody is shown them. A run that was broken off goes on where it was.

    Example: vta enrich ds --both
    """
    if as_json and not (yes or remove):
        raise InvalidInput(Fault("option.enrich_json_needs_yes"), field="--json")
    course_id = CourseId(course)
    with platform(home, asks_model=not remove) as vta:
        if remove:
            vta.enrichment.remove(course_id)
            show_json({"removed": True}) if as_json else show("forgotten; passages are found as before")
            return
        vta.enrichment.require_model()
        plan = vta.enrichment.plan(course_id, languages=tuple(Language) if both else ())
        _show_plan(plan, vta)
        if plan.passages and not yes:
            typer.confirm("Ask the language model?", abort=True, err=True)
        with counting(len(plan.passages), "passage") as told:
            made = vta.enrichment.ask(course_id, plan, told=told)
        _show_run(made, as_json=as_json)


def _show_plan(plan: EnrichmentPlan, vta: Platform) -> None:
    """The cost, on stderr."""
    cost = cost_line(plan.usage, vta.settings)
    typer.echo(f"{plan.enriched} of {plan.total} passages are enriched", err=True)
    typer.echo(f"{len(plan.passages)} passages in as many prompts, {cost}", err=True)


def _show_run(made: EnrichmentRun, *, as_json: bool) -> None:
    if as_json:
        counts = asdict(replace(made, failure=None))
        show_json({**counts, "failure": made.failure.message if made.failure else None})
    else:
        kept = f"{made.questions} questions kept, {made.dropped} lines did not hold"
        show(f"{made.asked} passages asked about: {kept}")
    if made.failure is not None:
        typer.echo(f"{made.left} passages are left; run the command again to go on", err=True)
        raise made.failure
