"""Sentences of a model's answer and whether the knowledge it was given supports them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import factories as make
import pytest
from processor_time import cheapest

from knowledge.vectors.token_table import shipped_encoder
from vta.dialogue.support import Checked, SupportCheck, without_document_names
from vta.text import Analyser
from vta.types.answers import Unsupported
from vta.types.language_model import TeachStep
from vta.types.pairs import Candidate, Source

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "support_judged.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
ANALYSER = Analyser()
CHECK = SupportCheck(ANALYSER)
MARK = "(?)"
STACKS = "Editors keep commands on a stack. The last command is undone first, because it lies on top."
QUEUES = "Printers serve their jobs from a queue, so the first job is printed first."
TRUE = "The last command on the stack is undone first."
FALSE = "Knuth published the algorithm in Stanford during winter."


def candidates(*passages: str) -> list[Candidate]:
    return [make.candidate(make.passage(text, id=str(n))) for n, text in enumerate(passages)]


def checked(text: str, known: Sequence[Candidate], rule: SupportCheck = CHECK, **more: Any) -> Checked:
    return rule.check(text, candidates=known, **{"steps": (), "mark": MARK, **more})


def check(text: str, policy: Unsupported = Unsupported.MARK, *passages: str) -> tuple[str, int, int]:
    known = candidates(*(passages or (STACKS, QUEUES)))
    found = checked(text, known, SupportCheck(ANALYSER, unsupported=policy))
    return found.text, found.claims, found.unsupported


def test_the_rule_keeps_the_judged_sentences_with_support_and_finds_those_with_a_fault() -> None:
    """Most of what has support passes, nearly nothing else; dropped conditions are the hardest to see."""
    passed, judged = Counter[str](), Counter[str]()
    for row in (row for row in ROWS if not row.get("held_out")):
        for sentence in row["sentences"]:
            kind = sentence["fault"] or "supported"
            judged[kind] += 1
            passed[kind] += check(sentence["text"], Unsupported.MARK, row["passage"])[2] == 0
    shares = {kind: passed[kind] / judged[kind] for kind in judged}
    assert shares["supported"] >= 0.9
    assert {kind: share for kind, share in shares.items() if share > 0.3} == {
        "supported": shares["supported"],
        "condition": shares["condition"],
    }
    assert shares["condition"] < 0.5


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_judged_sentences_are_as_many_in_each_language(language: str) -> None:
    faults = [s["fault"] for row in ROWS if row["language"] == language for s in row["sentences"]]
    assert (len(faults), faults.count(None)) == (206, 92)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (f"{TRUE} Printers serve jobs from a queue.", f"{TRUE} [1] Printers serve jobs from a queue. [2]"),
        ("The last command [2] is undone first.", "The last command is undone first. [1]"),
        ("The last command [1] is undone first.", "The last command [1] is undone first."),
        ("See `rows[2]`.", "See `rows[2]`."),
        ("So the steps are these [2]:", "So the steps are these [2]:"),
    ],
)
def test_each_sentence_cites_what_supports_it_whatever_the_model_cited(text: str, marked: str) -> None:
    assert check(text)[0] == marked


def test_a_hidden_source_supports_and_is_not_cited() -> None:
    found = checked(TRUE, candidates(STACKS), hidden=Source.MATERIAL)
    assert (found.text, found.unsupported) == (TRUE, 0)


def test_numbers_of_the_question_and_of_an_example_need_no_support() -> None:
    known = candidates("Binary search halves the sorted range with every comparison that it makes.")
    said = "With 4096 values binary search halves the sorted range with every comparison."

    def unsupported(text: str, question: str) -> int:
        return checked(text, known, question=question).unsupported

    assert unsupported(said, "") == 1
    assert unsupported(said, "How is binary search done on 4096 values?") == 0
    assert unsupported(f"For example: {said}", "") == 0


def test_a_yes_or_no_that_only_repeats_the_question_needs_nearly_all_of_its_words() -> None:
    known = candidates(
        "Dropout: switch units off during training. When the model predicts, all of them work."
    )
    asked = "Is dropout used when a model makes predictions?"
    said = "Yes, dropout is used when a model makes predictions."
    assert checked(said, known, question=asked).unsupported == 1
    assert checked(said, known).unsupported == 0


@pytest.mark.parametrize(
    ("question", "title", "answer", "said", "unsupported"),
    [
        ("do trees need scaling?", "Do trees need scaling?", "No. They compare one feature.", "Yes.", 1),
        ("do trees need scaling?", "Do trees need scaling?", "No. They compare one feature.", "No.", 0),
        ("do forests need care?", "Do trees need scaling?", "No. They compare one feature.", "Yes.", 0),
        ("考试能带手机吗？", "考试时能带手机吗？", "不可以，手机要关机。", "可以。", 1),
    ],
)
def test_a_yes_where_the_course_says_no_to_the_same_question_has_no_support(
    question: str, title: str, answer: str, said: str, unsupported: int
) -> None:
    (known,) = candidates(answer)
    asked = replace(known, pair=replace(known.pair, question=title))
    found = checked(said, [asked], question=question)
    assert (found.unsupported, MARK in found.text) == (unsupported, bool(unsupported))


def test_a_sentence_in_another_language_cites_the_passage_that_means_the_same() -> None:
    known = candidates("栈是后进先出的线性表：最后入栈的元素最先出栈。", "光合作用产生氧气。")
    said = "A stack is a linear list: the element pushed last is popped first."
    found = checked(said, known, SupportCheck(ANALYSER, embedder=shipped_encoder()))
    assert (found.text, found.claims) == (f"{said} [1]", 0)


def test_code_in_a_chinese_passage_does_not_make_it_english() -> None:
    code = "```python\ndef insert_after(node, value):\n    node.next = Node(value, node.next)\n```"
    found = check(
        "链表用指针把分散的结点按次序连接起来。",
        Unsupported.MARK,
        f"链表用指针连接分散的结点，按次序排列。\n\n{code}",
    )
    assert found[1:] == (1, 0)


def test_an_answer_is_checked_in_a_few_milliseconds() -> None:
    known = candidates(*(row["passage"] for row in ROWS[:8]))
    text = " ".join(s["text"] for s in ROWS[0]["sentences"][:6])
    tried = SupportCheck(ANALYSER)
    tried.prepare(known, ())
    cost = cheapest(lambda: tried.check(text, candidates=known, steps=(), mark=MARK), enough=0.1)
    assert cost < 0.1  # 5 ms on a quiet machine


def test_a_sentence_without_support_is_marked_removed_or_kept() -> None:
    text = f"{TRUE} [1] {FALSE} [1]"
    assert check(text) == (f"{TRUE} [1] {FALSE} {MARK}", 2, 1)
    assert check(text, Unsupported.REMOVE) == (f"{TRUE} [1]", 2, 1)
    assert check(text, Unsupported.KEEP) == (f"{TRUE} [1] {FALSE}", 2, 1)


@pytest.mark.parametrize("cited", ["", " [1]", " [2]", " [9]"])
def test_one_retrieved_passage_supports_a_sentence_whatever_it_cites(cited: str) -> None:
    assert check(f"{TRUE}{cited}")[1:] == (1, 0)


def test_what_a_sentence_cites_together_supports_it_too_but_words_from_everywhere_do_not() -> None:
    both = "Commands serve editors while printers print the first and last job."
    halves = ("Commands serve editors.", "Printers print jobs.")
    assert check(f"{both} [1][2]", Unsupported.MARK, *halves)[2] == 0
    scattered = ("Commands here.", "Editors here.", "Printers here.", "Jobs here.")
    assert check(both, Unsupported.MARK, *scattered)[2] == 1


def test_without_any_knowledge_nothing_can_be_compared() -> None:
    assert checked(TRUE, ()).claims == 0


def test_definitions_of_the_concepts_support_too() -> None:
    needed = make.concept("Knuth", definition="Published algorithm, Stanford, winter.")
    step = TeachStep(concept=make.concept("k"), prerequisites=(needed,))
    found = checked(FALSE, candidates(STACKS), steps=(step,))
    assert (found.text, found.claims, found.unsupported) == (FALSE, 1, 0)


@pytest.mark.parametrize(
    "text",
    [
        "Who published the algorithm in Stanford during winter?",
        "谁在斯坦福的冬季学期发表了这个排序算法？",
        "Let us see.",
        "# Knuth published the algorithm in Stanford during winter.",
        "```\nKnuth published the algorithm in Stanford during winter.\n```",
        "| Knuth published | the algorithm in Stanford during winter. |",
        "莫奇利在宾夕法尼亚的讲座中提出了快速排序算法。",
    ],
)
def test_questions_transitions_headings_code_and_what_is_in_another_language_are_no_claims(text: str) -> None:
    assert check(text) == (text, 0, 0)


def test_what_is_left_after_removal_has_no_empty_points_or_headings() -> None:
    text = f"## Who\n\n- {FALSE}\n- {FALSE}\n\n## How\n\n1. {TRUE} [1]\n2. {FALSE}\n\n```\n- x\n```"
    assert check(text, Unsupported.REMOVE)[0] == f"## How\n\n1. {TRUE} [1]\n\n```\n- x\n```"


def test_an_answer_of_nothing_but_unsupported_claims_holds_nothing() -> None:
    def holds_nothing(text: str, policy: Unsupported = Unsupported.MARK) -> bool:
        return checked(text, candidates(STACKS), SupportCheck(ANALYSER, unsupported=policy)).holds_nothing

    assert holds_nothing(f"{FALSE} {FALSE}")
    assert not holds_nothing(FALSE)
    assert holds_nothing(FALSE, Unsupported.REMOVE)
    assert not holds_nothing(f"Let us see. {FALSE}", Unsupported.REMOVE)
    assert not holds_nothing(f"{FALSE} {TRUE}")
    assert not holds_nothing("Let us see.")
    assert not holds_nothing("")


def test_a_claim_needs_its_words_near_each_other_and_not_in_the_title_alone() -> None:
    """Words that stand far from each other in a passage, or in its title only, do not support together."""
    between = "Bread is baked in the morning. Cooks rise early. Ovens are hot."
    passages = (
        "Storage\nThe leaves of a heap stand in an array. The array has a fixed size.",
        f"Storage\nThe leaves fall. {between} Its size is small. {between} A heap stands there. {between} "
        "Arrays are fixed.",
        "Do the leaves of a heap stand in an array of fixed size?\nAsk your teacher about this topic.",
    )
    rule = SupportCheck(ANALYSER, embedder=shipped_encoder(), unsupported=Unsupported.REMOVE)
    said = "The leaves of a heap stand in an array of fixed size."
    assert [checked(said, titled(passage), rule).unsupported for passage in passages] == [0, 1, 1]


def titled(passage: str) -> list[Candidate]:
    title, _, text = passage.partition("\n")
    (known,) = candidates(text)
    return [replace(known, pair=replace(known.pair, question=title))]


def test_what_is_removed_without_support_needs_more_of_it_than_what_is_marked() -> None:
    claim = "An editor puts commands onto a stack, so that the newest is undone before others."
    found = {
        policy: checked(
            claim, candidates(STACKS), SupportCheck(ANALYSER, embedder=shipped_encoder(), unsupported=policy)
        ).unsupported
        for policy in (Unsupported.MARK, Unsupported.REMOVE)
    }
    assert found == {Unsupported.MARK: 0, Unsupported.REMOVE: 1}


def test_a_sentence_that_points_back_goes_with_the_one_that_it_points_to() -> None:
    """Not so where another paragraph begins; what leads in to nothing any more goes too."""
    back = "It is the last command on the stack that is undone first."
    assert check(f"{TRUE} {FALSE} {back}", Unsupported.REMOVE)[0] == f"{TRUE} [1]"
    assert check(f"{FALSE}\n\n{back}", Unsupported.REMOVE)[0] == f"{back} [1]"
    lead = f"{TRUE}\n\nWhen to use it:\n- {FALSE}\n\nWhen not to:\n- {FALSE}"
    assert check(lead, Unsupported.REMOVE)[0] == f"{TRUE} [1]"
    assert check(f"When to use it:\n- {TRUE}\n- {FALSE}", Unsupported.REMOVE)[0] == (
        f"When to use it:\n- {TRUE} [1]"
    )


def test_a_sentence_with_the_number_of_a_document_is_held_against_the_course_without_it() -> None:
    text, _, unsupported = check(f"{TRUE[:-1]}, as stated in document 7.")
    assert (text, unsupported) == (f"{TRUE} [1]", 0)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("A stack grows, as stated in document 2.", "A stack grows."),
        ("A stack grows, as mentioned in the first document, and shrinks.", "A stack grows, and shrinks."),
        ('A stack grows, according to the information provided in document n="2".', "A stack grows."),
        ("It is short. According to documents 1 and 3, a stack grows.", "It is short. A stack grows."),
        ("根据文档[1]，栈后进先出。", "栈后进先出。"),
        ("根据文档，栈后进先出。", "栈后进先出。"),
        ("The code is given in documents 1, 3, and 5.", "The code is given in the course material."),
        ('The document <document n="2"> names a stack.', "The course material names a stack."),
        ('<document n="2">讲了栈。', "课程资料讲了栈。"),
    ],
)
def test_a_document_of_the_prompt_loses_its_number(written: str, shown: str) -> None:
    assert without_document_names(written) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Hand in document 2 by Friday.",
        "Open the second document and save it.",
        "It is short.\n\nAccording to document 2 a stack grows.",
        '```\nprint("as stated in document 2")\n```',
        "Write `as stated in document 2` there.",
        "文档 2 周五前提交。",
    ],
)
def test_documents_that_a_course_speaks_of_and_code_stay_as_they_are(text: str) -> None:
    assert without_document_names(text) == text


@pytest.mark.parametrize("text", [" " * 20_000, "\n" * 20_000, "as stated in" + " " * 20_000])
def test_long_runs_of_a_model_that_is_stuck_cost_little(text: str) -> None:
    assert cheapest(lambda: without_document_names(text), enough=0.25) < 0.25
