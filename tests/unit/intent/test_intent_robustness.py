import pytest

from intent.albert import AlbertIntentClassifier
from intent.encoding import TurnText

EXAM = """单选题 1. 下列关于栈的叙述正确的是（ ）。
A. 栈是先进先出的线性表 B. 栈是后进先出的线性表 C. 栈只能顺序存储 D. 以上都不对"""
CODE = "for i in range(10):\n    print(a[i])\nIndexError: list index out of range 为什么会报错"

QUESTIONS = [
    "what is a bianry serach tree",
    "waht is the diference between bfs and dfs",
    "什么是二叉树🤔",
    "什么是 recursion 啊？？？",
    "shenme shi erchashu",
    "栈",
    EXAM,
    CODE,
    "https://example.org/course/1/video/3 这个视频打不开怎么办",
    "ＷＨＡＴ　ＩＳ　Ａ　ＳＴＡＣＫ",
]
CHIT_CHAT = [
    "thx!!! 🙏🙏",
    "hahahaha 😂",
    "谢谢老师😊",
    "好累啊😭😭",
    "good nite see u tmrw",
    "ｈｅｌｌｏ　ｔｈｅｒｅ",
]


@pytest.fixture(scope="module")
def classifier() -> AlbertIntentClassifier:
    return AlbertIntentClassifier.load()


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_messy_question_is_no_chit_chat(classifier: AlbertIntentClassifier, text: str) -> None:
    """Typos, emoji, pinyin, one character, code, links and pasted exams leave a question a question."""
    assert classifier.predict(text).chit_chat < 0.5


@pytest.mark.parametrize("text", CHIT_CHAT)
def test_messy_chit_chat_is_no_question(classifier: AlbertIntentClassifier, text: str) -> None:
    """Emoji, slang and full width leave chit-chat chit-chat."""
    assert classifier.predict(text).chit_chat > 0.5


@pytest.mark.parametrize("filler", ["栈", "stack ", "a", "\n", "😀", "𝒳", "!?"])
def test_the_question_at_the_end_of_2000_characters_is_kept(
    classifier: AlbertIntentClassifier, filler: str
) -> None:
    """However a long message begins, its last tokens are those of the question at its end."""
    end = "怎么申请证书"
    message = (filler * 2000)[: 2000 - len(end) - 1] + "\n" + end
    assert len(message) == 2000
    encode = classifier.encoder.encode
    tail = encode([TurnText(question=end)]).input_ids[0, 2:]
    assert encode([TurnText(question=message)]).input_ids[0, -len(tail) :].tolist() == tail.tolist()


def test_an_emoji_beside_a_word_hides_neither(classifier: AlbertIntentClassifier) -> None:
    """A word with an emoji glued to it is read as the word and the emoji, not as one unknown token."""
    glued, apart = (
        classifier.encoder.encode([TurnText(question=text)]).input_ids.tolist()
        for text in ("tired😭😭", "tired 😭 😭")
    )
    assert glued == apart
    assert classifier.encoder.unk not in glued[0]
