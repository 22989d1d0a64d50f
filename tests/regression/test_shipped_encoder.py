"""The encoder that comes with the program knows what belongs together, in each language and across both."""

from __future__ import annotations

import numpy as np
import pytest

from knowledge.vectors.token_table import shipped_encoder

PASSAGES = {
    "stack": "A stack is a list where the last element that was pushed is the first one to be popped.",
    "gradient": "Gradient descent moves the weights a small step against the slope of the loss function.",
    "exam": "The final examination takes place in the last week of the term; bring your student card.",
    "inflation": "When money grows faster than output, prices rise and savings lose their value.",
    "cell": "Mitochondria release energy from sugar, which the living cell needs for its work.",
    "栈": "栈是一种后进先出的线性表，只能在栈顶插入和删除元素。",
    "梯度": "梯度下降沿着损失函数下降最快的方向，一步一步地更新权重。",
    "考试": "期末考试安排在学期最后一周，请携带学生证参加。",
    "通胀": "货币供应增长快于产出时，物价上涨，储蓄贬值。",
    "细胞": "线粒体分解糖类，为细胞的生命活动提供能量。",
}


@pytest.mark.parametrize(
    ("question", "nearest"),
    [
        ("which item of a pile is taken off first", {"stack", "栈"}),
        ("how does training change the weights of a neural network", {"gradient", "梯度"}),
        ("when do we have to sit the final test", {"exam", "考试"}),
        ("why does everything get more expensive", {"inflation", "通胀"}),
        ("为什么最后压入的元素先弹出", {"stack", "栈"}),
        ("神经网络的权重是怎么训练的", {"gradient", "梯度"}),
        ("什么时候考期末", {"exam", "考试"}),
        ("为什么会通货膨胀", {"inflation", "通胀"}),
    ],
)
def test_a_question_is_nearest_to_what_answers_it_in_both_languages(question, nearest):
    """The nearest passage of its own language and that of the other."""
    asked, *rows = shipped_encoder().embed([question, *PASSAGES.values()])
    cosines = np.array(rows) @ asked
    languages = (slice(0, 5), slice(5, 10))
    names = list(PASSAGES)
    assert {names[part][int(np.argmax(cosines[part]))] for part in languages} == nearest


def test_traditional_characters_and_full_width_are_the_same_text():
    """A student who types them is understood alike."""
    one, two = shipped_encoder().embed(["機器學習 ＲＥＬＵ", "机器学习 relu"])
    assert one @ two == pytest.approx(1.0, abs=1e-5)
