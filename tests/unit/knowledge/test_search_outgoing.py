"""What of a question is sent to search engines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.search.engines import MOST_WORDS, outgoing_words
from vta.text import Analyser

ANALYSER = Analyser(["斐波那契堆"])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is a Fibonacci heap?", "fibonacci heap"),
        ("什么是斐波那契堆？", "斐波那契堆"),
        ("Python 的 list 怎么排序？", "python list 排序"),
        ("How do C++ templates work?", "c++ templates work"),
        ("my mail is li.lei@example.edu.cn, explain queues", "mail queues"),
        ("我的邮箱是li.lei@example.edu.cn请问二叉树", "邮箱 二叉树"),
        ("见https://example.org/?t=abc的二叉树", "见 二叉树"),
        ("学号20231234，电话 138 0013 8000，二叉树", "学 号 电话 二叉树"),
        ("see https://example.org/?token=abc about heaps", "see heaps"),
        ("site:example.org !google heaps -trees", "site example org google heaps trees"),
        ("??? 20231234", ""),
        ("", ""),
    ],
)
def test_only_content_words_leave(question, words):
    """Templates, function words, operators, addresses, links and long numbers stay in the house."""
    assert outgoing_words(question, ANALYSER) == words


@given(st.text(max_size=200))
def test_whatever_is_asked_leaves_as_a_few_words_without_operators(question):
    """No punctuation but that of C++ and C#, no mail address, no long number, a bounded number of words."""
    words = outgoing_words(question, ANALYSER).split(" ")
    assert len(words) <= MOST_WORDS
    for word in words:
        assert all(c.isalnum() or c in "+#" or not c.isascii() for c in word)


@given(st.integers(10_000, 10**18), st.sampled_from(["学号{}，什么是栈", "id {} what is a stack"]))
def test_long_numbers_never_leave(number, template):
    """Student numbers, telephone numbers and the like are taken out."""
    assert str(number) not in outgoing_words(template.format(number), ANALYSER)
