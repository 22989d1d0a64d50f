import json
import shutil
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.albert import AlbertIntentClassifier
from intent.encoding import TurnText
from intent.ngrams import NgramBranch, hash_ngrams
from intent.wide import LABELS
from lab.intent.labels import LabelledQuestion, to_turns
from vta.scoring import pack
from vta.types.questions import IntentLabel

TEXTS = st.text(alphabet="abAB栈队列1？", max_size=12)


def list_grams(turn: TurnText) -> Counter[tuple[str, str]]:
    """The same n-grams as plain strings."""
    return Counter(
        (place, text.lower().replace("？", "?")[start : start + size])
        for place, text, longest in (("question", turn.question, 4), ("previous", turn.previous, 2))
        for size in range(1, longest + 1)
        for start in range(len(text) - size + 1)
    )


@given(TEXTS, TEXTS)
def test_hashes_count_what_plain_strings_count(question: str, previous: str) -> None:
    """As many distinct n-grams, as often each, as when they are cut out of the text."""
    turn = TurnText(question=question, previous=previous)
    keys, counts = hash_ngrams(turn)
    wanted = list_grams(turn)
    assert sorted(counts.tolist()) == sorted(wanted.values())
    assert np.all(keys[1:] > keys[:-1])


def test_question_and_turn_before_are_kept_apart() -> None:
    """The same word asked and said before gives other n-grams; its width and case give the same."""
    asked, before = hash_ngrams(TurnText(question="栈")), hash_ngrams(TurnText(question="", previous="栈"))
    assert not set(asked[0].tolist()) & set(before[0].tolist())
    assert np.array_equal(
        hash_ngrams(TurnText(question="ABC?"))[0], hash_ngrams(TurnText(question="ａｂｃ？"))[0]
    )


def build_branch() -> NgramBranch:
    keys, _ = hash_ngrams(TurnText(question="栈"))
    weights = np.zeros((1, len(LABELS)))
    weights[0, 2] = 3.0
    return NgramBranch(
        keys=keys,
        rarity=np.ones(1, dtype=np.float16),
        weights=weights.astype(np.float16),
        bias=np.arange(len(LABELS), dtype=np.float32),
    )


def test_logits_are_weights_of_known_ngrams_and_bias() -> None:
    """An unknown n-gram adds nothing; a known one, alone, adds its weights whole, however often it occurs."""
    found = build_branch().logits([TurnText(question=text) for text in ("栈", "x", "栈x栈")])
    wanted = [[0, 1, 5, 3, 4, 5], [0, 1, 2, 3, 4, 5], [0, 1, 5, 3, 4, 5]]
    assert found == pytest.approx(np.array(wanted))
    assert build_branch().logits([]).shape == (0, len(LABELS))


def test_a_saved_layer_is_the_same_layer() -> None:
    """What is written is read again, and anything else is refused."""
    branch = build_branch()
    again = NgramBranch.from_bytes(pack(branch))
    turns = [TurnText(question="什么是栈", previous="hi")]
    assert np.array_equal(branch.logits(turns), again.logits(turns))
    for content in (b"", b"not a file", pack(branch)[:-50]):
        with pytest.raises(ValueError, match="not the arrays"):
            NgramBranch.from_bytes(content)


def test_without_a_share_in_the_logits_the_layer_may_be_missing(tmp_path: Path) -> None:
    shutil.copytree(str(files("intent") / "weights"), tmp_path / "model")
    settings = json.loads((tmp_path / "model" / "config.json").read_text())
    (tmp_path / "model" / "config.json").write_text(json.dumps({**settings, "ngram_share": 0.0}))
    (tmp_path / "model" / "ngrams.npz").unlink()
    assert AlbertIntentClassifier.load(tmp_path / "model").predict("什么是栈？").label


@pytest.mark.train
def test_the_layer_is_what_scikit_learn_fitted() -> None:
    """A fitted layer separates the rows it was fitted on, and a row's weight counts."""
    pytest.importorskip("sklearn", reason="sklearn is missing: install the extra `train`")
    from lab.intent.ngram_fitting import fit_wide

    rows = [
        LabelledQuestion(question=text, label=label, session_id=str(n), weight=weight)
        for n, (text, label, weight) in enumerate(
            [
                ("什么是栈", IntentLabel.SIMPLE, 1.0),
                ("what is a stack", IntentLabel.SIMPLE, 1.0),
                ("你好呀", IntentLabel.GENERAL_CHAT, 1.0),
                ("hello there", IntentLabel.GENERAL_CHAT, 1.0),
                ("嗯", IntentLabel.OTHER, 30.0),
                ("嗯", IntentLabel.EMOTIONAL_CHAT, 1.0),
            ]
        )
    ]
    layer = fit_wide(rows)
    found = [LABELS[place] for place in layer.outputs(to_turns(rows))[:, : len(LABELS)].argmax(axis=1)]
    assert found == [*(row.label for row in rows[:5]), IntentLabel.OTHER]
    assert layer.outputs(to_turns(rows))[:, LABELS.index(IntentLabel.COMPLEX)].max() < -10
