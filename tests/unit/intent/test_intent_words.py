"""The word layer, the task output and the words that ask for help."""

from __future__ import annotations

import numpy as np
import pytest

from intent.albert import heed_cues, soften
from intent.asking import asks_for_help, concerns_course, is_courtesy
from intent.encoding import TurnText
from intent.ngrams import pack
from intent.wide import LABELS, WideLayer, other_task
from intent.words import WordBranch, cut_words, hash_word
from lab.intent.labels import LabelledQuestion
from vta.types.questions import CHIT_CHAT_LABELS, IntentLabel


def build_branch() -> WordBranch:
    words = sorted(("hello", "stack"), key=hash_word)
    weights = [[2.0, 0.0] if word == "hello" else [0.0, 4.0] for word in words]
    keys = np.array([hash_word(word) for word in words], dtype=np.uint64)
    return WordBranch(keys=keys, weights=np.array(weights, dtype=np.float16))


def test_logits_are_the_mean_over_the_known_words() -> None:
    """A word that is not known counts for nothing; a question without one gets zeros."""
    turns = [TurnText(question=text) for text in ("Hello STACK", "hello, xyzzy", "栈", "")]
    assert build_branch().logits(turns).tolist() == [[1.0, 2.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]


def test_words_are_cut_in_lower_case() -> None:
    assert cut_words("Don't STOP 栈2") == ["don", "'t", "stop"]


def test_a_saved_word_layer_is_the_same_layer() -> None:
    """What is written is read again, and anything else is refused."""
    branch = build_branch()
    again = WordBranch.from_bytes(pack(branch))
    assert np.array_equal(branch.keys, again.keys)
    assert np.array_equal(branch.weights, again.weights)
    for content in (b"", b"no file", pack(branch)[:-30]):
        with pytest.raises(ValueError, match="not the arrays"):
            WordBranch.from_bytes(content)


def test_a_layer_without_the_last_output_tells_of_no_task() -> None:
    weather = TurnText(question="weather")
    assert other_task(np.zeros((2, len(LABELS))), [weather] * 2).tolist() == [0.0, 0.0]
    assert other_task(np.zeros((1, len(LABELS) + 1)), [weather]).tolist() == [0.5]


@pytest.mark.parametrize("text", ["挂科了能重修吗", "do I have to do assignment 3", "I don't get it"])
def test_words_of_the_course_speak_against_another_task(text: str) -> None:
    outputs = np.zeros((1, len(LABELS) + 1))
    assert other_task(outputs, [TurnText(question=text)])[0] < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "I don't understand the proof", "stuck on part b", "can someone explain this", "a hint please",
        "这一步没看懂", "卡住了", "能再讲一遍吗", "代码报错", "can you recommend a book", "有推荐的教材吗",
    ],
)  # fmt: skip
def test_calls_for_help_are_heard(text: str) -> None:
    assert asks_for_help(text)


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "you don't understand me",
        "你听不懂人话吗",
        "讲个笑话",
        "今天好累",
        "lol ok",
        "recommend a movie",
    ],
)
def test_remarks_and_moods_are_no_calls_for_help(text: str) -> None:
    assert not asks_for_help(text)


@pytest.mark.parametrize(
    "text", ["thx!", "ok thanks", "Thank you so much!!", "hi", "谢谢老师", "xiexie", "谢啦", "您好"]
)
def test_mere_courtesy_is_small_talk(text: str) -> None:
    logits = heed_cues(np.zeros((1, len(LABELS))), [TurnText(question=text)])
    assert is_courtesy(text)
    assert soften(logits, 1.0)[0][[label in CHIT_CHAT_LABELS for label in LABELS]].sum() > 0.9


@pytest.mark.parametrize("text", ["thanks, but why?", "thankless", "你好，什么是栈", "", "history"])
def test_courtesy_with_anything_else_is_more_than_courtesy(text: str) -> None:
    assert not is_courtesy(text)


def test_a_call_for_help_makes_small_talk_less_likely_and_nothing_else() -> None:
    """Among the questions the shares stay as they were."""
    turns = [TurnText(question="a stack"), TurnText(question="I don't understand this")]
    before = np.zeros((2, len(LABELS)))
    after = heed_cues(before, turns)
    talk = np.array([label in CHIT_CHAT_LABELS for label in LABELS])
    assert after[0].tolist() == before[0].tolist()
    assert soften(after, 1.0)[1][talk].sum() < 0.05
    assert len(set(after[1][~talk].tolist())) == 1


@pytest.mark.train
def test_a_fitted_layer_tells_tasks_and_reads_unknown_words_by_their_neighbours() -> None:
    """A word that no row held has the logits of the words near it in the space of the encoder."""
    pytest.importorskip("sklearn", reason="sklearn is missing: install the extra `train`")
    from lab.intent.ngram_fitting import Tasks, WordVectors, fit_wide

    rows = [
        LabelledQuestion(question=text, label=label, session_id=str(n))
        for n, (text, label) in enumerate(
            [
                ("stack", IntentLabel.SIMPLE),
                ("queue", IntentLabel.SIMPLE),
                ("hello", IntentLabel.GENERAL_CHAT),
            ]
        )
    ]
    tasks = Tasks(asked=[TurnText(question="weather")], not_asked=[TurnText(question="stack")])
    vectors = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.0, 1.1], [-1.0, -1.0], [-1.0, -1.1]])
    words = WordVectors(words=["stack", "queue", "hello", "howdy", "weather", "rain"], vectors=vectors)
    layer = fit_wide(rows, tasks=tasks, words=words)
    assert isinstance(layer, WideLayer)
    turns = [TurnText(question=text) for text in ("howdy", "queue", "weather", "stack")]
    outputs = layer.outputs(turns)
    simple, chat = LABELS.index(IntentLabel.SIMPLE), LABELS.index(IntentLabel.GENERAL_CHAT)
    assert outputs[0, chat] > outputs[0, simple]
    assert outputs[1, simple] > outputs[1, chat]
    task = other_task(outputs, turns)
    assert task[2] > 0.5 > task[3]


@pytest.mark.parametrize("text", ["计算器能不能带进考场？", "开卷还是闭卷考", "is my grade out?"])
def test_exams_and_grades_concern_the_course(text: str) -> None:
    assert concerns_course(text)


@pytest.mark.parametrize("text", ["你考虑一下", "给我点参考", "play some music"])
def test_words_that_only_look_like_exams_do_not(text: str) -> None:
    assert not concerns_course(text)
