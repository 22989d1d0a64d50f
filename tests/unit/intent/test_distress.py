"""Words of distress are recognised in many wordings, and what only sounds like them is not."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from small_platform import shipped_distress

from intent.distress import DistressModel
from knowledge.vectors.token_table import shipped_encoder
from vta.errors import NotReady

REPORTED = ["i cant do this anymore, everything is pointless and i dont want to be here", "活着好累 不想活了"]
KNOWN = [
    "我不想活了",
    "自殺的方法",
    "昨晚割腕了",
    "自\u200b杀",
    "hello, I want to kill myself",
    "thinking about suicide",
    "I don't want to live anymore",
    "ＳＵＩＣＩＤＥ",
    "I wish I were dead",
    "everyone is better off without me",
    "there is no point in living",
]
UNSEEN = [
    "i honestly see no reason to stay alive",
    "some days i just want to be dead",
    "i keep having thoughts of ending my own life",
    "my parents would be better off if i had never been born",
    "last night i hurt myself again",
    "i dont want to exist anymore, sorry",
    "i wnat to dissapear and never wake up",
    "i failed again and want to kill myself",
    "whats the point of living any more",
    "真的不想再活下去了",
    "我总是有自杀的想法",
    "活着一点意思都没有，想死",
    "要是我死了大家都轻松",
    "我又割自己了",
    "好想从楼顶跳下去",
    "考试没过 我不想活了",
    "想永远睡着不醒来",
    "我觉得自己不配活着",
]
HARMLESS = [
    "How do I kill a process?",
    "想死你了",
    "cut the graph",
    "活动安排",
    "指针从数组末尾跳下去会怎样",
    "how do I take the derivative of my life expectancy model",
    "the loop does not want to end",
    "jump off the call stack",
    "this exam is killing me",
    "I'm dying to know how this ends",
    "怎么杀死一个卡住的进程",
    "死循环怎么排查",
    "我要累死了",
    "作业多得想死",
    "what does Durkheim say about suicide",
    "涂尔干的自杀论怎么解释失范",
    "which symptoms of depression are in the DSM",
    "抑郁症的症状有哪些",
    "what does Camus mean by the absurd",
    "感觉会计学不会，好焦虑",
    "im freaking out about the final",
    "嗨 在不在，路过",
]


@pytest.mark.parametrize("text", [*REPORTED, *KNOWN, *UNSEEN])
def test_distress_is_recognised(text: str) -> None:
    """Of these, `UNSEEN` are in nothing that was fitted."""
    assert shipped_distress().in_distress(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_sounds_like_distress_is_none(text: str) -> None:
    assert not shipped_distress().in_distress(text)


def test_what_was_not_seen_is_in_no_sentence_of_the_fit() -> None:
    fitted = (files("lab") / "data" / "distress.tsv").read_text(encoding="utf-8")
    assert not [text for text in UNSEEN if text in fitted]


@pytest.mark.parametrize(
    "text",
    [
        "Can you explain how a stack works? " * 20 + "I want to die. " + "What is a queue? " * 20,
        "什么是栈？" * 60 + "我不想活了。" + "什么是队列？" * 60,
    ],
)
def test_a_long_question_hides_no_word_of_distress(text: str) -> None:
    harmless = text.replace("I want to die. ", "").replace("我不想活了。", "")
    assert shipped_distress().in_distress(text[-900:])
    assert not shipped_distress().in_distress(harmless)


@pytest.mark.parametrize("text", ["", "?!", "12 34", "🙂"])
def test_a_text_without_letters_says_nothing(text: str) -> None:
    assert not shipped_distress().in_distress(text)


def test_damaged_weights_are_not_ready(tmp_path: Path) -> None:
    (tmp_path / "ngrams.npz").write_bytes(b"x")
    with pytest.raises(NotReady):
        DistressModel.load(shipped_encoder(), tmp_path)
