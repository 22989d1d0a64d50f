"""The teacher without a model explains from what was given, cites truly, and holds back in hint mode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import factories as make
import pytest
from markdown_it import MarkdownIt

from prompts.primers import refusal_sentence
from vta.dialogue.teaching.offline import ComposingTeacher
from vta.kinds import Kind
from vta.languages import Language
from vta.types.language_model import TeachStep
from vta.types.pairs import Candidate, Source
from vta.types.questions import AnswerStyle

LIST = make.concept("list", definition="A list is a sequence.")
STACK = make.concept("stack", "LIFO", definition="A stack is a list with one end.")
QUEUE = make.concept("queue", definition="A queue is a list with two ends.")
STEPS = (TeachStep(concept=QUEUE, prerequisites=(STACK,)), TeachStep(concept=STACK, prerequisites=(LIST,)))


def found(*pairs: tuple[Source, str, str]) -> tuple[Candidate, ...]:
    return tuple(
        make.candidate(make.pair(title, text, id=str(i), source=source))
        for i, (source, title, text) in enumerate(pairs)
    )


def teach(question: str, candidates: tuple[Candidate, ...] = (), **given: Any) -> str:
    """What the teacher says, without whether it is an answer."""
    told = {"steps": (), "language": Language.EN, **given}
    return ComposingTeacher().teach(question, candidates=candidates, **told).text


FAQ, NOTES, TERM = Source.FAQ, Source.MATERIAL, Source.CONCEPT
COMPARED = [
    ("How do a queue and a stack differ?", Language.EN),
    ("queue vs stack", Language.EN),
    ("whats the diffrence between queue and stack", Language.EN),
    ("队列和栈有什么不同", Language.ZH),
    ("對比隊列和棧", Language.ZH),
]


SHORT = "Today we pause. A heap is a tree. Its root is the largest. Now open the window."
PARAGRAPHS = "Do this:\n\n```python\npush(1)\n```\n\nThen that:\n\n- one\n- two"
HEAP_STEPS = (TeachStep(concept=make.concept("heap"), prerequisites=()),)
EXERCISES = "What is a heap?\n\nWhy is a heap fast?\n\nWhen is a heap slow?"
TREE = (NOTES, "Trees", "A heap is a tree that is nearly full.")
TERMS = (
    "Training with eta and other parameters takes a while.\n\n"
    "- `eta`: learning rate, how fast the model learns\n- `depth`: the most levels of a tree\n"
)
ANSWERS: dict[str, tuple[str, list[tuple[Source, str, str]], dict[str, Any], str]] = {
    "an FAQ answer to another question, under its own": (
        "Are heaps sorted?", [(FAQ, "Is a heap sorted?", "No.")], {}, "**Is a heap sorted?**\n\nNo. [1]"),
    "an FAQ answer to the same question": (
        "is a heap  sorted?", [(FAQ, "Is a heap sorted?", "No.")], {}, "No. [1]"),
    "the paragraphs, code and lists of an FAQ answer": (
        "How to push?", [(FAQ, "How to push?", PARAGRAPHS)], {}, PARAGRAPHS.replace("that:", "that: [1]")),
    "a short passage whole": ("What is a heap?", [(NOTES, "Heap", SHORT)], {}, f"{SHORT} [1]"),
    "no prerequisites and no order of study": (
        "queue", [(FAQ, "queue", "A queue is fair.")], {"steps": STEPS}, "A queue is fair. [1]"),
    "a retrieved definition, with its number": (
        "What is a stack?", [(TERM, "lifo", "A stack is last in, first out.")], {"steps": STEPS[1:]},
        "A stack is last in, first out. [1]"),
    "no comparison for another question": (
        "How does a queue work?", [(NOTES, "Queue", "A queue works from both ends.")], {"steps": STEPS},
        "A queue works from both ends. [1]"),
    "no comparison with nothing": (
        "queue vs what?", [(NOTES, "Queue", "A queue works from both ends.")], {"steps": STEPS[:1]},
        "A queue works from both ends. [1]"),
    "notes that only come close, under their heading": (
        "stak", [(NOTES, "Stack", "A stack is a pile.")], {"near": True},
        "This may help:\n\n**Stack**\n\nA stack is a pile. [1]"),
    "the definition of a thing that is asked for by name": (
        "explain the stack", [(TERM, "stack", "A stack is a list."), (NOTES, "Plates", "A stack of plates.")],
        {"steps": STEPS[1:]}, "A stack is a list. [1]"),
    "the definition of a thing that a question asks for": (
        "What is a stack?", [(TERM, "stack", "A stack is a list."), (NOTES, "Plates", "A stack of plates.")],
        {"steps": STEPS[1:]}, "A stack is a list. [1]"),
}  # fmt: skip
OPENINGS: dict[str, tuple[str, list[tuple[Source, str, str]], dict[str, Any], str]] = {
    "a claim with its negation and condition": (
        "Is the root of a heap the largest?",
        [(NOTES, "Heap", "A heap is sorted in part. It is no search tree. However, the root is largest.")],
        {}, "A heap"),
    "what answers before exercises": (
        "What is a heap?",
        [(NOTES, "Heap > Exercises", "What is a heap? Explain it."), (NOTES, "Heap", "A heap is a tree.")],
        {}, "A heap is a tree. [2]"),
    "a list of questions by its heading": (
        "Heaps, the first of them", [(NOTES, "Heaps", EXERCISES), TREE], {}, "What is a heap?"),
    "exercises by their heading": (
        "Exercises, the first of them", [(NOTES, "Exercises", EXERCISES), TREE], {}, "What is a heap?"),
    "the place under the heading that is asked for": (
        "队列用在哪里",
        [(TERM, "循环队列", "循环队列把队列首尾相接。"), (NOTES, "队列 > 用在哪里", "打印任务排在队列里。")],
        {"language": Language.ZH}, "打印任务排在队列里。 [2]"),
    "the first sentences under the heading that is asked for": (
        "use of a heap",
        [(NOTES, "Use of a heap", "Schedulers keep jobs in it. Others too. A heap is a tree.")],
        {}, "Schedulers keep jobs in it. Others too."),
    "a passage on the question before one on nothing": (
        "Why a heap?", [(NOTES, "a", "The sky is blue."), (NOTES, "b", "A heap is a tree.")],
        {}, "A heap is a tree. [2]"),
    "an FAQ entry that compares before definitions": (
        COMPARED[0][0],
        [(TERM, "queue", "A queue."), (FAQ, "Queue or stack?", "A queue is fair; a stack is not.")],
        {"steps": STEPS}, "**Queue or stack?**\n\nA queue is fair; a stack is not. [2]"),
    "definitions before what the notes say of both": (
        "queue vs stack", [(NOTES, "Lists", "A queue serves the oldest, while a stack serves the newest.")],
        {"steps": STEPS}, "- **queue**"),
    "the entry that only asks what it is": (
        "I did not understand the lecture on the heap",
        [(FAQ, "Can I sort with a heap?", "Yes."), (FAQ, "What is a heap?", "A heap is a tree.")],
        {"steps": HEAP_STEPS}, "**What is a heap?**\n\nA heap is a tree. [2]"),
}  # fmt: skip
PARTS: dict[str, tuple[str, list[tuple[Source, str, str]], dict[str, Any], str]] = {
    "a concept without a candidate, from the graph": (
        "Why a stack?", [], {"steps": STEPS[1:]}, "A stack is a list with one end."),
    "the notes on both, behind definitions": (
        "queue vs stack", [(NOTES, "Lists", "A queue serves the oldest, while a stack serves the newest.")],
        {"steps": STEPS}, "A queue serves the oldest, while a stack serves the newest. [1]"),
    "an item of a list that defines before prose that uses": (
        "what is eta", [(NOTES, "Parameters", TERMS)], {}, "how fast the model learns"),
}  # fmt: skip


@pytest.mark.parametrize("case", ANSWERS)
def test_an_answer_is_word_for_word(case: str) -> None:
    question, pairs, given, text = ANSWERS[case]
    assert teach(question, found(*pairs), **given) == text


@pytest.mark.parametrize("case", OPENINGS)
def test_an_answer_begins_with(case: str) -> None:
    question, pairs, given, opening = OPENINGS[case]
    assert teach(question, found(*pairs), **given).startswith(opening)


@pytest.mark.parametrize("case", PARTS)
def test_an_answer_holds(case: str) -> None:
    question, pairs, given, part = PARTS[case]
    assert part in teach(question, found(*pairs), **given)


# Which words


@pytest.mark.parametrize(
    ("question", "passage", "said"),
    [
        (
            "Why does a heap put the largest element on top?",
            "The weather is fine. A heap puts the largest on top, because parents win. Goodbye.",
            "A heap puts the largest on top, because parents win.",
        ),
        (
            "What is a heap?",
            "Welcome back. We saw that heap use grows. A heap is a tree whose root is largest. Goodbye.",
            "A heap is a tree whose root is largest.",
        ),
        (
            "什么是堆？",
            "上节课讲了堆的用法。堆是一棵根最大的完全二叉树。今天到这里。",
            "堆是一棵根最大的完全二叉树。",
        ),
        (
            "为什么堆排序慢？",
            "堆排序的代码很短。堆排序慢是因为跳着访问内存。下课。",
            "堆排序慢是因为跳着访问内存。",
        ),
        (
            "How many quizzes are there?",
            "Quizzes are fun. There are six quizzes in all.",
            "There are six quizzes",
        ),
        (
            "What is a heap used for?",
            "A heap is a tree. A heap is used for priority queues.",
            "is used for priority",
        ),
        ("堆有什么用？", "堆是一棵树。堆用于优先队列。", "堆用于优先队列。"),
        (
            "When is the heap rebuilt?",
            "The heap is a tree. The heap is rebuilt every 3 days.",
            "every 3 days",
        ),
    ],
)
def test_the_sentence_that_answers_is_quoted(question: str, passage: str, said: str) -> None:
    assert said in teach(question, found((NOTES, "Heap", passage)))


@pytest.mark.parametrize("question", ["What is a heap?", "How do I sort?", "为什么？", "heap"])
@pytest.mark.parametrize(
    "answer", ["No. A heap is no list. Do not sort it.", "不一定。堆不是列表。不要排序它。"]
)
def test_an_faq_answer_is_quoted_whole(question: str, answer: str) -> None:
    assert teach(question, found((FAQ, "Is a heap a list?", answer))).endswith(f"{answer} [1]")


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("give me the code of push", "```python"),
        ("用代码写 push", "```python"),
        ("What is the formula of push?", "$$n = n + 1$$"),
        ("push 的公式是什么", "$$n = n + 1$$"),
        ("How do I push? Which steps?", "- make room"),
    ],
)
def test_the_unit_that_is_asked_for_comes_with_what_introduces_it(question: str, kept: str) -> None:
    passage = (
        "To push is to add.\n\nIn Python, push reads:\n\n```python\nitems.append(x)\n```\n\n"
        "The size after push is:\n\n$$n = n + 1$$\n\nThe steps of push:\n\n- make room\n- write x\n\nDone."
    )
    shown = teach(question, found((FAQ, "Is push fast?", "Yes."), (NOTES, "Push", passage)))
    assert kept in shown
    assert ":" in shown.partition(kept)[0].splitlines()[-2]


@pytest.mark.parametrize(("question", "language"), [("an example of a stack", "en"), ("举个栈的例子", "zh")])
def test_an_example_is_fetched_from_the_passage_that_has_one(question: str, language: str) -> None:
    candidates = found(
        (FAQ, "What is a stack?", "A stack (栈) is a list."),
        (
            NOTES,
            "Stack",
            "Of a stack (栈) we take the top. For example, think of a pile of plates as a stack (栈).",
        ),
    )
    text = teach(question, candidates, language=Language(language))
    assert "pile of plates" in text


# How much


def test_a_second_source_is_quoted_only_where_it_adds_what_the_first_lacks() -> None:
    first = (FAQ, "What is dropout?", "Dropout switches off random neurons.")
    same = (NOTES, "Dropout", "Dropout is a way to switch off neurons.")
    more = (NOTES, "Why dropout", "Dropout helps, because no neuron can rely on another.")
    assert "[2]" not in teach("What is dropout?", found(first, same))
    assert "[2]" in teach("What is dropout and why does it help?", found(first, more))


@pytest.mark.parametrize(
    ("question", "pairs", "quotes"),
    [
        (
            "What is a heap?",
            [(NOTES, "Heap", "Today we pause. A heap is a tree of $n$ nodes. Now open the window.")],
            {1: "A heap is a tree of $n$ nodes."},
        ),
        ("What is a heap?", [(NOTES, "Heap", "A heap is a tree.")], {1: ""}),
        ("give me the code of push", [(NOTES, "Push", "So it goes.\n\n```python\npush(1)\n```")], {1: ""}),
        ("What is the formula of a heap?", [(NOTES, "Heap", "So it is:\n\n$$h = 1$$")], {1: ""}),
        (
            "How do I sort?",
            [(FAQ, "How do I sort?", "No idea. Sort by a heap, or do not sort.")],
            {1: "Sort by a heap, or do not sort."},
        ),
        ("What is a stack?", [(TERM, "LIFO", "A pile. It is high.")], {1: ""}),
        ("zebra", [], {}),
    ],
)
def test_what_is_quoted_is_told_with_the_sentence_of_it_that_answers(
    question: str, pairs: list[tuple[Source, str, str]], quotes: dict[int, str]
) -> None:
    """None where the excerpt is one piece, a definition is quoted whole, or what answers is no sentence."""
    given: dict[str, Any] = {"steps": STEPS[1:], "candidates": found(*pairs), "language": Language.EN}
    assert ComposingTeacher().teach(question, **given).quotes == quotes
    assert ComposingTeacher().teach(question, hint=True, **given).quotes == {}
    near = ComposingTeacher().teach(question, near=True, **given).quotes
    assert near == dict.fromkeys(quotes, ""), "what only comes close does not answer"


def test_of_a_long_passage_one_piece_is_quoted_as_it_stands_there() -> None:
    passage = " ".join(f"The {n}th heap is a tree with many nodes and some more words." for n in range(60))
    text = teach("What is a heap?", found((NOTES, "Heap", passage)))
    assert 300 < len(text) < 520
    assert text.removesuffix(" [1]") in passage


@pytest.mark.parametrize("hint", [False, True])
def test_a_sentence_that_defines_two_concepts_is_shown_once(hint: bool) -> None:
    """Under both names; what the notes say of them still stands behind it."""
    both = "Stacks and queues are lists."
    steps = [TeachStep(concept=replace(each.concept, definition=both), prerequisites=()) for each in STEPS]
    notes = (NOTES, "Ends", "A queue and a stack differ.")
    candidates = found((TERM, "queue", both), (TERM, "stack", both), notes)
    text = teach("queue vs stack", candidates, steps=steps, hint=hint)
    assert text.count(both) == 1
    assert hint or text == f"- **queue / stack**: {both} [1]\n\nA queue and a stack differ. [3]"


@pytest.mark.parametrize(("question", "language"), COMPARED)
def test_a_comparison_sets_the_definitions_side_by_side(question: str, language: Language) -> None:
    text = teach(question, steps=STEPS, language=language)
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert html.count("<li>") == 2
    assert "A queue is a list with two ends." in text
    assert "A stack is a list with one end." in text


# Wishes


HEAP = found(
    (FAQ, "What is a heap?", "A heap is a tree. Its root is the largest."),
    (NOTES, "Heap", "A heap is like a pyramid. For example, think of the boss of a firm."),
)


def test_what_was_told_is_not_told_again() -> None:
    told = ("**What is a heap?**\n\nA heap is a tree. Its root is the largest. [1]",)
    assert "[1]" not in teach("What is a heap?", HEAP, style=AnswerStyle(already_said=told))


def test_simpler_is_the_passage_with_a_picture() -> None:
    assert "pyramid" in teach("What is a heap?", HEAP, style=AnswerStyle(simpler=True))


def test_what_is_to_be_told_simply_begins_with_what_it_is() -> None:
    """Once: the passage below it says something else."""
    heap = make.concept("heap", definition=HEAP[0].pair.answer)
    text = teach(
        "What is a heap?",
        HEAP,
        steps=(TeachStep(concept=heap, prerequisites=()),),
        style=AnswerStyle(simpler=True),
    )
    assert text.startswith(f"- **heap**: {heap.definition}")
    assert text.count(heap.definition) == 1
    assert "pyramid" in text


@pytest.mark.parametrize("style", [AnswerStyle(), AnswerStyle(simpler=True)])
def test_with_nothing_new_left_it_says_so(style: AnswerStyle) -> None:
    told = (
        "A heap is a tree. Its root is the largest. [1]",
        "A heap is like a pyramid. For example, think of",
    )
    text = teach("What is a heap?", HEAP[:1], style=replace(style, already_said=told))
    assert text.startswith("I found nothing further on this in the course.")


def test_a_wish_for_a_kind_goes_before_the_words_of_the_question() -> None:
    style = AnswerStyle(kinds=frozenset({Kind.EXAMPLE}))
    given: dict[str, Any] = {"steps": (), "candidates": HEAP[1:], "language": Language.EN}
    taught = ComposingTeacher().teach("What is a heap?", style=style, **given)
    assert "boss of a firm" in taught.text


# What only comes close


@pytest.mark.parametrize("language", list(Language))
def test_what_only_comes_close_may_help_and_two_more_places_stand_beside_it(language: Language) -> None:
    pairs = [(FAQ, f"{name} a stack?", f"{name} text.") for name in ("What is", "Why", "How is", "Where is")]
    given: dict[str, Any] = {"steps": (), "candidates": found(*pairs), "language": language}
    taught = ComposingTeacher().teach("What is the stack?", near=True, **given)
    opening, title, answer = taught.text.split("\n\n")
    assert opening in ("This may help:", "这里可能有帮助：")
    assert (title, answer) == ("**What is a stack?**", "What is text. [1]")
    assert len(taught.further) == 2


# Refusals and hints


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("hint", [False, True])
def test_with_nothing_given_it_refuses_and_points_to_a_real_ta(language: Language, hint: bool) -> None:
    text = teach("x", language=language, hint=hint)
    assert text.startswith(refusal_sentence(language))
    assert "助教" in text or "TA" in text


@pytest.mark.parametrize("question", ["What is a queue?", "How do a queue and a stack differ?"])
@pytest.mark.parametrize("steps", [STEPS, ()])
def test_a_hint_holds_no_passage_and_no_answer_of_the_faq(
    question: str, steps: tuple[TeachStep, ...]
) -> None:
    candidates = found(
        (FAQ, "Solve exercise 1", "SOLUTION of the FAQ."), (NOTES, "Chapter 2", "SOLUTION here.")
    )
    text = teach(question, candidates, steps=steps, hint=True)
    assert "SOLUTION" not in text
    assert "Solve exercise" not in text
    assert "Chapter 2" in text
    assert "?" in text
    assert all((step.concept.definition in text) for step in steps)


def test_markup_in_names_definitions_and_passages_stays_inert() -> None:
    evil = "<b>x</b> [y](javascript:z) | `q"
    concept = make.concept(evil, definition=evil, domains=(evil,))
    text = teach(
        "difference?",
        found((NOTES, evil, evil)),
        steps=(
            TeachStep(concept=concept, prerequisites=(STACK,)),
            TeachStep(concept=STACK, prerequisites=(concept,)),
        ),
    )
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert "<b>" not in html
    assert "<a" not in html
    assert "<code" not in html
    assert html.count("<li>") == 2


@pytest.mark.parametrize(
    ("question", "language", "opening"),
    [
        ("What should I study before the queue?", Language.EN, "Know first, before queue:"),
        ("prerequisites of a queue", Language.EN, "Know first, before queue:"),
        ("学队列之前要先学什么", Language.ZH, "学queue之前先学："),
    ],
)
def test_what_to_know_first_is_answered_from_the_graph(
    question: str, language: Language, opening: str
) -> None:
    candidates = found((TERM, "stack", "A stack is last in, first out."), (FAQ, "queue", "A queue is fair."))
    text = teach(question, candidates, steps=STEPS[:1], language=language)
    assert text.startswith(opening)
    assert "A stack is last in, first out. [1]" in text
    assert "fair" not in text


def test_a_sentence_that_only_announces_gives_way_to_one_that_says_it() -> None:
    between = " ".join(f"Row {n} of the next figure shows the nodes and the arrows." for n in range(20))
    passage = f"Now we can build the heap. {between} The heap needs time, because swaps are many."
    text = teach("Why does the heap need time?", found((NOTES, "Heap", passage)))
    assert text.endswith("The heap needs time, because swaps are many. [1]")
    assert "Now we can" not in text


def test_a_side_of_a_comparison_never_ends_at_a_colon() -> None:
    """A definition that leaves its formula to the next line gives way to the graph's own."""
    steps = tuple(
        TeachStep(concept=make.concept(n, definition=f"The {n} is a share of mails."), prerequisites=())
        for n in ("precision", "recall")
    )
    notes = (
        "Precision is the share of these that are right:\n\n$$P = 1$$\n\n"
        "Recall is the share of those found:\n\n$$R = 1$$\n"
    )
    text = teach("precision vs recall", found((NOTES, "Scores", notes)), steps=steps)
    assert "The precision is a share of mails." in text
    sides = [line for line in text.splitlines() if line.startswith("- ")]
    assert not any(line.rstrip(" []0123456789").endswith(":") for line in sides)


def test_the_place_with_the_sentence_that_answers_is_shown_and_the_next_stands_beside_it() -> None:
    candidates = found(
        (NOTES, "Collisions of keys", "Two keys may want one slot."),
        (NOTES, "Chains", "Collisions are resolved by chains of keys."),
    )
    given: dict[str, Any] = {"steps": (), "candidates": candidates, "language": Language.EN}
    taught = ComposingTeacher().teach("how are collisions resolved", **given)
    assert "chains of keys. [2]" in taught.text
    assert ("one slot" in taught.text, taught.further) == (False, (1,))
