"""A set asked of an assistant, conversation by conversation, one question at a time."""

from __future__ import annotations

from collections.abc import Iterable

from lab.bench.assistants import Assistant
from lab.bench.questions import BenchSet, BenchTurn
from lab.bench.replies import Reply, ReplyFile, Run
from lab.bench.scoring import Scored, score
from vta.errors import InvalidInput
from vta.faults import Fault


def ask_set(given: BenchSet, assistant: Assistant, file: ReplyFile) -> Iterable[BenchTurn]:
    """Ask what the file has no replies for, write each down, and yield what was asked.

    A conversation that was interrupted begins anew, since the assistant may have forgotten it.
    """
    kept = file.open(Run(assistant.name, given.sha256))
    for conversation in given.conversations:
        if all(turn.key in kept for turn in conversation):
            continue
        course, before = given.course(conversation[0].course), list[tuple[BenchTurn, Reply]]()
        for turn in conversation:
            reply = assistant.ask(turn, course.name, course.language, before)
            file.add(turn.key, reply)
            before.append((turn, reply))
            yield turn


def score_file(given: BenchSet, file: ReplyFile) -> tuple[Run, list[Scored]]:
    """Every whole conversation of the set that the file holds, scored; `InvalidInput` for another set's."""
    run, replies = file.read()
    if run.set_sha256 != given.sha256:
        raise InvalidInput(Fault("bench.other_set", assistant=run.assistant))
    scored = []
    for conversation in given.conversations:
        if all(turn.key in replies for turn in conversation):
            scored += [score(turn, replies[turn.key]) for turn in conversation]
    if not scored:
        raise InvalidInput(Fault("bench.nothing", assistant=run.assistant))
    return run, scored
