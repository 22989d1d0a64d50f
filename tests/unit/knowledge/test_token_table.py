"""How a text becomes the vector of its tokens."""

from __future__ import annotations

import io

import numpy as np
import pytest

from knowledge.vectors.token_table import TokenTable


def table():
    content, tokens = io.BytesIO(), np.frombuffer(b"<unk>\na\nb", dtype=np.uint8)
    scores = np.array([-9, -1, -2], dtype=np.float32)
    np.savez(content, tokens=tokens, table=np.eye(3, dtype=np.int8), scales=np.ones(3), scores=scores)
    return TokenTable(content.getvalue())


def test_a_repeated_token_counts_less_than_its_number():
    """Four times counts 3.2 times, in each text of a batch by itself."""
    repeated, once = table().embed(["a a b a a", "b, a"])
    assert repeated[1] / repeated[2] == pytest.approx(4**0.85)
    assert once.tolist() == pytest.approx([0, 0.5**0.5, 0.5**0.5])


def test_text_without_a_token_has_the_vector_of_unknown_text():
    """So that every text has one."""
    assert table().embed(["?!", ""]).tolist() == [[1, 0, 0], [1, 0, 0]]


def test_a_text_is_as_common_as_its_tokens_together():
    """Log probabilities add up, and each occurrence counts."""
    assert table().commonness(["a b", "a a", "?!"]).tolist() == [-3, -2, -9]
