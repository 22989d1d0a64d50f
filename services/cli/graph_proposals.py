"""`vta graph build --model`: what it will cost, the questions to the model, and what came of them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace

import typer
from tqdm import tqdm

from services.cli.output import show, show_json
from services.use_cases.graph_proposals import Run
from services.use_cases.model_cost import cost_of
from services.use_cases.proposal_book import Plan
from services.wiring import Platform
from vta.types import CourseId, ModelUsage


def propose(
    vta: Platform, course_id: CourseId, *, most: int | None, yes: bool, built: Mapping[str, object] | None
) -> None:
    """Ask about what is missing, after a yes to the cost; `built` is what JSON says of the build before."""
    plan = vta.proposals.plan(course_id, most=most)
    _tell(plan, vta)
    if plan.concepts and not yes:
        typer.confirm("Ask the language model?", abort=True, err=True)
    run = asyncio.run(_ask(vta, course_id, plan))
    if built is not None:
        counts = asdict(replace(run, failure=None))
        counts["failure"] = None if run.failure is None else run.failure.message
        show_json({**built, "model": counts})
    else:
        show(
            f"{run.asked} concepts asked about: {run.supported} explanations are shown, {run.waiting} and "
            f"{run.prerequisites} prerequisites wait for a teacher, {run.dropped} proposals did not hold"
        )
    if run.failure is not None:
        typer.echo(f"{run.left} concepts are left; run the command again to go on", err=True)
        raise run.failure


def _tell(plan: Plan, vta: Platform) -> None:
    """The cost, on stderr."""
    usage = ModelUsage(
        course_id=None,
        model="",
        prompt_tokens=plan.prompt_tokens,
        completion_tokens=plan.completion_tokens,
    )
    cost = cost_of(usage, vta.settings)
    price = "" if cost is None else f", cost about {cost:.4f}"
    tokens = f"about {usage.prompt_tokens} + {usage.completion_tokens} tokens"
    typer.echo(f"{plan.concepts} concepts in {len(plan.batches)} prompts, {tokens}{price}", err=True)


async def _ask(vta: Platform, course_id: CourseId, plan: Plan) -> Run:
    is_quiet = not sys.stderr.isatty()
    try:
        with tqdm(total=plan.concepts, unit="concept", disable=is_quiet, file=sys.stderr, leave=False) as bar:
            return await vta.proposals.ask(course_id, plan, told=bar.update)
    finally:
        if vta.model is not None:
            await vta.model.aclose()
