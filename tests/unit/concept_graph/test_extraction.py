"""Concepts from a course's material: what is found, what explains it, and what bad material does."""

from __future__ import annotations

from dataclasses import replace

import factories as make
import pytest

from concept_graph.extraction.aliases import find_glosses, long_form, resolve, same_key
from concept_graph.extraction.extraction import explain, extract_concepts
from concept_graph.extraction.material import clean_passages, find_seeds, read_material, read_seeds
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.concepts import Concept
from vta.types.courses import Course, CourseId
from vta.types.pairs import Locator, QAPair

ZH = Course(id=CourseId("ds"), name="数据结构", domains=("计算机科学",), language=Language.ZH)
EN = Course(id=CourseId("ml"), name="Machine learning", domains=("CS",), language=Language.EN)

ZH_COURSE = (
    (
        "栈",
        "栈（stack）是一种后进先出的线性表。我们把插入元素叫作入栈。\n\n入栈和出栈都在栈顶进行，栈顶指针指向栈顶。",
    ),
    ("栈 > 栈的应用", "函数调用时系统用调用栈保存返回地址。调用栈很深时会溢出。括号匹配也使用栈。"),
    ("队列", "队列（queue）是一种先进先出的线性表。\n\n循环队列使用数组，队首指针和队尾指针在数组里移动。"),
    ("队列 > 循环队列", "循环队列把数组的首尾相连。循环队列满的时候，队尾指针追上队首指针。"),
    (
        "二叉搜索树",
        "二叉搜索树是一种满足左小右大的二叉树。在二叉搜索树里查找从根节点开始，经过子树到达叶节点。",
    ),
    (
        "二叉搜索树 > 平衡",
        "如果一棵子树太深，二叉搜索树会退化成链表。根节点的左子树和右子树应该差不多深，叶节点也是。",
    ),
)
EN_COURSE = (
    (
        "Linear Regression",
        "Linear regression is a method that fits a line to data. The loss function measures the error.",
    ),
    (
        "Gradient Descent",
        "Gradient descent (GD) is a way that makes the loss function small. The learning rate sets the pace.",
    ),
    (
        "Gradient Descent > Learning Rate",
        "A learning rate that is too large makes gradient descent diverge. "
        "Stochastic gradient descent uses one "
        "example.",
    ),
    (
        "Overfitting",
        "Overfitting means that the model learns noise. Regularization fights overfitting. "
        "Stochastic gradient descent does not.",
    ),
    (
        "Regularization",
        "The regularization term punishes large weights. "
        "The loss function and the regularization term are added.",
    ),
)
SPEECH = (
    "so today we talk about the hash table a hash table stores key value pairs and the hash function maps a "
    "key "
    "to a bucket when two keys fall in the same bucket we have a hash collision and a good hash "
    "function makes a "
    "hash collision rare if the load factor is high the hash table gets slow so the load factor must stay low"
)


def passages(course: Course, *given: tuple[str, str]) -> list[QAPair]:
    return [
        make.passage(
            text, *path.split(" > "), id=str(n), course=course.id, document=f"{path.split(' > ')[0]}.md"
        )
        for n, (path, text) in enumerate(given)
    ]


def found(course: Course, *given: tuple[str, str], seeds: tuple[str, ...] = ()) -> dict[str, Concept]:
    return {
        each.name: each for each in extract_concepts(passages(course, *given), course=course, seeds=seeds)
    }


def test_a_chinese_course_gives_its_terms() -> None:
    """Headings are found, and phrases of the text that are none; words of everyday use are not."""
    concepts = found(ZH, *ZH_COURSE)
    assert {"栈", "队列", "二叉搜索树", "循环队列", "子树"} <= concepts.keys()
    assert concepts.keys().isdisjoint({"我们", "使用", "如果", "方法", "进行", "的时候"})


def test_an_english_course_gives_its_terms() -> None:
    """Headings and noun phrases are found in one spelling each, without function words and verbs."""
    concepts = found(EN, *EN_COURSE)
    keys = set(map(same_key, concepts))
    assert {"lossfunction", "gradientdescent", "linearregression", "overfitting", "learningrate"} <= keys
    assert keys.isdisjoint({"the", "make", "uses", "thelossfunction", "example"})


def test_speech_without_punctuation_gives_its_terms() -> None:
    """A transcript without a sentence end is cut at its function words."""
    concepts = found(EN, ("lecture_01", SPEECH))
    assert {"hash table", "hash function", "hash collision"} <= set(concepts)


def test_speech_in_chinese_without_punctuation_gives_its_terms() -> None:
    """A Chinese transcript without punctuation is cut by the segmenter and the function words."""
    speech = (
        "那么我们今天来看哈希表哈希表用哈希函数把键映射到桶里面"
        "如果哈希函数不好就会有哈希冲突哈希冲突多了哈希表就慢"
    )
    assert {"哈希表", "哈希函数", "哈希冲突"} <= found(ZH, ("lecture_01", speech)).keys()


def test_a_definition_is_the_sentence_that_says_what_it_is() -> None:
    """The explanation opens with the concept, and its place is the passage that holds it."""
    stack = found(ZH, *ZH_COURSE)["栈"]
    assert stack.definition == "栈（stack）是一种后进先出的线性表。"
    assert stack.locator == Locator(heading_path=("栈",))
    assert (stack.document, stack.first_seen) == ("栈.md", "栈.md")
    assert stack.domains == ZH.domains


def test_a_concept_without_a_definition_has_the_place_under_its_heading() -> None:
    """Where no sentence explains a concept, its place is where a heading names it."""
    given = (
        ("Intro", "Later we meet the decision tree."),
        ("Decision Tree", "It splits data again and again."),
    )
    tree = next(each for each in found(EN, *given, seeds=("decision tree",)).values())
    assert (tree.definition, tree.locator.heading_path) == ("", ("Decision Tree",))


def test_names_in_brackets_become_aliases() -> None:
    """A translation and an abbreviation in brackets are names of what stands before them."""
    assert found(ZH, *ZH_COURSE)["栈"].aliases == ("stack",)
    descent = next(
        each for each in found(EN, *EN_COURSE).values() if same_key(each.name) == "gradientdescent"
    )
    assert "GD" in descent.aliases


@pytest.mark.parametrize(
    ("text", "owner", "alias"),
    [
        ("这种结构叫作二叉搜索树（binary search tree）。", "二叉搜索树", "binary search tree"),
        ("We use depth-first search (DFS) here.", "depth-first search", "DFS"),
        ("a stack (栈) of plates", "stack", "栈"),
        ("循环神经网络，简称 RNN，很常用。", "循环神经网络", "RNN"),
        ("Next comes depth-first search, abbreviated as DFS.", "depth-first search", "DFS"),
        ("The rectified linear unit (ReLU) is cheap.", "rectified linear unit", "ReLU"),
        ("The Herfindahl-Hirschman Index (HHI) is high.", "Herfindahl-Hirschman Index", "HHI"),
        ("A DAG (directed acyclic graph) has no cycle.", "directed acyclic graph", "DAG"),
        ("GDP stands for the gross domestic product of a year.", "gross domestic product", "GDP"),
        ("我们用 DAG（有向无环图）画出来。", "DAG", "有向无环图"),
        ("画出有向无环图（DAG）。", "有向无环图", "DAG"),
        (
            "An average treatment on the treated (ATT) is known by its letters.",
            "ATT",
            "average treatment on the treated",
        ),
    ],
)
def test_a_name_in_brackets_belongs_to_the_nearest_name(text: str, owner: str, alias: str) -> None:
    """Only the end of what stands before the bracket is named, as long as the translation."""
    known = {same_key(each) for each in (owner, "树", "search", "搜索树", "a stack")}
    assert resolve(find_glosses([text]), known) == {same_key(owner): [alias]}


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("用循环神经网络（RNN）来读。", "神经网络"),
        ("**优先经验回放（prioritized experience replay，PER）**：好的先看。", "经验回放"),
        ("基于策略的智能体（policy-based agent）", "智能体"),
        ("经典的演员-评论员（actor-critic）", "评论员"),
        ("双延迟深度确定性策略梯度（twin delayed DDPG，TD3）", "策略梯度"),
    ],
)
def test_a_longer_name_that_is_not_known_leaves_its_ending_alone(text: str, known: str) -> None:
    """循环神经网络 is not 神经网络, and neither are its translation and its letters."""
    assert not resolve(find_glosses([text]), {same_key(known)})


@pytest.mark.parametrize(
    "text", ["用神经网络（artificial neural network）", "和神经网络（artificial neural network）"]
)
def test_a_verb_or_a_joining_word_before_a_name_is_no_part_of_it(text: str) -> None:
    """However long the translation is."""
    assert list(resolve(find_glosses([text]), {"神经网络"})) == ["神经网络"]


def test_two_concepts_with_one_abbreviation_stay_two() -> None:
    """Their graph would take them for one."""
    text = "马尔可夫过程（Markov process，MP），马尔可夫性质（Markov property，MP），一个马尔可夫过程（MP）"
    found = resolve(find_glosses([text]), {"马尔可夫过程", "马尔可夫性质"})
    assert found["马尔可夫性质"] == ["Markov property"]


def test_each_word_of_a_long_form_gives_a_letter() -> None:
    """What stands before the words meant is no part of them, nor is a longer name that ends otherwise."""
    assert long_form("SRAS", "the sloping short run aggregate supply") == "short run aggregate supply"
    assert not long_form("AC", "the average cost curve")


def test_a_concept_has_its_abbreviation_however_rare_its_long_form() -> None:
    """Both are one concept, as sure as the surer of the two."""
    text = "The gross domestic product (GDP) is the value of all goods. " + " ".join(
        f"In year {n} the GDP grows, and the GDP falls. Real GDP does not {n}." for n in range(20)
    )
    concepts = found(EN, ("GDP and growth", text)).values()
    assert {"GDP", "gross domestic product"} in [{each.name, *each.aliases} for each in concepts]


def test_several_names_in_one_bracket_are_all_aliases() -> None:
    """A translation and its abbreviation stand together."""
    glosses = find_glosses(["这就是随机梯度下降（stochastic gradient descent, SGD）。"])
    assert resolve(glosses, {"梯度下降", "随机梯度下降"}) == {
        "随机梯度下降": ["SGD", "stochastic gradient descent"]
    }


def test_a_remark_in_brackets_is_no_name() -> None:
    """A bracket in the same script that abbreviates nothing is left alone."""
    assert not find_glosses(["A stack (see below) is a list (like plates)."])


@pytest.mark.parametrize("brackets", ["()", "( )", "（ ）", "（\xa0）", "(\u3000)", "（）"])
def test_empty_brackets_name_nothing(brackets: str) -> None:
    """Authors leave a bracket to be filled in; with nothing but space in it there is no alias."""
    assert not find_glosses([f"A stack{brackets} is a list.", f"栈{brackets}是一种线性表。"])


def test_code_and_formulas_name_nothing() -> None:
    """Fenced code is not read, not even where it was cut into several passages; nor are long formulas."""
    given = [
        ("Stacks", "A stack of plates.\n\n```python\nwidget_factory = 1\nfoo bar baz"),
        ("Stacks", "foo bar baz\nfoo bar baz\n```\n\nThe stack grows. $\\alpha \\beta + gamma delta$"),
    ]
    runs = [run for _, run in read_material(clean_passages(passages(EN, *given))).runs]
    words = {word for run in runs for word in run}
    assert {"plates", "grows"} <= words
    assert words.isdisjoint({"foo", "bar", "widget_factory", "gamma", "alpha"})


def test_code_within_a_line_opens_no_fence() -> None:
    given = ("Heaps", "```x = 1``` sets it.\nA heap is a tree.\n```python\nhidden\n```\nIts root is first.")
    ((_, text),) = clean_passages(passages(EN, given))
    assert "A heap is a tree." in text
    assert "Its root is first." in text
    assert "hidden" not in text


def test_a_given_seed_that_occurs_is_a_concept() -> None:
    """A name of the seeds file is found wherever it occurs, and one that does not occur is not."""
    concepts = found(ZH, *ZH_COURSE, seeds=("括号匹配", "红黑树"))
    assert "括号匹配" in concepts
    assert "红黑树" not in concepts


def test_seeds_are_one_a_line() -> None:
    """Comments, empty lines and repetitions are left out."""
    assert read_seeds("# names\n栈\n\n queue \n栈\n", path="s.txt") == ("栈", "queue")


@pytest.mark.parametrize("line", ["x" * 81, "12", "---"])
def test_a_seed_that_is_no_name_is_refused(line: str) -> None:
    """The error names the line."""
    with pytest.raises(InvalidInput) as refused:
        read_seeds(f"栈\n{line}\n", path="s.txt")
    assert (refused.value.line, refused.value.path) == (2, "s.txt")


def test_the_same_material_gives_the_same_concepts() -> None:
    """Nothing is left to chance."""
    given = passages(ZH, *ZH_COURSE, *EN_COURSE)
    assert extract_concepts(given, course=ZH) == extract_concepts(given, course=ZH)


def test_mixed_languages_give_the_terms_of_both() -> None:
    """Each script is scored by itself, in one course."""
    concepts = found(ZH, *ZH_COURSE, *EN_COURSE)
    assert {"栈", "二叉搜索树"} <= concepts.keys()
    assert {"gradientdescent", "lossfunction"} <= set(map(same_key, concepts))


@pytest.mark.parametrize("text", ["", "。", "12 34", "```\ncode\n```", "the of and", "\ufffd\u200b"])
def test_material_without_words_gives_nothing(text: str) -> None:
    """An empty course, or one of punctuation, numbers or code, has no concepts and is no error."""
    assert extract_concepts(passages(EN, ("12", text)), course=EN) == ()


def test_no_passages_give_nothing() -> None:
    """A course without material has no concepts."""
    assert extract_concepts([], course=EN) == ()


def test_one_line_gives_what_it_defines() -> None:
    """One line under a heading is enough for the concept of the heading."""
    assert "Stack" in {
        name.capitalize() for name in found(EN, ("Stack", "A stack is a list with one open end."))
    }


def test_what_a_sentence_defines_goes_before_what_is_only_frequent() -> None:
    """Of two names used alike the one that a sentence says what it is has the higher score."""
    lines = [f"In part {n} the glass ceiling and the stone ceiling hold back growth {n}." for n in range(12)]
    text = " ".join([*lines, "A glass ceiling is a barrier that keeps people from the top."])
    score = {each.name: each.score for each in extract_concepts(passages(EN, ("1", text)), course=EN)}
    assert score["glass ceiling"] > score.get("stone ceiling", 0.0)


def test_placeholders_places_and_markup_are_no_concepts() -> None:
    """Parties of examples, contractions, countries and entities name nothing that a course teaches."""
    lines = [
        f"甲公司在贵州茅台购入存货&emsp;{n}。In South Korea you'll need a price floor {n}, says South Korea. "
        f"A price floor is the lowest price that is allowed {n}."
        for n in range(12)
    ]
    names = {each.name for each in extract_concepts(passages(ZH, ("1", "\n\n".join(lines))), course=ZH)}
    assert names.isdisjoint({"甲公司", "贵州茅台", "emsp", "South Korea", "you'll", "you'll need"})
    assert "price floor" in names


def test_a_licence_names_no_concept() -> None:
    """Terms of a file about the texts are none of the course."""
    licence = [replace(each, document="LICENSE.md") for each in passages(EN, *EN_COURSE)]
    assert extract_concepts(licence, course=EN) == ()


def test_words_in_capitals_throughout_are_a_warning_and_no_name() -> None:
    """Bold shouting introduces no term."""
    material = read_material(
        clean_passages(passages(EN, ("Advice", "**LARGE SUDDEN LOSSES** and **loss function**")))
    )
    assert [*find_seeds(material, (), ())] == [("advice",), ("loss", "function")]


def names_of(*parts: tuple[str, str]) -> set[str]:
    return {each.name for each in extract_concepts(passages(EN, *EN_COURSE, *parts), course=EN)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("**Anna Karenina** sells shoes. Then **Anna Karenina** buys hats.", "Anna Karenina"),
        ("The **problem set** is long. Hand in the **problem set** in time.", "problem set"),
    ],
)
def test_what_is_set_apart_is_not_always_a_term(text: str, name: str) -> None:
    """Persons and what any course has are no concepts."""
    assert names_of(("Notes", text)).isdisjoint({name, name.lower()})


def test_code_and_straight_quotes_set_no_term_apart() -> None:
    """Bold does, and so do the quotation marks of Chinese."""
    text = 'Set `window length`, "so to say", to **loss function** or “损失”.'
    assert [*read_material(clean_passages(passages(EN, ("1", text)))).marked] == ["loss function", "损失"]


def test_a_heading_of_what_is_done_there_is_no_concept() -> None:
    """A name that is used again is one."""
    once = ("Unzipping archives", "Start by unzipping archives.")
    assert "unzipping archives" not in {name.lower() for name in names_of(once)}
    assert "learning rate" in {name.lower() for name in names_of()}


def test_of_equal_explanations_the_one_under_the_heading_of_its_name_is_taken() -> None:
    """A form that is surer is taken from anywhere, an equal one from the section that treats the thing."""
    elsewhere = make.pair("Ratios", "Price ratio = price per share / profit per share")
    section = make.pair("Price ratio", "Price ratio = market value / net profit")
    surer = make.pair("Ratios", "Price ratio refers to what a buyer pays for one unit of profit.")
    for passages, best in (((elsewhere, section), section), ((section, elsewhere), section)):
        found = explain({"price ratio": ["price ratio"]}, [(each, each.answer) for each in passages])
        assert found["price ratio"].text == best.answer
    found = explain({"price ratio": ["price ratio"]}, [(each, each.answer) for each in (section, surer)])
    assert found["price ratio"].text == surer.answer
