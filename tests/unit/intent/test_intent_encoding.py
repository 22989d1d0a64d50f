import pytest

from intent.encoding import TurnEncoder, TurnText
from lab.intent.word_pieces import train_tokenizer

TEXTS = ["什么是栈", "栈和队列", "what is a stack", "what is a queue, and a stack?"] * 2


@pytest.fixture(scope="module")
def encoder() -> TurnEncoder:
    return TurnEncoder(train_tokenizer(TEXTS, 200), max_length=16)


def test_question_and_context_are_two_segments(encoder: TurnEncoder) -> None:
    """d = [CLS] x_{t-1}, c [SEP] q_t [SEP]: context in segment 0, the question in segment 1."""
    encoded = encoder.encode([TurnText(question="什么是栈", previous="队列", course="stack")])
    ids, segments = encoded.input_ids[0].tolist(), encoded.token_type_ids[0].tolist()
    assert ids[0] == encoder.cls
    assert ids[-1] == encoder.sep
    assert segments == [0] * (ids.index(encoder.sep) + 1) + [1] * 5
    assert encoder.unk not in ids


def test_batch_is_padded_to_its_longest_turn(encoder: TurnEncoder) -> None:
    """Padding has id 0 and mask 0, and each row's tokens are those it has alone."""
    turns = [TurnText(question="栈"), TurnText(question="什么是栈", previous="栈和队列")]
    both, alone = encoder.encode(turns), encoder.encode(turns[:1])
    length = alone.input_ids.shape[1]
    assert both.input_ids[0].tolist() == [
        *alone.input_ids[0].tolist(),
        *[0] * (both.input_ids.shape[1] - length),
    ]
    assert both.attention_mask.sum(axis=1).tolist() == [length, both.input_ids.shape[1]]


def test_a_long_question_keeps_its_end(encoder: TurnEncoder) -> None:
    """What is too long is cut at the front; the question's end stays."""
    encoded = encoder.encode([TurnText(question="栈" * 50_000 + "什么是队列", previous="a stack " * 99)])
    end = encoder.encode([TurnText(question="什么是队列")])
    assert encoded.input_ids.shape == (1, 16)
    assert encoded.input_ids[0, -6:].tolist() == end.input_ids[0, -6:].tolist()


def test_context_gives_way_before_the_question(encoder: TurnEncoder) -> None:
    """However long the context is, a question that fits is not cut, and the context's end stays."""
    question = "什么是栈栈栈栈栈栈"
    encoded = encoder.encode([TurnText(question=question, previous="栈" * 99, course="队列")])
    alone = encoder.encode([TurnText(question=question)])
    assert encoded.input_ids[0, -10:].tolist() == alone.input_ids[0, -10:].tolist()
    tail = encoder.encode([TurnText(question="队列")]).input_ids[0, 2:4].tolist()
    assert encoded.input_ids[0, :16][encoded.token_type_ids[0] == 0][-3:-1].tolist() == tail


@pytest.mark.parametrize("variant", ["ＷＨＡＴ is　a  stack", "What Is A Stack", "what is a sta\u200bck"])
def test_width_case_and_invisible_characters_do_not_matter(encoder: TurnEncoder, variant: str) -> None:
    """Texts equal after NFKC, lower-casing and removal of format characters are encoded alike."""
    plain, other = (encoder.encode([TurnText(question=text)]) for text in ("what is a stack", variant))
    assert plain.input_ids.tolist() == other.input_ids.tolist()


def test_equal_texts_give_an_equal_vocabulary() -> None:
    """Training the tokenizer again on the same texts in another order gives the same ids."""
    first, second = (train_tokenizer(texts, 200) for texts in (TEXTS, TEXTS[::-1]))
    assert first.get_vocab() == second.get_vocab()
