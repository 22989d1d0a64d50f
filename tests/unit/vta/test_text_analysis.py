"""The analyser: one form for every spelling, and no word lost between question and index."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from vta.languages import Language
from vta.text import Analyser, detect_language, normalise, stem

PLAIN = Analyser()
COURSE = Analyser(["二叉搜索树", "后进先出", "Stack", "栈", "與門"])


@pytest.mark.parametrize(
    ("written", "same_as"),
    [
        ("Ｓｔａｃｋ", "stack"),
        ("①", "1"),
        ("ﬁle", "file"),
        ("栈\u200b和\u200d队\ufeff列", "栈和队列"),
        ("st\u00adack", "stack"),
        ("  a \t\n\u3000 b ", "a b"),
        ("資料結構與鏈結", "资料结构与链结"),
        ("棧", "栈"),
        ("e\u200d\u0301", "é"),
        ("İ", "i̇"),
        ("薴", "苎"),
        ("\u200b", ""),
        ("", ""),
    ],
)
def test_spellings_of_one_text_are_equal(written, same_as):
    """Width, case, invisible characters, white space and traditional characters make no difference."""
    assert normalise(written) == same_as


def test_every_character_has_a_settled_form():
    """Normalising what is normalised changes nothing, for each character there is."""
    every = (chr(n) for n in range(sys.maxunicode + 1))
    unsettled = [
        c for c in every if unicodedata.category(c) != "Cs" and normalise(normalise(c)) != normalise(c)
    ]
    assert unsettled == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("什么是栈？", Language.ZH),
        ("What is a stack?", Language.EN),
        ("栈 stack", Language.ZH),
        ("what is the meaning of 栈", Language.EN),
        ("123?!", Language.EN),
        ("", Language.EN),
    ],
)
def test_the_language_is_that_of_the_letters(text, language):
    """A text without letters has the language it is given."""
    assert detect_language(text, Language.EN) is language


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Stacks and queues", [stem("stacks"), "and", stem("queues")]),
        ("C++ vs C#", ["c++", "vs", "c#"]),
        ("snake_case-name 3.14", ["snake", "case", "name", "3", "14"]),
        ("O(n²)", ["o", "n2"]),
        ("?!，。", []),
        ("k-means", ["k", "mean", "kmean"]),
        ("K means of COVID-19", ["k", stem("means"), "of", "covid", "19", "kmean", "covid19"]),
        ("a means, 2020-11-22 x - y", ["a", stem("means"), "2020", "11", "22", "x", "y"]),
    ],
)
def test_words_of_latin_text(text, tokens):
    """English is stemmed; names of programming languages stay whole; punctuation is no word."""
    assert PLAIN.words(text) == tokens


def test_a_user_word_is_kept_whole_with_its_parts():
    """A concept the dictionary would cut apart is one token, and still found by its parts."""
    assert "二叉搜索树" not in PLAIN.words("平衡的二叉搜索树")
    tokens = COURSE.words("平衡的二叉搜索树")
    assert "二叉搜索树" in tokens
    assert "搜索" in tokens


def test_user_words_may_be_written_in_traditional_characters():
    """The dictionary is normalised like the texts."""
    assert "与门" in COURSE.words("什么是与门")


def test_the_fingerprint_tells_dictionaries_apart():
    """SessionOrder, doubles and words that need no dictionary do not change it; another concept does."""
    assert Analyser(["队列", "栈顶"]).fingerprint == Analyser(["栈顶", "队列", "隊列", "Stack"]).fingerprint
    assert Analyser(["队列"]).fingerprint != Analyser(["栈顶"]).fingerprint


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("什么是栈？", ["栈"]),
        ("请问栈是什么意思", ["栈"]),
        ("為什麼棧是後進先出", ["栈", "后进先出"]),
        ("栈和队列的区别是什么", ["栈", "队列", "区别"]),
        ("What is a linked list?", ["link", "list"]),
        ("Can you tell me what is meant by recursion", [stem("recursion")]),
        ("WHAT’S A STACK", ["stack"]),
        ("whats k-means", ["kmean"]),
        ("can u explain over-fitting pls", ["overfit"]),
        ("栈是个啥", ["栈"]),
        ("how do I use the whatis command", ["use", stem("whatis"), "command"]),
    ],
)
def test_content_words_are_what_the_question_is_about(question, content):
    """Templates and function words go, in both languages and both scripts; the subject stays."""
    found = COURSE.content_words(question)
    assert [word for word in found if word in content] == content
    assert not {"什么", "是", "的", "what", "is", "a"} & set(found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kmeans", "k-means"),
        ("K means", "k-means"),
        ("ＫＭＥＡＮＳ", "K-Means"),
        ("backpropagation", "back-propagation"),
        ("b tree", "B-tree"),
        ("overfitting", "over\u2010fitting"),
    ],
)
def test_a_compound_is_found_however_it_is_written(one, other):
    """What either spelling asks for is among the words of a text in the other."""
    assert set(PLAIN.content_words(one)) & set(PLAIN.words(f"We use {other} here"))
    assert set(PLAIN.content_words(other)) & set(PLAIN.words(f"We use {one} here"))


@pytest.mark.parametrize(
    ("plain", "casual"),
    [
        ("哈希表是什么", "哈希表是个啥呀"),
        ("链表有什么用", "链表有啥用"),
        ("哈希表怎么写", "哈希表咋写"),
        ("为什么要用栈", "为啥要用栈"),
        ("what is dropout", "whats dropout"),
        ("can you explain dropout", "can u explain dropout plz"),
        ("why doesn't it converge", "why doesnt it converge"),
    ],
)
def test_register_makes_no_difference(plain, casual):
    """A casual question looks for the same words."""
    assert COURSE.content_words(casual) == COURSE.content_words(plain)
    assert COURSE.content_grams(casual) == COURSE.content_grams(plain)


@pytest.mark.parametrize("question", ["what is it", "是什么", "the", "这是什么？"])
def test_a_question_of_function_words_keeps_them(question):
    """Where nothing else is left all words are kept, so a query is never empty for a text with words."""
    assert COURSE.content_words(question) == COURSE.words(question) != []


@pytest.mark.parametrize("concept", ["栈", "图", "树", "堆", "二叉搜索树", "与门", "后进先出"])
def test_a_concept_is_found_in_any_sentence_about_it(concept):
    """Each concept shares a gram with every text that names it, however the segmenter cuts either."""
    for question in (f"什么是{concept}？", f"{concept}是什么", f"{concept}怎么用", concept):
        grams = set(PLAIN.content_grams(question))
        for text in (f"出{concept}操作", f"我们讲{concept}的性质", f"平衡{concept}"):
            assert grams & set(PLAIN.grams(text)), (question, text)


def test_grams_are_all_characters_and_all_neighbours():
    """Runs of Chinese are not joined over what stands between them."""
    assert PLAIN.grams("后进x先") == ["后", "进", "后进", "先"]


@pytest.mark.parametrize(
    ("written", "same_as"),
    [
        ("第3章", "第三章"),
        ("第 12 章", "第十二章"),
        ("第Ⅳ部分", "第四部分"),
        ("第110题", "第一百一十题"),
        ("3次握手", "三次握手"),
        ("4 个必要条件", "四个必要条件"),
        ("实验3", "实验三"),
        ("2叉树", "二叉树"),
        ("两阶段提交", "2阶段提交"),
        ("chapter 3", "Chapter three"),
        ("part 4", "Part IV"),
        ("part 1", "Part I"),
        ("chapter 21", "Chapter twenty-one"),
        ("the 3rd lecture", "lecture three"),
        ("lab2", "lab two"),
        ("ch. 3", "chapter three"),
        ("hw2", "homework 2"),
        ("2-phase commit", "two-phase commit"),
    ],
)
def test_a_numeral_at_a_division_or_a_counter_is_one_however_it_is_written(written, same_as):
    assert PLAIN.content_words(written) == PLAIN.content_words(same_as)
    assert PLAIN.content_grams(written) == PLAIN.content_grams(same_as)
    assert PLAIN.grams(written) == PLAIN.grams(same_as)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("chapter 3.2", ["chapter", "3", "2"]),
        ("step i of figure x", ["step", "i", "of", "figur", "x"]),
        ("图3.2", ["图", "3", "2"]),
        ("3.5次", ["3", "5", "次"]),
        ("100分", ["100", "分"]),
    ],
)
def test_other_numerals_stay_as_they_are(text, words):
    """Numbers of sections, variables, quantities."""
    assert PLAIN.words(text) == words
