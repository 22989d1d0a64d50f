"""`vta graph judge`: a language model's view of the prerequisites that were found."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import asdict
from time import perf_counter
from typing import Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.language_model.counting import CountingModel
from services.language_model.structured import StructuredAnswers
from services.use_cases.edge_judging import JudgingCost
from vta.errors import NotReady
from vta.faults import Fault
from vta.types import CourseId, EdgeVerdict

SAID = {
    EdgeVerdict.HOLDS: "hold",
    EdgeVerdict.REVERSED: "are the other way round",
    EdgeVerdict.NEITHER: "are in no order",
}


def register(app: typer.Typer) -> None:
    app.command("judge")(judge)


def judge(
    course: CourseArgument,
    most: Annotated[
        int, typer.Option(min=1, help="How many prerequisites, those that could go either way first.")
    ] = 200,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would cost.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Ask the language model about prerequisites that nobody decided on, with the course's sentences.

    What it says is shown in the console beside how sure an edge is; what people decided stays. Answers are
    kept, so a run that was cut off goes on where it was, and a later build asks nothing again.

    Example: vta graph judge ds --most 100
    """
    course_id = CourseId(course)
    with platform(home, asks_model=not dry_run) as vta:
        name = vta.settings.llm_model or (vta.local.name if vta.local else None)
        client = vta.model
        if client is None or name is None:
            raise NotReady(Fault("model.none"))
        chosen = vta.graphs.undecided(course_id)[:most]
        judge = vta.graphs.judge(course_id, model=name)
        open_ = judge.unjudged(chosen)
        expected = judge.cost(open_, known=len(chosen) - len(open_))
        typer.echo(_expected(expected, name), err=True)
        if dry_run:
            show_json(asdict(expected)) if as_json else None
            return
        counting, start = CountingModel(client), perf_counter()
        model = StructuredAnswers(counting, course_id=course_id)

        async def ask_all() -> None:
            try:
                await judge.judge(open_, model, told=lambda n: typer.echo(f"{n}/{len(open_)}", err=True))
            finally:
                await client.aclose()

        try:
            asyncio.run(ask_all())
        finally:
            edges = vta.graphs.apply_judgements(course_id)
    seconds = round(perf_counter() - start, 1)
    verdicts = Counter(edge.judgement.verdict for edge in edges if edge.judgement)
    spent = JudgingCost(
        pairs=expected.pairs,
        known=expected.known,
        calls=counting.calls,
        prompt_tokens=counting.prompt_tokens,
        completion_tokens=counting.completion_tokens,
    )
    if as_json:
        show_json(
            {**asdict(spent), "seconds": seconds, **{each.value: verdicts[each] for each in EdgeVerdict}}
        )
        return
    show(
        f"{spent.pairs} pairs in {spent.calls} calls, {spent.prompt_tokens} tokens to the model and "
        f"{spent.completion_tokens} from it, {seconds} s"
    )
    show("of all judged so far, " + ", ".join(f"{verdicts[each]} {said}" for each, said in SAID.items()))


def _expected(cost: JudgingCost, model: str) -> str:
    return (
        f"{cost.pairs} pairs for {model}, {cost.known} are judged already: {cost.calls} calls, about "
        f"{cost.prompt_tokens} tokens to the model and {cost.completion_tokens} from it"
    )
