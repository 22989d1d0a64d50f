"""`vta transcript ask`: yes/no questions over transcripts."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import Home, Json, group, loaded, platform, show, show_json
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import CourseId

if TYPE_CHECKING:
    from services.language_model.client import OpenAiLanguageModel
    from services.settings import Settings
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
    from services.settings import read_settings
    from services.use_cases.transcripts import ask_course_transcripts
    from services.wiring import build_local, build_model

    *files, question = arguments
    chosen = to_method(method)
    if bool(files) == bool(course):
        raise InvalidInput(Fault("option.files_or_course"), field="FILE")
    if course is not None:
        with platform(home, asks_model=True) as vta:
            settings = vta.settings

            async def ask_once() -> TranscriptAnswer:
                try:
                    return await ask_course_transcripts(
                        vta.stores,
                        CourseId(course),
                        question,
                        method=chosen,
                        model=vta.model,
                        context_tokens=settings.llm_context_tokens,
                        output_tokens=settings.llm_max_tokens,
                    )
                finally:
                    if vta.model is not None:
                        await vta.model.aclose()

            answer = asyncio.run(ask_once())
    else:
        settings = read_settings(home)
        with loaded(build_local(settings)) as local:
            model = build_model(settings, local=local)
            paths = [Path(file) for file in files]
            answer = asyncio.run(_ask_files(settings, model, paths, question, chosen))
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


async def _ask_files(
    settings: Settings, model: OpenAiLanguageModel | None, files: list[Path], question: str, method: Method
) -> TranscriptAnswer:
    from services.use_cases.transcripts import ask_transcript, read_transcript

    lines = [line for file in files for line in read_transcript(file)]
    try:
        return await ask_transcript(
            lines,
            question,
            method=method,
            model=model,
            context_tokens=settings.llm_context_tokens,
            output_tokens=settings.llm_max_tokens,
        )
    finally:
        if model is not None:
            await model.aclose()


def _show(answer: TranscriptAnswer) -> None:
    show(answer.answer)
    if answer.explanation:
        show(answer.explanation)
    for quote in answer.quotes:
        second = "" if quote.start is None else f"[{_clock(quote.start)}] "
        show(f"  {second}{quote.text}")
    degraded = f"; {answer.degraded.reason}" if answer.degraded else ""
    show(f"\n({answer.chunks} chunks, {answer.calls} calls, {answer.tokens} tokens{degraded})")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"
