"""`vta transcript ask`: yes/no questions over transcripts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.output import Home, Json, group, platform, run, show, show_json
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.places import format_time
from vta.types.courses import CourseId

if TYPE_CHECKING:
    from vta.transcripts import Method, TranscriptAnswer

transcript_app = group('Transcripts. Example: vta transcript ask lecture.srt "Does he mention recursion?"')

MethodOption = Annotated[
    str, typer.Option(help="explain: read all parts, then conclude; naive: stop at the first yes.")
]


@transcript_app.command("ask")
def ask(
    arguments: Annotated[
        list[str],
        typer.Argument(metavar="[FILE...] QUESTION", help="SRT, WebVTT or text files, then the question."),
    ],
    method: MethodOption = "explain",
    course: Annotated[str | None, typer.Option(help="Ask the subtitles of this course instead.")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Ask a yes/no question about transcripts; answers quote them with the second.

    Example: vta transcript ask lecture.srt "Does the lecture say that a stack is a list?" --method naive
    """
    from services.dialogue.transcripts import ask_course_transcripts, ask_transcript, read_transcript
    from services.settings import read_settings
    from services.wiring import build_model

    *files, question = arguments
    chosen = to_method(method)
    if bool(files) == bool(course):
        raise InvalidInput(Fault("option.files_or_course"), field="FILE")
    settings = read_settings(home)
    room: Any = {"context_tokens": settings.llm_context_tokens, "output_tokens": settings.llm_max_tokens}
    if course is not None:
        with platform(home) as vta:
            asking = ask_course_transcripts(
                vta.stores, CourseId(course), question, method=chosen, model=vta.model, **room
            )
            answer = run(asking, vta.model)
    else:
        lines = [line for file in files for line in read_transcript(Path(file))]
        model = build_model(settings)
        answer = run(ask_transcript(lines, question, method=chosen, model=model, **room), model)
    if as_json:
        show_json(answer_json(answer))
    else:
        _show(answer)


def to_method(name: str) -> Method:
    """`InvalidInput` for a name that is none."""
    if name == "naive":
        return "naive"
    if name == "explain":
        return "explain"
    raise InvalidInput(Fault("transcript.method", name=name), field="method")


def answer_json(answer: TranscriptAnswer) -> dict[str, object]:
    """The answer as machines read it; the video is told only where a quote has one."""
    fields = asdict(answer)
    fields["quotes"] = [
        {name: value for name, value in asdict(quote).items() if name != "video" or value is not None}
        for quote in answer.quotes
    ]
    return fields


def _show(answer: TranscriptAnswer) -> None:
    show(answer.answer)
    if answer.explanation:
        show(answer.explanation)
    for quote in answer.quotes:
        second = "" if quote.start is None else f"[{format_time(quote.start)}] "
        show(f"  {second}{quote.text}")
    degraded = f"; {answer.degraded.reason}" if answer.degraded else ""
    show(f"\n({answer.chunks} chunks, {answer.calls} calls, {answer.tokens} tokens{degraded})")
