"""`vta ask`, `vta search`, `vta prompt`: questions through the pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, platform, read_lines, run, show, show_json
from vta.languages import Language
from vta.places import place_name
from vta.types.answers import Answer
from vta.types.courses import CourseId, SessionId
from vta.types.pairs import Ranking
from vta.types.questions import Question

QuestionArgument = Annotated[
    str, typer.Argument(metavar="QUESTION", help='The question, or - for JSON Lines {"question"} on stdin.')
]


def ask(
    course: CourseArgument,
    question: QuestionArgument,
    session: Annotated[str | None, typer.Option(help="Continue this session.")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Ask a course a question through the whole pipeline.

    Example: vta ask ds "栈和队列有什么区别？"
    """
    from services.dialogue.answers import answer_out

    as_json = as_json or question == "-"
    with platform(home) as vta:

        async def answer_all() -> None:
            known = SessionId(session) if session else None
            for text in _texts(question):
                asked = Question(course_id=CourseId(course), text=text, session_id=known)
                answer = await vta.assistant.answer(asked)
                show_json(answer_out(answer)) if as_json else show_answer(answer)

        run(answer_all(), vta.model)


def search(
    course: CourseArgument,
    query: QuestionArgument,
    top: Annotated[int, typer.Option("--top", min=1, max=100, help="How many pairs.")] = 10,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Rank a course's pairs for a question without answering it.

    Example: vta search ds "出栈的时间复杂度" --top 3
    """
    from services.dialogue.lookup import look_up
    from vta.dialogue.routing import beta_for

    as_json = as_json or query == "-"
    with platform(home) as vta:
        for text in _texts(query):
            found = vta.stores.courses.course(CourseId(course))
            known = look_up(vta, found, text, top=top)
            if as_json:
                beta = beta_for(known.asked.intent, known.asked.thresholds)
                show_json({"query": text, **_ranking_json(known.ranking, beta)})
                continue
            if failed := known.ranking.degraded:
                typer.echo(f"without {failed.stage}: {failed.reason}", err=True)
            for hit in known.ranking.candidates:
                place = place_name(hit.pair.locator, Language.EN)
                where = f"{hit.pair.document or ''} {place}".strip()
                similar = "" if hit.similarity is None else f" ~{hit.similarity:.2f}"
                judged = f"{hit.relevance or 0:.3f}\tS = {hit.score:.3f}{similar}"
                show(f"{judged}\t{hit.pair.source}\t{where}\t{hit.pair.question}")


def prompt(
    course: CourseArgument,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show the Chain of Teach prompt for a question without calling a language model.

    Example: vta prompt ds "栈和队列有什么区别？"
    """
    from services.dialogue.lookup import look_up
    from vta.dialogue.concepts import teach_steps
    from vta.text import detect_language
    from vta.types.questions import IntentLabel

    with platform(home) as vta:
        found = vta.stores.courses.course(CourseId(course))
        known = look_up(vta, found, question, top=vta.settings.top_k)
        built = vta.prompts.build(
            question,
            steps=teach_steps(known.asked.mentions, known.asked.knowledge.graph),
            candidates=known.ranking.candidates,
            is_complex=known.asked.intent.label is IntentLabel.COMPLEX,
            language=detect_language(question, found.language),
            tone=found.tone,
        )
    if not as_json:
        reasoning = built.reasoning or "(no concept found)"
        show(f"# r, the reasoning over the concepts\n\n{reasoning}\n\n# e, the worked examples")
        for example in built.examples:
            show(f"\n{example.question}\n{example.answer}")
        show(f"\n# q, the question\n\n{question}\n\n# f = e + r + q, as it is sent\n\n{built.prompt}")
        dropped = ", ".join(built.dropped) or "nothing"
        show(f"\n# About {built.tokens} tokens with the rules of the assistant; left out: {dropped}")
        return
    show_json(
        {
            "concepts": [step.concept.name for step in built.steps],
            "reasoning": built.reasoning,
            "examples": [asdict(example) for example in built.examples],
            "prompt": built.prompt,
            "messages": [asdict(message) for message in built.messages],
            "tokens": built.tokens,
            "dropped": list(built.dropped),
        }
    )


def show_answer(answer: Answer) -> None:
    """An answer for people: its text, its numbered sources, and what it lacked."""
    show(answer.text)
    if answer.citations:
        show("")
    for citation in answer.citations:
        place = " · ".join(p for p in (citation.document, place_name(citation.locator, Language.EN)) if p)
        show(f"[{citation.n}] {citation.source}: {citation.title}" + (f" ({place})" if place else ""))
    degraded = f"; {answer.degraded.stage}: {answer.degraded.reason}" if answer.degraded else ""
    show(f"\n({answer.route}{degraded}; session {answer.session_id})")


def _texts(question: str) -> Iterator[str]:
    """The one question, or that of each line of stdin."""
    if question != "-":
        yield question
        return
    for row in read_lines("question"):
        yield str(row["question"])


def _ranking_json(ranking: Ranking, beta: float) -> dict[str, object]:
    from services.rendering.answer_json import locator_to_json

    degraded = {"degraded": asdict(ranking.degraded)} if ranking.degraded else {}
    return {
        "terms": list(ranking.terms),
        "beta": beta,
        **degraded,
        "hits": [
            {
                "pair_id": hit.pair.id,
                "source": str(hit.pair.source),
                "document": hit.pair.document,
                "question": hit.pair.question,
                "answer": hit.pair.answer,
                "bm25": hit.bm25,
                "weight": hit.weight,
                "score": hit.score,
                "locator": locator_to_json(hit.pair.locator),
                **({} if hit.similarity is None else {"similarity": hit.similarity}),
                **({} if hit.relevance is None else {"relevance": hit.relevance}),
            }
            for hit in ranking.candidates
        ],
    }
