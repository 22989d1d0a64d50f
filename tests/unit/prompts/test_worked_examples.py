"""The library of worked examples loads, is balanced, and every example can be reached."""

from __future__ import annotations

import pytest

from prompts.chain_of_teach import load_examples, parse_example, sample_similar
from vta.languages import Language
from vta.text import Analyser, detect_language
from vta.types.language_model import WorkedExample

ANALYSER = Analyser()
EXAMPLES = load_examples()
KINDS = ("comparison", "method", "reason", "example", "recommendation")
ASKED = {
    "en-comparison-conditioning": "What does classical conditioning have to do with operant conditioning?",
    "en-comparison-mean-median": "Is there a difference between a mean and a median?",
    "en-comparison-mitosis-meiosis": "In which ways does meiosis differ from mitosis?",
    "en-comparison-tcp-udp": "When does UDP have advantages over TCP?",
    "en-comparison-weather-climate": "Is the climate something different from the weather?",
    "en-example-bayes": "Show me an example where Bayes' theorem is used",
    "en-example-dramatic-irony": "What are examples of irony in a play?",
    "en-example-externality": "Give me an example of an externality",
    "en-example-recursion": "Can you show an example of recursion in a program?",
    "en-method-debugging": "Which steps help to debug my program?",
    "en-method-integration-by-parts": "How do I use integration by parts on two functions?",
    "en-method-limiting-reagent": "How is the limiting reagent of a reaction found?",
    "en-method-projectile": "How do I solve projectile problems?",
    "en-method-thesis-statement": "How should a thesis statement be written?",
    "en-reason-price-ceiling": "Why is there a shortage under a price ceiling?",
    "en-reason-printing-press": "Why was the printing press so important in Europe?",
    "en-reason-seasons": "Why does the Earth have seasons?",
    "en-reason-sky-blue": "Why is the sky blue by day?",
    "en-recommendation-calculus": "What should I study before calculus?",
    "en-recommendation-genetics": "In which order should I learn genetics?",
    "en-recommendation-machine-learning": "What do I need to know before a machine learning course?",
    "en-recommendation-music-theory": "I want to learn music, where do I begin?",
    "zh-comparison-array-linked-list": "链表和数组的优缺点是什么？",
    "zh-comparison-civil-criminal": "刑事责任跟民事责任有何差别？",
    "zh-comparison-process-thread": "线程与进程有什么联系？",
    "zh-comparison-speed-acceleration": "加速度和速度的区别在哪里？",
    "zh-comparison-stock-bond": "债券和股票的收益有什么不同？",
    "zh-example-natural-selection": "自然选择有什么例子？",
    "zh-example-negative-feedback": "负反馈的例子有哪些？",
    "zh-example-opportunity-cost": "用例子说明什么叫机会成本",
    "zh-example-sufficient-necessary": "举例说明充分必要条件",
    "zh-method-force-analysis": "怎样对物体做受力分析？",
    "zh-method-hypothesis-test": "假设检验怎么做？",
    "zh-method-induction": "怎么用归纳法证明等式？",
    "zh-method-linear-equations": "二元一次方程组用消元法怎么求解？",
    "zh-method-memory": "怎样复习记得牢？",
    "zh-reason-hash-slow": "为什么哈希表查找有时很慢？",
    "zh-reason-ice-floats": "冰为什么会浮起来？",
    "zh-reason-inflation": "为什么会出现通货膨胀？",
    "zh-reason-monsoon": "季风是什么原因形成的？",
    "zh-recommendation-classical-poetry": "学习古典诗词应该先读什么？",
    "zh-recommendation-industrial-revolution": "学习工业革命有什么建议？",
    "zh-recommendation-ml-mathematics": "机器学习需要哪些数学基础？",
    "zh-recommendation-programming": "想学编程，先学哪些知识？",
}
GOOD = "---\nid: a\nlanguage: en\nkind: method\nsubject: physics\nquestion: How: so?\n---\nStep 1.\n"


@pytest.mark.parametrize("language", list(Language))
def test_each_language_has_22_examples_with_four_of_each_kind_over_eight_subjects(language: Language) -> None:
    examples = [e for e in EXAMPLES if e.language is language]
    assert len(examples) >= 22
    assert all(sum(e.kind == kind for e in examples) >= 4 for kind in KINDS)
    assert len({e.subject for e in examples}) >= 8


def test_ids_tell_language_and_kind_and_are_told_once_each() -> None:
    assert len({e.id for e in EXAMPLES}) == len(EXAMPLES) >= 40
    assert all(e.id.startswith(f"{e.language}-{e.kind}-") for e in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_an_answer_has_the_length_of_an_explanation(example: WorkedExample) -> None:
    words = len(example.answer.split())
    assert 150 <= words <= 220 if example.language is Language.EN else 330 <= len(example.answer) <= 450


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_an_example_is_written_in_its_language(example: WorkedExample) -> None:
    assert detect_language(example.question, Language.EN) is example.language
    assert detect_language(example.answer, Language.EN) is example.language


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_every_example_is_reached_by_a_question_in_other_words(example: WorkedExample) -> None:
    question = ASKED[example.id]
    assert question != example.question
    assert example in sample_similar(EXAMPLES, question, language=example.language, analyser=ANALYSER)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_the_own_question_of_an_example_returns_it_first(example: WorkedExample) -> None:
    found = sample_similar(EXAMPLES, example.question, language=example.language, analyser=ANALYSER)
    assert found[0] == example
    assert len(found) == 2
    assert {e.language for e in found} == {example.language}


@pytest.mark.parametrize(
    ("question", "language", "kind"),
    [
        ("栈和队列有什么区别？", Language.ZH, "comparison"),
        ("为什么快速排序会退化？", Language.ZH, "reason"),
        ("能举一个递归的例子吗？", Language.ZH, "example"),
        ("What is the difference between precision and recall?", Language.EN, "comparison"),
        ("Why does regularisation lead to smaller weights?", Language.EN, "reason"),
        ("Which topics should I study before neural networks?", Language.EN, "recommendation"),
    ],
)
def test_the_nearest_example_is_of_the_kind_of_the_question(
    question: str, language: Language, kind: str
) -> None:
    assert sample_similar(EXAMPLES, question, language=language, analyser=ANALYSER)[0].kind == kind


def test_questions_without_words_get_the_first_examples_by_id() -> None:
    found = sample_similar(EXAMPLES, "？！", language=Language.EN, analyser=ANALYSER)
    assert [e.id for e in found] == sorted(e.id for e in EXAMPLES if e.language is Language.EN)[:2]


def test_a_file_is_read_with_colons_in_its_question() -> None:
    assert parse_example(GOOD) == WorkedExample(
        id="a", language=Language.EN, kind="method", subject="physics", question="How: so?", answer="Step 1."
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [("language: en", "language: fr"), ("subject: physics\n", ""), ("subject:", "topic:"), ("---\nid", "id")],
)
def test_a_faulty_file_is_refused(old: str, new: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        parse_example(GOOD.replace(old, new, 1))
