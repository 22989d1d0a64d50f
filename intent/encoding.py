"""The paper's input d = [CLS] x_{t-1}, c [SEP] q_t [SEP], the same in training and in service."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from vta.errors import InvalidInput

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, UNK, CLS, SEP, MASK = range(5)
MAX_LENGTH = 64
_CHARACTERS_PER_TOKEN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnText:
    """What the classifier sees of a turn: q_t, x_{t-1} (the question before) and c (the course name)."""

    question: str
    previous: str = ""
    course: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedTurns:
    """Token ids, mask (1: a token, 0: padding) and segments (0: x_{t-1} and c, 1: q_t), each n x length."""

    input_ids: NDArray[np.int64]
    attention_mask: NDArray[np.int64]
    token_type_ids: NDArray[np.int64]


class TurnEncoder:
    """Turns texts into token ids; holds no state that changes, so threads may share it."""

    def __init__(self, tokenizer: Tokenizer, max_length: int = MAX_LENGTH) -> None:
        self._tokenizer = tokenizer
        self.max_length = max_length

    @property
    def vocabulary_size(self) -> int:
        return int(self._tokenizer.get_vocab_size())

    def to_json(self) -> str:
        """The tokenizer, its normalisation included, in the format of the `tokenizers` library."""
        return str(self._tokenizer.to_str())

    def encode(self, turns: Sequence[TurnText]) -> EncodedTurns:
        """All turns, padded to the longest; `InvalidInput` where a question has nothing to read."""
        pairs = [self._encode_turn(turn) for turn in turns]
        shape = (len(pairs), max((len(a) + len(b) for a, b in pairs), default=0))
        ids, mask, segments = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for row, (first, second) in enumerate(pairs):
            length = len(first) + len(second)
            ids[row, :length] = first + second
            mask[row, :length] = 1
            segments[row, len(first) : length] = 1
        return EncodedTurns(input_ids=ids, attention_mask=mask, token_type_ids=segments)

    def _encode_turn(self, turn: TurnText) -> tuple[list[int], list[int]]:
        """The two segments, with [CLS] and [SEP]; each is cut at its front.

        The context gets a third of the length, or less where the question needs more than the rest.
        """
        room = self.max_length - 3
        question = self._ids(turn.question)[-room:]
        if not question:
            raise InvalidInput("the question is empty", field="question")
        context = self._ids(f"{turn.previous}, {turn.course}" if turn.course else turn.previous)
        context = context[max(0, len(context) - min(room // 3, room - len(question))) :]
        return [CLS, *context, SEP], [*question, SEP]

    def _ids(self, text: str) -> list[int]:
        tail = text[-self.max_length * _CHARACTERS_PER_TOKEN :]
        return list(self._tokenizer.encode(tail, add_special_tokens=False).ids)


def train_tokenizer(texts: Iterable[str], size: int) -> Tokenizer:
    """A BERT-style WordPiece tokenizer: one token a Chinese character, lower-cased pieces of other words.

    Texts are brought to NFKC first. Ids follow the order of the pieces, so equal texts give equal ids.
    """
    tokenizer = _build_tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        min_frequency=2,
        limit_alphabet=size * 7 // 8,
        special_tokens=list(SPECIAL_TOKENS),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    pieces = sorted(set(tokenizer.get_vocab()) - set(SPECIAL_TOKENS))
    vocabulary = {piece: number for number, piece in enumerate([*SPECIAL_TOKENS, *pieces])}
    return _build_tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106


def _build_tokenizer(model: models.Model) -> Tokenizer:
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.BertNormalizer(
                clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
            ),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer
