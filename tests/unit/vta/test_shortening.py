"""An answer in fewer words without a language model: its own words, with the numbers of its sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from talk import Talk

from vta.dialogue.shortening import shortened

LONG = """\
- **stack**: A stack has one end. It is called the top.
- **queue**: A queue has two ends. Values go in at the tail.

They are used everywhere, in editors and in printers. Each step takes constant time. [1][2]

**Code**

```python
s.append(1)  # It is. A push.
```

| a | b |
|---|---|
| 1 | 2 |

No. A stack is not a queue, whatever it is made of. And so on. [3]
"""


def test_each_part_keeps_its_first_sentence_and_its_numbers() -> None:
    """Items are parts, code and tables go, and a sentence that says nothing alone has the next with it."""
    assert shortened(LONG) == (
        "- **stack**: A stack has one end.\n- **queue**: A queue has two ends.\n\n"
        "They are used everywhere, in editors and in printers. [1] [2]\n\n"
        "No. A stack is not a queue, whatever it is made of. [3]"
    )


@pytest.mark.parametrize(
    ("answer", "short"),
    [
        ("只能从一端进出。最后放入的最先取出，所以叫后进先出。 [1]", "只能从一端进出。 [1]"),
        ("I found no such thing. What comes closest:\n\nOne end it is, at the top. Others too. [1]",
         "I found no such thing.\n\nOne end it is, at the top. [1]"),
        ("Only this comes close:\n\n**Is it late?**\n\nNot before the end of week three. "
         "It may be later, in spring or so. [1]",
         "Only this comes close:\n\n**Is it late?**\n\nNot before the end of week three. [1]"),
        ("First of all a list of steps. Then more.\n\n- one\n- two\n\n[2]",
         "First of all a list of steps.\n\n- one\n- two [2]"),
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
