"""An answer in fewer words without a language model: its own words, with the numbers of its sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from talk import Talk

from vta.dialogue.shortening import shortened

LONG = """\
- **stack**: A stack has one end. It is called the top.
- **queue**: A queue has two ends. Values go in at the tail.

They are used everywhere, in editors and in printers. Each step takes constant time. Kernels have more. [1][2]

**Code**

```python
s.append(1)  # It is. A push.
```

| a | b |
|---|---|
| 1 | 2 |

No. A stack is not a queue, whatever it is made of. And so on. [3]
"""


def test_each_part_keeps_the_sentence_that_answers_the_next_and_its_numbers() -> None:
    """Else its first two; items are parts, and code and tables go."""
    assert shortened(LONG, ["It is called the top.", "A stack is not a queue, whatever it is made of."]) == (
        "- **stack**: It is called the top.\n- **queue**: A queue has two ends. Values go in at the tail.\n\n"
        "They are used everywhere, in editors and in printers. Each step takes constant time. [1] [2]\n\n"
        "A stack is not a queue, whatever it is made of. And so on. [3]"
    )


def test_a_sentence_that_answers_takes_the_place_of_all_before_it_in_its_part() -> None:
    """Over paragraphs, up to the citation before; one that is not found leaves the first."""
    answer = (
        "We decide first. [1]\n\nThen we split.\n\nSo far so good. It is 5% to 50%. More is bad. Why? [2]"
    )
    short = shortened(answer, ["", "It is 5% to 50%.", "Not a word of it."])
    assert short == "We decide first. [1]\n\nIt is 5% to 50%. More is bad. [2]"


def test_what_code_or_a_table_answers_is_not_shortened() -> None:
    """No sentence of it is marked; without the code it would answer nothing."""
    assert (
        shortened(f"Write it so. Or so. Or so. And so on, and so on. [1]\n\n{LONG[LONG.index('```') :]}")
        is None
    )


@pytest.mark.parametrize(
    ("answer", "short"),
    [
        ("只能从一端进出。所以叫后进先出。像一摞盘子那样，只能从上面拿走一只。 [1]",
         "只能从一端进出。所以叫后进先出。 [1]"),
        ("I found no such thing. What comes closest:\n\nOne end it is, at the top. Others too. "
         "There are many more of them. [1]",
         "I found no such thing. What comes closest:\n\nOne end it is, at the top. Others too. [1]"),
        ("Only this comes close:\n\n**Is it late?**\n\nNot before the end of week three. "
         "It may be. In spring or so, or in the summer after that. [1]",
         "Only this comes close:\n\n**Is it late?**\n\nNot before the end of week three. It may be. [1]"),
        ("First of all a list of steps. Then more. And even more than that.\n\n- one\n- two\n\n[2]",
         "First of all a list of steps. Then more.\n\n- one\n- two [2]"),
        ("- one\n- two\n- three\n- four\n- five, six, seven, eight\n\n[2]",
         "- one\n- two\n- three\n- four [2]"),
    ],
)  # fmt: skip
def test_what_stands_before_the_answer_stays(answer: str, short: str) -> None:
    """An opening that says what follows, and the question of an FAQ entry; else it would say too much."""
    assert shortened(answer) == short


def test_a_fence_in_a_list_begins_no_sentence() -> None:
    answer = "- Install it by running:\n\n    ```bash\n    pip install x\n    ```\n [1]"
    assert shortened(answer) == "- Install it by running: [1]"


@pytest.mark.parametrize("answer", ["One end it is. [1]", "```\ncode\n```", ""])
def test_what_has_nothing_to_leave_out_is_not_shortened(answer: str) -> None:
    """One sentence, or none."""
    assert shortened(answer) is None


async def test_without_a_model_a_long_answer_is_offered_shorter_and_told_in_its_own_words(
    talk: Talk, tmp_path: Path
) -> None:
    """The same source stands behind it."""
    jobs = " ".join(f"Job number {n} waits in the spool until the printer is free." for n in range(9))
    talk.put({"spool.md": f"# Spool\n\nPrinters spool to keep jobs in order. {jobs}"}, tmp_path / "more")
    first, second = await talk.say("Why do printers spool?", "Shorter, please")
    assert len(second.text) < len(first.text)
    said = first.text.replace("\n", " ")
    for citation in second.citations:
        assert citation.pair_id in {each.pair_id for each in first.citations}
    for sentence in second.text.split("\n\n"):
        assert sentence.split(" [")[0].split("\n")[0] in said
