"""What fine-tuning starts from: a vocabulary, the model's sizes and, if there are any, earlier weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intent.encoding import TurnEncoder
from lab.intent.corpus import CorpusText, cut_pairs
from lab.intent.fitting import configure, pretrain
from lab.intent.labels import LabelledQuestion
from lab.intent.optimising import Stage
from lab.intent.settings import TrainingSettings
from lab.intent.word_pieces import train_tokenizer

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
