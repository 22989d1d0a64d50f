import os
import subprocess
import sys
from collections import Counter

from lab.intent.word_pieces import choose_pieces

WORDS = Counter({"low": 5, "lower": 2, "newest": 6, "widest": 3, "栈": 4, "rare": 1})


def test_merges_are_those_of_byte_pair_encoding() -> None:
    """The textbook example: es, then est, whole words at last, with pieces inside words marked."""
    pieces = choose_pieces(WORDS, 64, [])
    merged = [piece for piece in pieces if len(piece.removeprefix("##")) > 1]
    assert merged[:2] == ["##es", "##est"]
    assert {"##ow", "low", "newest", "widest"} <= set(merged)
    assert "rare" not in merged
    assert len(pieces) == len(set(pieces)) <= 64


def test_common_characters_are_there_whatever_the_texts() -> None:
    """Given characters stand first and count against the size."""
    pieces = choose_pieces(WORDS, 16, ["队", "列"])
    assert pieces[:2] == ["队", "列"]
    assert len(pieces) == 16


def test_processes_agree_on_the_vocabulary() -> None:
    """Ties are broken by the pieces, not by the order of hashes, which each process draws anew."""
    code = (
        "from lab.intent.word_pieces import choose_pieces as c;"
        "print(c({a + b + d: 2 for a in 'abc' for b in 'xyz' for d in 'kl'}, 30, []))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in "12"
    }
    assert len(outputs) == 1
