"""Follow-ups get the subject they leave out; questions that stand alone stay as they are."""

from __future__ import annotations

import pytest

from prompts.follow_up import RuleFollowUp
from prompts.follow_up.ordinals import name_ordinal
from vta.types import (
    Concept,
    ConceptId,
    Mention,
    PastTurn,
    Route,
)

Past = tuple[str, list[str]]
STACK: Past = ("什么是栈？", ["栈"])
QUEUE: Past = ("什么是队列？", ["队列"])
BOTH: Past = ("栈和队列有什么区别？", ["队列", "栈"])
COST: Past = ("栈的时间复杂度是什么？", ["栈", "时间复杂度"])
PRECISION: Past = ("What is precision?", ["precision"])
RECALL: Past = ("What is recall?", ["recall"])
TOPIC_ZH: Past = ("请问什么是哈夫曼编码？", [])
TOPIC_EN: Past = ("Can you explain gradient descent?", [])

FOLLOW_UPS = [
    ([STACK], "它的时间复杂度呢？", ["时间复杂度"], "栈的时间复杂度呢？"),
    ([STACK], "好的，那它怎么实现？", [], "栈怎么实现？"),
    ([STACK], "這個算法難嗎", [], "栈难吗"),
    ([STACK], "这个算法难吗", [], "栈难吗"),
    ([STACK], "时间复杂度呢？", [], "栈的时间复杂度呢？"),
    ([STACK], "那队列呢？", ["队列"], "什么是队列？"),
    ([COST], "队列呢？", ["队列"], "队列的时间复杂度是什么？"),
    ([COST], "那空间复杂度呢？", ["空间复杂度"], "栈的空间复杂度呢？"),
    ([STACK], "那链表呢？", [], "什么是栈？链表呢？"),
    ([STACK], "如果满了呢？", [], "什么是栈？如果满了呢？"),
    ([BOTH], "它们的应用呢？", [], "栈和队列的应用呢？"),
    ([STACK, QUEUE], "它们有什么区别？", [], "栈和队列有什么区别？"),
    ([BOTH], "后者怎么实现？", [], "队列怎么实现？"),
    ([STACK], "它和队列有什么区别？", ["队列"], "栈和队列有什么区别？"),
    ([STACK], "队列和它有什么区别？", ["队列"], "队列和栈有什么区别？"),
    ([STACK], "为什么？", [], "什么是栈？为什么？"),
    ([STACK], "能举个例子吗？", [], "举例说明栈"),
    ([STACK], "怎么实现？", [], "栈怎么实现？"),
    ([STACK], "有什么优缺点？", [], "栈有什么优缺点？"),
    ([TOPIC_ZH], "它有什么用？", [], "哈夫曼编码有什么用？"),
    ([PRECISION], "What is its range?", [], "What is precision's range?"),
    (
        [PRECISION],
        "and its time complexity?",
        ["time complexity"],
        "What is the time complexity of precision?",
    ),
    ([PRECISION], "what about recall?", ["recall"], "What is recall?"),
    ([PRECISION], "And the formula?", [], "What is the formula of precision?"),
    ([PRECISION], "What are the advantages?", [], "What are the advantages of precision?"),
    ([PRECISION], "why?", [], "What is precision? Why?"),
    ([PRECISION], "Can you give me an example?", [], "Give an example of precision"),
    (
        [("Tell me about the Ice Age.", [])],
        "What is the evidence for it?",
        [],
        "What is the evidence for the Ice Age?",
    ),
    ([("What is the main use of a heap?", [])], "How does it work?", [], "How does a heap work?"),
    ([("What is a heap?", []), ("How reliable is the test?", [])], "Can it fail?", [], "Can heap fail?"),
    ([("如何评价这首长诗", [])], "它好吗", [], "这首长诗好吗"),
    ([COST], "举个例子", [], "举例说明栈"),
    ([BOTH], "公式呢", [], "栈和队列的公式"),
    ([PRECISION], "code pls", [], "Show the code of precision"),
    ([PRECISION], "simpler please", [], "What is precision?"),
    ([STACK], "能再简单点吗", [], "什么是栈？"),
    ([BOTH], "啥时候用哪个", [], "栈和队列啥时候用哪个"),
    ([PRECISION, RECALL], "which one should i use", [], "which one should i use, precision or recall?"),
    ([STACK, QUEUE], "上一个，举个例子", [], "举例说明栈"),
    ([PRECISION, RECALL], "back to the previous one, why?", [], "What is precision? Why?"),
    ([PRECISION], "How does it differ from recall?", ["recall"], "How does precision differ from recall?"),
    ([PRECISION], "How does recall compare to it?", ["recall"], "How does recall compare to precision?"),
    ([PRECISION], "When is this one better?", [], "When is precision better?"),
    ([PRECISION, RECALL], "How do they differ?", [], "How do precision and recall differ?"),
    ([PRECISION, RECALL], "When does the former matter?", [], "When does precision matter?"),
    ([TOPIC_EN], "When should I use it?", [], "When should I use gradient descent?"),
    ([TOPIC_EN], "how does this algorithm work?", [], "how does gradient descent work?"),
    ([TOPIC_EN], "How is it related to regression?", [], "How is gradient descent related to regression?"),
    ([TOPIC_EN], "What comes after it?", [], "What comes after gradient descent?"),
    ([TOPIC_EN], "What happens if it diverges?", [], "What happens if gradient descent diverges?"),
    ([TOPIC_EN], "Is it bad for large data?", [], "Is gradient descent bad for large data?"),
    ([TOPIC_EN], "What are the main variants?", [], "What are the main variants of gradient descent?"),
    ([TOPIC_EN], "Are there any drawbacks?", [], "Are there any drawbacks of gradient descent?"),
    ([("Who was Adam Smith?", [])], "What did he write?", [], "What did Adam Smith write?"),
    ([("Who was Adam Smith?", [])], "What are his main ideas?", [], "What are Adam Smith's main ideas?"),
    (
        [("What is the role of taxes?", []), ("What are the different types?", [])],
        "Who pays them?",
        [],
        "Who pays taxes?",
    ),
    ([("What are taxes?", [])], "What is their purpose?", [], "What is taxes' purpose?"),
    ([("谁是陈景润？", [])], "他证明了什么？", [], "陈景润证明了什么？"),
    ([("广州塔在哪里？", [])], "那里有什么展览？", [], "广州塔有什么展览？"),
]
STAND_ALONE = [
    ("什么是哈希表，它怎么用？", ["哈希表"]),
    ("什么是尾插法，它怎么用？", []),
    ("其他数据结构有哪些？", []),
    ("这个课程什么时候考试？", []),
    ("为什么栈是后进先出的呢？", ["栈"]),
    ("队列的时间复杂度呢？", ["队列", "时间复杂度"]),
    ("如何实现一个循环队列？", ["循环队列"]),
    ("吉他怎么弹", []),
    ("怎么用栈计算表达式？", ["栈"]),
    ("What is recursion and how does it work?", []),
    ("How do I train a model and evaluate it?", []),
    ("Is it possible to pass the course without homework?", []),
    ("What is overfitting?", ["overfitting"]),
    ("Why does my network overfit its data?", []),
    ("A function that calls itself, what is it called?", []),
    ("What are the advantages of random forests?", ["random forests"]),
    ("How many lectures are there?", []),
    ("What about the bond market?", []),
    ("how much time per week does this take", []),
    ("Is it useful for me to revise the proofs?", []),
    ("Why does a tree need pruning before it can generalise?", []),
]


def turn(
    question: str, names: list[str], *, route: Route = Route.DIRECT, standalone: str | None = None
) -> PastTurn:
    return PastTurn(
        question=question,
        standalone_question=standalone or question,
        answer="",
        route=route,
        concepts=tuple(names),
        flagged=False,
    )


def mentions(question: str, names: list[str]) -> tuple[Mention, ...]:
    return tuple(
        Mention(
            concept=Concept(id=ConceptId(name), name=name),
            start=question.find(name),
            end=question.find(name) + len(name),
            surface=name,
        )
        for name in names
    )


def rewrite(history: list[PastTurn], question: str, names: list[str]) -> str:
    return RuleFollowUp().rewrite(question, history=history, mentions=mentions(question, names))


@pytest.mark.parametrize(("past", "question", "names", "expected"), FOLLOW_UPS)
def test_a_follow_up_gets_its_subject(
    past: list[Past], question: str, names: list[str], expected: str
) -> None:
    assert rewrite([turn(*p) for p in past], question, names) == expected


@pytest.mark.parametrize(("question", "names"), STAND_ALONE)
@pytest.mark.parametrize("past", [STACK, PRECISION, TOPIC_EN])
def test_a_question_that_stands_alone_is_unchanged(question: str, names: list[str], past: Past) -> None:
    assert rewrite([turn(*past)], question, names) == question


@pytest.mark.parametrize("question", ["它的时间复杂度呢？", "why?", " what about it? ", ""])
def test_without_a_turn_about_the_course_nothing_is_changed(question: str) -> None:
    assert rewrite([], question, []) == question
    talk = turn("你好", ["栈"], route=Route.CHIT_CHAT)
    refused = turn("hack", ["栈"], route=Route.REFUSED)
    assert rewrite([talk, refused], question, []) == question


def test_small_talk_between_does_not_hide_the_subject() -> None:
    history = [turn(*STACK), turn("谢谢", [], route=Route.CHIT_CHAT)]
    assert rewrite(history, "它有什么用？", []) == "栈有什么用？"


def test_a_subject_is_carried_through_a_chain_of_follow_ups() -> None:
    history = [turn(*STACK)]
    for question, names, expected in [
        ("它的时间复杂度呢？", ["时间复杂度"], "栈的时间复杂度呢？"),
        ("空间复杂度呢？", ["空间复杂度"], "栈的空间复杂度呢？"),
        ("那队列呢？", ["队列"], "队列的空间复杂度呢？"),
        ("它怎么实现？", [], "队列怎么实现？"),
    ]:
        standalone = rewrite(history, question, names)
        assert standalone == expected
        carried = [name for name in ("栈", "队列", "时间复杂度", "空间复杂度") if name in standalone]
        history.append(turn(question, carried, standalone=standalone))


def test_repeated_why_does_not_grow_without_end() -> None:
    history = [turn(*PRECISION)]
    for _ in range(5):
        standalone = rewrite(history, "why?", [])
        history.append(turn("why?", ["precision"], standalone=standalone))
    assert standalone == "What is precision? Why?"


def test_a_long_question_is_left_alone() -> None:
    question = "它" + "很" * 200
    assert rewrite([turn(*STACK)], question, []) == question


def test_without_a_concept_the_subject_is_what_question_and_answer_both_name() -> None:
    said = PastTurn(
        question="我想看红楼梦",
        standalone_question="我想看红楼梦",
        answer="红楼梦很长",
        route=Route.DIRECT,
        concepts=(),
        flagged=False,
    )
    assert rewrite([said], "它的作者是谁", []) == "红楼梦的作者是谁"


def test_what_about_another_thing_may_ask_the_last_question_of_it() -> None:
    """It stands alone for now, and `carried` has the last question for whoever can look both up."""
    read = RuleFollowUp().read("What about the bond market?", history=[turn(*RECALL)], mentions=())
    assert read.question == "What about the bond market?"
    assert read.carried == "What is recall? What about the bond market?"


LISTED = "Two sources: [1]\n\n1. **Bagging**: rows are drawn.\n2. Random features: columns are drawn."
COUNTED = "主要有两类方法。链地址法在每个位置挂一条链表；开放寻址法在位置被占时找下一个空位。 [1]"


@pytest.mark.parametrize(
    ("answer", "question", "expected"),
    [
        (LISTED, "how does the second one help?", "how does Random features help?"),
        (LISTED, "tell me about the first method", "tell me about Bagging"),
        (COUNTED, "第二种删除的时候有啥坑", "开放寻址法删除的时候有啥坑"),
        (COUNTED, "第一种方法呢", "链地址法呢"),
        (COUNTED, "第三种呢", None),
        ("A heap is a tree. [1]", "the second one?", None),
        ("两个不同的键会冲突。键的取值多于格子。冲突无法避免。", "第二种呢", None),
    ],
)
def test_an_ordinal_means_an_item_of_the_last_answer(
    answer: str, question: str, expected: str | None
) -> None:
    assert name_ordinal(question, answer) == expected
