"""Fitting the ALBERT with torch: masked-language-model pre-training, then the six classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from intent.encoding import TurnEncoder, TurnText
from intent.wide import LABELS
from lab.intent.feed import Batch, LabelledFeed, PassageFeed, to_tensors
from lab.intent.labels import LabelledQuestion
from lab.intent.optimising import Stage, optimise
from lab.intent.settings import TrainingSettings

if TYPE_CHECKING:
    import torch
    from transformers import AlbertConfig, AlbertForSequenceClassification

    Body = Mapping[str, torch.Tensor]


def configure(encoder: TurnEncoder, settings: TrainingSettings) -> AlbertConfig:
    """The model's sizes; it reads the vocabulary of the encoder and writes the six classes."""
    from transformers import AlbertConfig

    return AlbertConfig(
        vocab_size=encoder.vocabulary_size,
        embedding_size=settings.embedding,
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=settings.intermediate,
        hidden_act="gelu",
        hidden_dropout_prob=0.1,
        attention_probs_dropout_prob=0.0,
        classifier_dropout_prob=0.2,
        max_position_embeddings=settings.max_length,
        num_labels=len(LABELS),
        pad_token_id=encoder.pad,
        bos_token_id=None,
        eos_token_id=None,
        attn_implementation="eager",
    )


def pretrain(
    turns: Sequence[TurnText],
    encoder: TurnEncoder,
    config: AlbertConfig,
    settings: TrainingSettings,
    stage: Stage,
    *,
    body: Body | None = None,
) -> Body:
    """The body's weights after predicting masked tokens (8 in 10 masked, 1 drawn at random, 1 kept)."""
    import torch
    from transformers import AlbertForMaskedLM

    special = torch.tensor(encoder.special)

    def measure_loss(batch: Batch) -> torch.Tensor | None:
        ids = batch.inputs["input_ids"]
        chosen = (torch.rand(ids.shape) < settings.mask_share) & ~torch.isin(ids, special)
        fate = torch.rand(ids.shape)
        drawn = torch.randint(0, config.vocab_size, ids.shape)
        masked = torch.where(chosen & (fate < 0.8), encoder.mask, ids)
        masked = torch.where(chosen & (fate > 0.9), drawn, masked)
        if not chosen.any():
            return None
        states = model.albert(**{**batch.inputs, "input_ids": masked}).last_hidden_state
        return torch.nn.functional.cross_entropy(model.predictions(states[chosen]), ids[chosen])

    with _own_randomness(stage.seed, settings):
        model = AlbertForMaskedLM(config)
        if body is not None:
            model.albert.load_state_dict(body, strict=False)
        feed = PassageFeed(turns, encoder, stage.batch, stage.seed)
        optimise(model, feed, measure_loss, stage, settings)
    weights: Body = model.albert.state_dict()
    return weights


def finetune(
    rows: Sequence[LabelledQuestion],
    encoder: TurnEncoder,
    config: AlbertConfig,
    settings: TrainingSettings,
    stage: Stage,
    *,
    body: Body | None = None,
) -> AlbertForSequenceClassification:
    """A model in evaluation mode, fitted by weighted cross-entropy with tokens lost at random."""
    import torch
    from transformers import AlbertForSequenceClassification

    special = torch.tensor(encoder.special)

    def measure_loss(batch: Batch) -> torch.Tensor:
        ids = batch.inputs["input_ids"]
        lost = (torch.rand(ids.shape) < settings.token_dropout) & ~torch.isin(ids, special)
        logits = model(**{**batch.inputs, "input_ids": torch.where(lost, encoder.unk, ids)}).logits
        loss = torch.nn.functional.cross_entropy(logits, batch.targets, reduction="none")
        return (loss * batch.weights).mean()

    with _own_randomness(stage.seed, settings):
        model = AlbertForSequenceClassification(config)
        if body is not None:
            model.albert.load_state_dict(body, strict=False)
        feed = LabelledFeed(rows, encoder, settings, stage.seed)
        optimise(model, feed, measure_loss, stage, settings)
    return model.eval()


def infer(
    model: AlbertForSequenceClassification, encoder: TurnEncoder, turns: Sequence[TurnText]
) -> NDArray[np.float64]:
    """The logits of the torch model, turns x labels."""
    import torch

    parts = [np.zeros((0, len(LABELS)))]
    with torch.inference_mode():
        for start in range(0, len(turns), 64):
            batch = to_tensors(encoder.encode(turns[start : start + 64]))
            parts.append(model(**batch).logits.double().numpy())
    return np.concatenate(parts)


@contextmanager
def _own_randomness(seed: int, settings: TrainingSettings) -> Iterator[None]:
    """Torch seeded and on `settings.threads` threads inside, as it was outside."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(settings.threads)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(before)
