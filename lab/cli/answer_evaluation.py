"""`vta evaluate rag`, `vta evaluate service`: the answers of a course, through the whole pipeline."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from pydantic import SecretStr, TypeAdapter, ValidationError

from intent.guard.detector import NgramGuard
from lab.cli.evaluation_data import DataOption, DataPath, Seed, given_data, show_figures
from lab.evaluation.asking import ask_all
from lab.evaluation.rag_judges import ModelJudge, RagJudge, WordJudge
from lab.evaluation.rag_rows import measure_rag, read_rag, retrieved
from lab.evaluation.rows import data_hash
from lab.evaluation.service_rows import ServiceScore, read_service
from lab.measures.overlap import WordOverlap
from services.cli.output import CourseArgument, Home, Json, platform
from services.language_model.structured import StructuredAnswers
from services.settings import Settings
from services.settings.table import ModelAddress
from services.wiring import Platform, build_model
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import LanguageModel
from vta.text import Analyser
from vta.types.courses import CourseId


def register_answer_suites(evaluate_app: typer.Typer) -> None:
    """Add the suites to those of `vta evaluate`."""
    evaluate_app.command("rag")(evaluate_rag)
    evaluate_app.command("service")(evaluate_service)


def evaluate_rag(
    course: CourseArgument,
    path: DataPath = None,
    data: DataOption = None,
    seed: Seed = 0,
    judge: Annotated[
        str | None, typer.Option(help="Address of another model's server, with its /v1, that judges.")
    ] = None,
    judge_model: Annotated[str | None, typer.Option(help="With --judge: the model's name.")] = None,
    judge_key: Annotated[
        str | None, typer.Option(envvar="VTA_JUDGE_KEY", help="With --judge: the key of its server.")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure faithfulness, answer relevancy, context precision and context recall, as RAGAS defines them.

    DATA: JSON Lines {question, reference}; `answer` is an alias of `reference`. The configured language model
    judges, or the one of --judge; without any, word overlap does, and the output says so. The questions are
    not stored.
    Example: vta evaluate rag ds questions.jsonl --json
    """
    file = given_data(path, data)
    rows = read_rag(file)

    async def measure(vta: Platform) -> dict[str, object]:
        found = vta.stores.courses.course(CourseId(course))
        other = _other_judge(vta.settings, judge, judge_model, judge_key)
        model = build_model(other) if judge else vta.model
        try:
            asked = await ask_all(vta, found, [row.question for row in rows], one_by_one=False)
            passages = [retrieved(vta, found, row.question) for row in rows]
            judging = _judge(vta, other.llm_model or "", model, found.id)
            return await measure_rag(rows, asked, passages, judging, seed=seed)
        finally:
            for each in filter(None, {vta.model, model}):
                await each.aclose()

    with platform(home) as vta:
        figures = asyncio.run(measure(vta))
        told = _told("rag", course, vta, n=len(rows), seed=seed)
    show_figures({**told, "data_sha256": data_hash([file]), **figures}, as_json=as_json)


def evaluate_service(
    course: CourseArgument,
    path: DataPath = None,
    data: DataOption = None,
    seed: Seed = 0,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Measure accuracy, usefulness, speed, and how malicious and off-topic questions are handled.

    DATA: JSON Lines {question, kind: answerable, off_topic or malicious, reference?, sources?, must_not?}.
    The questions are not stored. Example: vta evaluate service ds questions.jsonl --json
    """
    file = given_data(path, data)
    rows = read_service(file)

    async def ask(vta: Platform) -> dict[str, object]:
        found = vta.stores.courses.course(CourseId(course))
        score = ServiceScore(
            analyser=Analyser(),
            guard=NgramGuard.load(),
            embedder=vta.embedder,
        )
        try:
            asked = await ask_all(vta, found, [row.question for row in rows])
        finally:
            if vta.model is not None:
                await vta.model.aclose()
        return score.report(rows, asked, seed=seed)

    with platform(home) as vta:
        figures = asyncio.run(ask(vta))
        told = _told("service", course, vta, n=len(rows), seed=seed)
    show_figures({**told, "data_sha256": data_hash([file]), **figures}, as_json=as_json)


def _other_judge(settings: Settings, url: str | None, model: str | None, key: str | None) -> Settings:
    """The settings with another language model's server; `InvalidInput` without its address or its name."""
    if url is model is None:
        return settings
    try:
        address = TypeAdapter(ModelAddress).validate_python(model and url)
    except ValidationError as error:
        raise InvalidInput(Fault("option.judge"), field="--judge") from error
    own = {"llm_base_url": address, "llm_model": model, "llm_fallback_model": None}
    return settings.model_copy(update={**own, "llm_api_key": SecretStr(key) if key else None})


def _judge(vta: Platform, name: str, model: LanguageModel | None, course_id: CourseId) -> RagJudge:
    overlap = WordOverlap(Analyser())
    if model is None:
        return WordJudge(overlap)
    answers = StructuredAnswers(model, course_id=course_id)
    return ModelJudge(answers, name=name, overlap=overlap, embedder=vta.embedder)


def _told(suite: str, course: str, vta: Platform, *, n: int, seed: int) -> dict[str, object]:
    return {"suite": suite, "course": course, "n": n, "seed": seed, "model": vta.settings.llm_model}
