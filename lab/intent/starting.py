"""What fine-tuning starts from: a vocabulary, the model's sizes and, if there are any, earlier weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tokenizers import Tokenizer

from intent.encoding import TurnEncoder
from intent.wide import LABELS
from lab.intent.corpus import CorpusText, cut_pairs
from lab.intent.fitting import configure, pretrain
from lab.intent.labels import LabelledQuestion
from lab.intent.optimising import Stage
from lab.intent.settings import TrainingSettings
from lab.intent.word_pieces import read_word_pieces, train_tokenizer
from vta.errors import InvalidInput
from vta.faults import Fault

if TYPE_CHECKING:
    from transformers import AlbertConfig

    from lab.intent.fitting import Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """An encoder, the sizes of a model that reads it, and the body's weights or None for random ones."""

    encoder: TurnEncoder
    config: AlbertConfig
    body: Body | None = None


def start_from_rows(rows: Sequence[LabelledQuestion], settings: TrainingSettings) -> Start:
    """A vocabulary of the rows' own texts and no weights."""
    texts = (text for row in rows for text in (row.question, row.previous, row.course))
    encoder = TurnEncoder(train_tokenizer(texts, settings.vocabulary), settings.max_length)
    return Start(encoder=encoder, config=configure(encoder, settings))


def start_from_corpus(corpus: Sequence[CorpusText], settings: TrainingSettings, seed: int) -> Start:
    """A vocabulary and a body pre-trained on unlabelled text alone."""
    documents = [document for text in corpus for document in text.documents]
    encoder = TurnEncoder(train_tokenizer(documents, settings.vocabulary), settings.max_length)
    config = configure(encoder, settings)
    stage = Stage(
        name="pre-training",
        epochs=settings.pretraining_epochs,
        learning_rate=settings.pretraining_rate,
        seed=seed,
        batch=settings.pretraining_batch,
    )
    turns = cut_pairs(documents, encoder)
    body = pretrain(turns, encoder, config, settings, stage)
    return Start(encoder=encoder, config=config, body=body)


def start_from_checkpoint(folder: Path, settings: TrainingSettings) -> Start:
    """An ALBERT in the format of transformers: config.json, weights, and tokenizer.json or vocab.txt.

    `InvalidInput` naming what is missing or cannot be used.
    """
    from transformers import AlbertConfig, AlbertModel

    encoder = TurnEncoder(_read_tokenizer(folder), settings.max_length)
    try:
        if json.loads((folder / "config.json").read_text("utf-8")).get("model_type") != "albert":
            raise ValueError("its model_type is not 'albert'")
        config = AlbertConfig.from_pretrained(
            folder, num_labels=len(LABELS), classifier_dropout_prob=0.2, attn_implementation="eager"
        )
        if config.vocab_size < encoder.vocabulary_size:
            raise ValueError(f"{config.vocab_size} embeddings for {encoder.vocabulary_size} tokens")
        if config.max_position_embeddings < settings.max_length:
            raise ValueError(f"fewer than {settings.max_length} positions")
        body = AlbertModel.from_pretrained(folder, config=config).state_dict()
    except (OSError, ValueError) as error:
        fault = Fault("intent.checkpoint_unusable", path=str(folder), reason=str(error))
        raise InvalidInput(fault, path=str(folder)) from error
    return Start(encoder=encoder, config=config, body=body)


def _read_tokenizer(folder: Path) -> Tokenizer:
    ready, pieces = folder / "tokenizer.json", folder / "vocab.txt"
    if ready.is_file():
        try:
            return Tokenizer.from_file(str(ready))
        except Exception as error:  # the library raises bare Exception
            fault = Fault("intent.unreadable", path=str(ready), reason=str(error))
            raise InvalidInput(fault, path=str(ready)) from error
    if pieces.is_file():
        return read_word_pieces(pieces.read_text("utf-8").splitlines())
    raise InvalidInput(Fault("intent.no_tokenizer", path=str(folder)), path=str(folder))
