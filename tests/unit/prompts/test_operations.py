"""Short questions after an answer are operations on it, and questions with something of their own are not."""

from __future__ import annotations

from dataclasses import replace

import factories as make
import pytest

from vta.dialogue.follow_up import asks_for_help, find_operation, find_scope, read_follow_up
from vta.kinds import Kind
from vta.languages import Language
from vta.text import Analyser, detect_language
from vta.types.answers import PastTurn, Route
from vta.types.concepts import Concept, Mention
from vta.types.courses import ConceptId
from vta.types.questions import AnswerStyle, Scope

ANALYSER = Analyser()
OPERATIONS = {
    "why": "why? / why is that / but why / how come? / "
    "为什么 / 为啥呢 / 这是为什么 / 为什么会这样 / 老师，为什么呢？",
    "example": "example? / give me an example / can u explain with an example / for instance? / like what? / "
    "举个例子 / 能举个例子吗 / 来个栗子 / 再举一个例子 / 比如呢 / 没听懂，能举个例子吗",
    "code": "code / show me the code / python code pls / how do i implement it in python / "
    "代码呢 / 有代码吗 / 用python怎么写",
    "formula": "can you show the formula / what's the formula / and the equation? / "
    "公式 / 公式是什么 / 给出公式",
    "where": "where in the video is that / which lecture is that / where? / "
    "where can i read more about it / timestamp? / "
    "在视频的哪里 / 在哪一讲 / 第几分钟 / 哪里讲的 / 这在哪节课讲过",
    "shorter": "shorter / too long / tl;dr / in one sentence please / 短一点 / 太长了 / 一句话总结一下",
    "simpler": "simpler please / eli5 / explain like i'm 5 / i still dont get it / "
    "what do you mean / im lost / "
    "能再简单点吗 / 说人话 / 没懂 / 还是不懂 / 什么意思啊 / 换个说法 / 能不能讲得通俗易懂一点",
    "more": "more / tell me more / go on / what else? / then what / and then? / can you elaborate / "
    "还有呢 / 继续 / 详细一点 / 还有别的吗",
}
OWN_QUESTIONS = (
    "what is a stack / why does a stack need a top / give me an example of recursion / "
    "code for linear regression / where is a stack used / where do i submit the homework / "
    "where can i download the slides / what can you do / "
    "where can i use this / where do we use it / where did i go wrong / 这个用在哪里 / "
    "i don't get cross validation / which page number has the answers / thx! / ok / "
    "什么是代码 / 队列用在哪里 / 队列的例子 / "
    "用python写个栈 / 为什么栈是后进先出 / 我没听懂哈希表那一讲 / 作业在哪里交 / "
    "好的，明白了 / 懂了 / 证书在哪里看 / 视频可以下载吗 / 谢谢 / 好的"
)


def split(texts: str) -> list[str]:
    return texts.split(" / ")


@pytest.mark.parametrize(
    ("question", "name"), [(text, name) for name, texts in OPERATIONS.items() for text in split(texts)]
)
def test_a_question_that_only_asks_on_is_an_operation(question: str, name: str) -> None:
    assert find_operation(question, detect_language(question, Language.EN)) == name


@pytest.mark.parametrize("question", split(OWN_QUESTIONS))
def test_a_question_with_something_of_its_own_is_none(question: str) -> None:
    language = detect_language(question, Language.EN)
    assert find_operation(question, language) is None
    assert find_scope(question, language) is None


@pytest.mark.parametrize(
    ("question", "scope"),
    [
        ("what does he mean here?", Scope.MOMENT),
        ("explain this slide", Scope.PAGE),
        ("summarise this lecture", Scope.LECTURE),
        ("这里没听懂", Scope.MOMENT),
        ("这一页讲什么", Scope.PAGE),
        ("这周要学什么", Scope.LECTURE),
        ("这周要交作业吗", None),
        ("is the homework due this week", None),
    ],
)
def test_a_question_about_here_says_how_much_of_it(question: str, scope: Scope | None) -> None:
    assert find_scope(question, detect_language(question, Language.EN)) is scope


def past(question: str, *names: str, route: Route = Route.CHAIN_OF_TEACH) -> PastTurn:
    return make.past_turn(question, concepts=names, route=route)


STACK = past("什么是栈？", "栈")


@pytest.mark.parametrize(
    ("question", "style"),
    [
        ("举个例子", AnswerStyle(kinds=frozenset({Kind.EXAMPLE}))),
        ("为什么", AnswerStyle(kinds=frozenset({Kind.REASON}))),
        ("在哪一讲", AnswerStyle(kinds=frozenset({Kind.PLACE}))),
        ("短一点", AnswerStyle(shorter=True)),
        ("没懂", AnswerStyle(simpler=True)),
        ("还有呢", AnswerStyle()),
    ],
)
def test_an_operation_says_how_the_answer_is_wanted(question: str, style: AnswerStyle) -> None:
    read = read_follow_up(question, history=[STACK], mentions=(), analyser=ANALYSER)
    assert (read.style, read.is_operation) == (replace(style, already_said=(STACK.answer,)), True)


def test_an_operation_is_done_with_the_last_answer_not_with_a_question_left_unanswered() -> None:
    history = [STACK, past("期末考什么", route=Route.UNANSWERED)]
    read = read_follow_up("举个例子", history=history, mentions=(), analyser=ANALYSER)
    assert read.resolved == read.standalone == "什么是栈？ 举个例子"


@pytest.mark.parametrize(
    ("before", "question"), [("when is the midterm?", "where?"), ("期中考试什么时候？", "在哪里")]
)
def test_after_a_question_of_course_life_where_asks_for_the_place_of_that(before: str, question: str) -> None:
    read = read_follow_up(question, history=[past(before)], mentions=(), analyser=ANALYSER)
    assert (read.standalone, read.is_operation) == (f"{before} {question}", False)
    source = read_follow_up("source?", history=[past(before)], mentions=(), analyser=ANALYSER)
    assert source.is_operation


def test_a_question_that_names_a_concept_is_no_operation() -> None:
    """In a course that teaches what a program is, "程序是什么" asks for that."""
    named = Mention(concept=Concept(id=ConceptId("p"), name="程序"), start=0, end=2, surface="程序")
    read = read_follow_up("程序是什么", history=[STACK], mentions=(named,), analyser=ANALYSER)
    assert (read.resolved, read.is_operation) == ("程序是什么", False)


@pytest.mark.parametrize(
    ("question", "names", "expected"),
    [
        ("I don't get recursion", ["recursion"], "What is recursion?"),
        ("i did not understand the lecture on recursion", ["recursion"], "What is recursion?"),
        ("explain recursion like i'm 5", ["recursion"], "What is recursion?"),
        ("递归太难了，崩溃了", ["递归"], "什么是递归？"),
    ],
)
def test_a_call_for_help_about_one_thing_asks_for_it_simply(
    question: str, names: list[str], expected: str
) -> None:
    mentioned = tuple(
        Mention(
            concept=Concept(id=ConceptId(name), name=name),
            start=question.find(name),
            end=question.find(name) + len(name),
            surface=name,
        )
        for name in names
    )
    read = read_follow_up(question, history=(), mentions=mentioned, analyser=ANALYSER)
    assert (read.resolved, read.style, read.is_operation) == (expected, AnswerStyle(simpler=True), False)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("i don't understand why recursion needs a base case", "recursion"),
        ("i dont get the proof of the recursion theorem", "recursion"),
        ("explain the water cycle", "cycle"),
        ("递归是什么意思", "递归"),
        ("我不懂为什么要递归", "递归"),
        ("life is hard", ""),
    ],
)
def test_what_says_more_than_that_it_is_not_understood_keeps_its_words(question: str, name: str) -> None:
    assert not asks_for_help(question, [name] if name else [], detect_language(question, Language.EN))
