from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from left_out import needs_libraries

from intent.encoding import SPECIAL_TOKENS, TurnEncoder, TurnText
from intent.wide import LABELS
from lab.intent.labels import LabelledQuestion, to_turns
from lab.intent.recipe import learn
from lab.intent.settings import TRAINING_LIBRARIES, TrainingSettings
from lab.intent.starting import start_from_checkpoint, start_from_rows
from vta.errors import InvalidInput
from vta.types.questions import IntentLabel

pytestmark = [pytest.mark.train, needs_libraries(*TRAINING_LIBRARIES)]

SMALL = TrainingSettings(
    vocabulary=300,
    max_length=16,
    embedding=16,
    hidden=32,
    layers=2,
    heads=2,
    intermediate=32,
    adaptation_epochs=2,
    epochs=4,
    learning_rate=5e-3,
    batch=8,
)
QUESTIONS = {
    IntentLabel.SIMPLE: ["what is a stack", "什么是栈", "what is a queue", "define a tree"],
    IntentLabel.GENERAL_CHAT: ["hello there", "你好呀", "thanks a lot", "good morning"],
    IntentLabel.PLATFORM: ["where is my certificate", "怎么申请证书", "how do i enrol", "video is broken"],
}
ROWS = [
    LabelledQuestion(question=f"{question} {number}", label=label, session_id=f"{place}-{number}")
    for label, questions in QUESTIONS.items()
    for place, question in enumerate(questions)
    for number in range(4)
]


def weigh(rows: list[LabelledQuestion], seed: int = 3) -> Iterator[np.ndarray]:
    model = learn(rows, start_from_rows(rows, SMALL), SMALL, seed, "run")
    return (value.numpy() for value in model.state_dict().values())


def test_one_seed_gives_one_model() -> None:
    """Two runs with one seed give the same weights; another seed gives others."""
    first, second, other = (list(weigh(ROWS, seed)) for seed in (3, 3, 4))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_a_heavy_row_outweighs_light_ones() -> None:
    """Where equal questions have two labels, the label with the larger weight wins."""
    for heavy in (IntentLabel.SIMPLE, IntentLabel.GENERAL_CHAT):
        rows = [
            LabelledQuestion(
                question=text, label=label, session_id=str(n), weight=20 if label is heavy else 1
            )
            for n, text in enumerate(["栈", "queue", "树", "graph"] * 4)
            for label in (IntentLabel.SIMPLE, IntentLabel.GENERAL_CHAT)
        ]
        start = start_from_rows(rows, SMALL)
        model = learn(rows, start, SMALL, 3, "run")
        from lab.intent.fitting import infer

        logits = infer(model, start.encoder, to_turns(rows))
        assert {LABELS[place] for place in logits.argmax(axis=1)} == {heavy}


def write_checkpoint(folder: Path, encoder: TurnEncoder, hidden: int = 48) -> object:
    from transformers import AlbertConfig, AlbertModel

    config = AlbertConfig(
        vocab_size=encoder.vocabulary_size,
        embedding_size=24,
        hidden_size=hidden,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
    )
    model = AlbertModel(config)
    model.save_pretrained(folder)
    return model


@pytest.mark.parametrize("form", ["tokenizer.json", "vocab.txt"])
def test_training_starts_from_a_checkpoint_of_transformers(tmp_path: Path, form: str) -> None:
    """Vocabulary, sizes and weights of the folder are taken over, and the classes are fitted on them."""
    encoder = start_from_rows(ROWS, SMALL).encoder
    written = write_checkpoint(tmp_path, encoder)
    if form == "tokenizer.json":
        (tmp_path / form).write_text(encoder.to_json(), encoding="utf-8")
    else:
        from tokenizers import Tokenizer

        vocabulary = Tokenizer.from_str(encoder.to_json()).get_vocab()
        (tmp_path / form).write_text(
            "\n".join(sorted(vocabulary, key=vocabulary.__getitem__)), encoding="utf-8"
        )
    start = start_from_checkpoint(tmp_path, SMALL)
    turn = [TurnText(question="什么是栈 hello", previous="thanks")]
    assert start.encoder.encode(turn).input_ids.tolist() == encoder.encode(turn).input_ids.tolist()
    assert (start.config.hidden_size, start.config.num_hidden_layers) == (48, 1)
    assert start.body is not None
    for name, value in written.state_dict().items():  # type: ignore[attr-defined]
        assert np.array_equal(start.body[name].numpy(), value.numpy())
    assert learn(ROWS, start, SMALL, 3, "run").config.num_labels == len(LABELS)


def test_an_unusable_checkpoint_is_refused(tmp_path: Path) -> None:
    """No tokenizer, no configuration, another kind of model or too few embeddings: `InvalidInput`."""
    encoder = start_from_rows(ROWS, SMALL).encoder
    with pytest.raises(InvalidInput, match="vocab"):
        start_from_checkpoint(tmp_path, SMALL)
    (tmp_path / "tokenizer.json").write_text(encoder.to_json(), encoding="utf-8")
    with pytest.raises(InvalidInput, match="config"):
        start_from_checkpoint(tmp_path, SMALL)
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InvalidInput, match="albert"):
        start_from_checkpoint(tmp_path, SMALL)
    write_checkpoint(tmp_path, encoder)
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "vocab.txt").write_text("\n".join([*SPECIAL_TOKENS, *map(str, range(5000))]))
    with pytest.raises(InvalidInput, match="embeddings"):
        start_from_checkpoint(tmp_path, SMALL)
