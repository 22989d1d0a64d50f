"""`vta evaluate`: how good it is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from intent.guard.detector import NgramGuard
from lab.cli.answer_evaluation import register_answer_suites
from lab.cli.calibration import MaxError
from lab.cli.course_evaluation import register_course_suites
from lab.cli.evaluation_data import DataOption, DataPath, Seed, given_data, show_figures
from lab.evaluation.faq_folds import ask_folds, read_asked
from lab.evaluation.faq_report import report_folds
from lab.evaluation.guard_sets import measure_guard
from lab.evaluation.retrieval_sets import find_sets, measure_set
from lab.evaluation.rows import data_hash
from lab.evaluation.transcript_sets import measure_transcripts, read_judged
from lab.measures.retrieval import Figure
from services.cli.output import Home, Json, show, show_json
from services.settings import read_settings
from services.wiring import build_model

if TYPE_CHECKING:
    from services.language_model.client import OpenAiLanguageModel

evaluate_app = typer.Typer(
    help="Evaluate on your data. Example: vta evaluate retrieval --data ir/ --json", no_args_is_help=True
)
register_course_suites(evaluate_app)
register_answer_suites(evaluate_app)


@evaluate_app.command("retrieval")
def evaluate_retrieval(
    path: DataPath = None, data: DataOption = None, seed: Seed = 0, as_json: Json = False
) -> None:
    """Measure ranking on judged data with the shipped defaults: hit@1, nDCG@10, MRR.

    PATH is a BEIR folder, a folder of them, or a textbook with judged questions.
    Example: vta evaluate retrieval ir/ --json
    """
    for given in find_sets(given_data(path, data)):
        found = measure_set(given, seed=seed)
        figures = {"hit@1": found.hit_at_1, "ndcg@10": found.ndcg_at_10, "mrr@10": found.mrr_at_10}
        if as_json:
            row: dict[str, object] = {"suite": "retrieval", "set": given.name, "n": found.n, "seed": seed}
            shown = {name: _figure_json(figure) for name, figure in figures.items()}
            show_json({**row, "data_sha256": given.data_sha256, **shown})
            continue
        told = ", ".join(
            f"{name} {f.mean:.3f} ({f.interval[0]:.3f} to {f.interval[1]:.3f})" for name, f in figures.items()
        )
        show(f"{given.name}: {told}, n = {found.n}")


@evaluate_app.command("answers")
def evaluate_answers(
    path: DataPath = None,
    data: DataOption = None,
    max_error: MaxError = 0.05,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Index the answered questions of four fifths of the sessions as FAQ, ask the last fifth: ROUGE F1.

    DATA: JSON Lines {id, session_id, question, answer}, with the answer cannot_answer where there is none.
    Example: vta evaluate answers qa.jsonl --json
    """
    file = given_data(path, data)
    report = report_folds(ask_folds(read_asked(file)), max_error=max_error, seed=seed)
    row = {"suite": "answers", "seed": seed, "data_sha256": data_hash([file]), **report}
    show_figures(row, as_json=as_json)


@evaluate_app.command("transcripts")
def evaluate_transcripts(
    path: DataPath = None,
    data: DataOption = None,
    method: Annotated[str, typer.Option(help="explain or naive.")] = "explain",
    limit: Annotated[int, typer.Option(min=1, help="How many rows to use, from the start.")] = 100,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Ask the configured language model yes/no questions about passages: precision and recall of yes.

    DATA: JSON Lines {question, passage, answer: true or false}.
    Example: vta evaluate transcripts boolq.jsonl --limit 200 --json
    """
    file, settings = given_data(path, data), read_settings(home)
    rows = read_judged(file)[:limit]

    async def measure(model: OpenAiLanguageModel | None) -> dict[str, object]:
        try:
            return await measure_transcripts(rows, model, settings, method=method)
        finally:
            if model is not None:
                await model.aclose()

    told = {"suite": "transcripts", "n": len(rows), "method": method, "model": settings.llm_model}
    figures = asyncio.run(measure(build_model(settings)))
    row = {**told, "data_sha256": data_hash([file]), **figures}
    show_figures(row, as_json=as_json)


@evaluate_app.command("guard")
def evaluate_guard(path: DataPath = None, data: DataOption = None, as_json: Json = False) -> None:
    """Measure the guard: recall on attacks, and the share of harmless texts it flags.

    DATA: JSON Lines {text, malicious: true or false}, or {text, kind} where the guard's kinds are attacks.
    Example: vta evaluate guard texts.jsonl --json
    """
    file = given_data(path, data)
    figures = measure_guard(file, NgramGuard.load())
    row = {"suite": "guard", "data_sha256": data_hash([file]), **figures}
    show_figures(row, as_json=as_json)


def _figure_json(figure: Figure) -> dict[str, object]:
    return {"mean": round(figure.mean, 4), "interval_95": [round(edge, 4) for edge in figure.interval]}
