"""`vta bench`: a set of students' conversations asked of any assistant, and scored."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from lab.bench.asking import ask_set, score_file
from lab.bench.assistants import find_assistant
from lab.bench.courses import fetch_course, load_course
from lab.bench.passages import PassageSearch
from lab.bench.questions import SHIPPED, BenchSet, read_courses, read_set
from lab.bench.ratings import measure_ratings, write_sheet
from lab.bench.replies import ReplyFile
from lab.bench.report import ScoredRun, report_html, report_json, report_lines
from lab.cli.evaluation_data import show_figures
from services.cli.output import Home, Json, show, show_json

bench_app = typer.Typer(
    help="Compare assistants on students' conversations. Example: vta bench ask vta.jsonl --vta http://127.0.0.1:8000",
    no_args_is_help=True,
)
Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Where the courses' files lie, one folder a course.")
]
SetFolder = Annotated[
    Path,
    typer.Option(
        "--set", help="courses.toml and COURSE.jsonl; the public set, if not given.", show_default=False
    ),
]
Only = Annotated[list[str] | None, typer.Option("--course", help="Only this course; repeatable.")]
Every = Annotated[int, typer.Option(min=1, help="Only every n-th conversation, for slow models.")]


@bench_app.command("fetch")
def fetch(folder: Folder, chosen: SetFolder = SHIPPED, course: Only = None) -> None:
    """Fetch the files of the set's courses, each by its commit, and check that they are those.

    Example: vta bench fetch courses
    """
    for each in read_courses(chosen, only=course or ()):
        show(f"{each.id}: {fetch_course(each, folder)} files, {each.licence}")


@bench_app.command("load")
def load(folder: Folder, chosen: SetFolder = SHIPPED, course: Only = None, home: Home = None) -> None:
    """Make the set's courses in this home: add, ingest, build the graph. Example: vta bench load courses"""
    for each in read_courses(chosen, only=course or ()):
        fetch_course(each, folder)
        load_course(each, folder, home)


@bench_app.command("ask")
def ask(
    replies: Annotated[
        Path, typer.Argument(metavar="REPLIES", help="File for the replies; goes on where it ends.")
    ],
    vta: Annotated[str | None, typer.Option(help="Address of a server of this project.")] = None,
    chat: Annotated[
        str | None, typer.Option(help="Address of an OpenAI-compatible endpoint, with its /v1.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="With --chat: the model's name.")] = None,
    passages: Annotated[
        Path | None, typer.Option(help="With --chat: the courses' files, for plain retrieval.")
    ] = None,
    command: Annotated[str | None, typer.Option(help="A program: a JSON object a line in, one out.")] = None,
    key: Annotated[
        str | None, typer.Option(envvar="VTA_BENCH_KEY", help="Key of the server or endpoint.")
    ] = None,
    chosen: SetFolder = SHIPPED,
    course: Only = None,
    every: Every = 1,
    as_json: Json = False,
) -> None:
    """Ask an assistant every conversation of the set, one question at a time, and score its replies.

    Example: vta bench ask model.jsonl --chat http://127.0.0.1:11434/v1 --model qwen3 --passages courses
    """
    given = read_set(chosen, only=course or (), every=every)
    search = PassageSearch(passages, [each.id for each in given.courses]) if passages else None
    assistant = find_assistant(vta=vta, chat=chat, command=command, model=model, key=key, search=search)
    file, count = ReplyFile(replies), sum(map(len, given.conversations))
    with closing(assistant):
        for _ in tqdm(ask_set(given, assistant, file), total=count, unit="turn", disable=None):
            pass
    _show(given, _scored(given, [replies]), as_json=as_json)


@bench_app.command("report")
def report(
    replies: Annotated[
        list[Path], typer.Argument(metavar="REPLIES [OTHER]", help="One file of replies or two.")
    ],
    html: Annotated[Path | None, typer.Option(help="Write a page with the answers side by side.")] = None,
    chosen: SetFolder = SHIPPED,
    course: Only = None,
    every: Every = 1,
    as_json: Json = False,
) -> None:
    """Score files of replies again; two are compared turn by turn.

    Example: vta bench report a.jsonl b.jsonl --html ab.html
    """
    given = read_set(chosen, only=course or (), every=every)
    runs = _scored(given, replies)
    if html is not None:
        html.write_text(report_html(runs), encoding="utf-8")
    _show(given, runs, as_json=as_json)


@bench_app.command("sheet")
def sheet(
    replies: Annotated[Path, typer.Argument(metavar="REPLIES", help="A file of replies.")],
    out: Annotated[Path, typer.Option(help="The table to write (CSV).")],
    aspect: Annotated[list[str], typer.Option(help="What is rated, a column; repeatable.")],
    chosen: SetFolder = SHIPPED,
    course: Only = None,
    every: Every = 1,
) -> None:
    """Write a table in which a person, or a model as judge, rates replies.

    Example: vta bench sheet vta.jsonl --out ann.csv --aspect coherence --aspect helpfulness --every 8
    """
    (run,) = _scored(read_set(chosen, only=course or (), every=every), [replies])
    write_sheet(out, run.scored, aspect)
    show(f"{out}: {len(run.scored)} replies")


@bench_app.command("ratings")
def ratings(
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET...", help="Rated tables, one a rater.")],
    as_json: Json = False,
) -> None:
    """Means of rated tables, and how far the raters agree (Krippendorff's alpha).

    Example: vta bench ratings ann.csv ben.csv model.csv
    """
    found = measure_ratings(sheets)
    show_json(found) if as_json else show_figures(found, as_json=False)


def _scored(given: BenchSet, files: list[Path]) -> list[ScoredRun]:
    found = (score_file(given, ReplyFile(file)) for file in files)
    return [ScoredRun(run.assistant, scored) for run, scored in found]


def _show(given: BenchSet, runs: list[ScoredRun], *, as_json: bool) -> None:
    if as_json:
        show_json({"set_sha256": given.sha256, **report_json(runs)})
        return
    for line in report_lines(runs):
        show(line)
