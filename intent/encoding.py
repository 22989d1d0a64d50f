"""The paper's input d = [CLS] x_{t-1}, c [SEP] q_t [SEP], the same in training and in service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from vta.errors import InvalidInput
from vta.faults import Fault

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MAX_LENGTH = 64
_CHARACTERS_PER_TOKEN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnText:
    """The input of the classifier: q_t, x_{t-1} (the question before) and c (the course name)."""

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
    """Turns texts into token ids. Threads may share it, since it never changes.

    `ValueError` for a tokenizer without one of the `SPECIAL_TOKENS`.
    """

    def __init__(self, tokenizer: Tokenizer, max_length: int = MAX_LENGTH) -> None:
        self._tokenizer = tokenizer
        self.max_length = max_length
        self.special = tuple(_find_token(tokenizer, name) for name in SPECIAL_TOKENS)
        self.pad, self.unk, self.cls, self.sep, self.mask = self.special

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
        ids = np.full(shape, self.pad, dtype=np.int64)
        mask, segments = (np.zeros(shape, dtype=np.int64) for _ in range(2))
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
            raise InvalidInput(Fault("question.empty"), field="question")
        context = self._ids(f"{turn.previous}, {turn.course}" if turn.course else turn.previous)
        context = context[max(0, len(context) - min(room // 3, room - len(question))) :]
        return [self.cls, *context, self.sep], [*question, self.sep]

    def _ids(self, text: str) -> list[int]:
        tail = text[-self.max_length * _CHARACTERS_PER_TOKEN :]
        return list(self._tokenizer.encode(tail, add_special_tokens=False).ids)


def _find_token(tokenizer: Tokenizer, name: str) -> int:
    number = tokenizer.token_to_id(name)
    if number is None:
        raise ValueError(f"the tokenizer has no token {name}")
    return int(number)
