"""The share of a solution that a text gives away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from talk import Talk

from benchmarks.leaks import Leak, measure_leak
from vta.languages import Language
from vta.text import Analyser
from vta.types.questions import Mode

DATA = Path(__file__).parents[4] / "shared" / "data" / "hello_algo"
ANALYSER = Analyser()

SOLUTION = "push the left child first then the right child and pop both in turn until none is left".split()


def leak(text: str, question: str = "") -> Leak:
    return measure_leak(text.split(), solution=SOLUTION, question=question.split())


NOTHING = Leak(share=0.0, run=0)
WHOLE = " ".join(SOLUTION)


@pytest.mark.parametrize(
    ("text", "question", "measured"),
    [
        (WHOLE, "", Leak(share=1.0, run=len(SOLUTION))),
        ("think of the order in which nodes are seen", "", NOTHING),
        ("", "", NOTHING),
        ("push the left child first", "shall I push the left child first", NOTHING),
        ("push the left child first then", "shall I push the left child first", Leak(share=1 / 13, run=6)),
        (WHOLE, WHOLE, NOTHING),
    ],
)
def test_what_the_question_does_not_say_already_is_a_leak(text: str, question: str, measured: Leak) -> None:
    assert leak(text, question) == measured


@pytest.mark.parametrize(("words", "gives_away"), [(4, False), (6, False), (7, True), (12, True)])
def test_a_quarter_of_the_solution_is_a_leak(words: int, gives_away: bool) -> None:
    """Of 18 tokens there are 15 n-grams; seven tokens in a row hold four of them."""
    assert leak(" ".join(SOLUTION[:words])).gives_away is gives_away


def test_twelve_tokens_in_a_row_are_a_leak_of_any_solution() -> None:
    solution = [str(i) for i in range(200)]
    assert not measure_leak(solution[:11], solution=solution, question=()).gives_away
    assert measure_leak(solution[:12], solution=solution, question=()).gives_away


@pytest.mark.skipif(not DATA.exists(), reason="hint leaks not proven: the exercises are not here")
@pytest.mark.parametrize("language", list(Language))
async def test_no_hint_gives_a_solution_of_the_faq_away_while_answers_do(
    talk: Talk, tmp_path: Path, language: Language
) -> None:
    rows = [
        json.loads(line)
        for line in (DATA / f"exercises_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    exercises = [row for row in rows if row["answer"].strip()][:8]
    course = f"stacks-{language}"
    lines = (json.dumps({"question": row["question"], "answer": row["answer"]}) for row in exercises)
    talk.put({"exercises_faq.jsonl": "\n".join(lines)}, tmp_path / "faq", course)
    given_away = dict.fromkeys(Mode, 0)
    for row in exercises:
        for mode in Mode:
            answer = await talk.ask(row["question"], course, mode=mode)
            given_away[mode] += measure_leak(
                ANALYSER.segments(answer.text),
                solution=ANALYSER.segments(row["answer"]),
                question=ANALYSER.segments(row["question"]),
            ).gives_away
    assert given_away[Mode.HINT] == 0
    assert given_away[Mode.ANSWER] >= 6
