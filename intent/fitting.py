"""Fitting the ALBERT with torch: masked-language-model pre-training, then the six classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from intent.encoding import MASK, PAD, UNK, TurnEncoder, TurnText
from intent.feed import Feed, keep_distinct, to_tensors
from intent.labels import LABELS, LabelledQuestion
from intent.settings import TrainingSettings

if TYPE_CHECKING:
    import torch
    from transformers import AlbertConfig, AlbertForSequenceClassification


def fit(
    rows: Sequence[LabelledQuestion], encoder: TurnEncoder, settings: TrainingSettings, seed: int, title: str
) -> AlbertForSequenceClassification:
    """A fitted model in evaluation mode; equal arguments give equal weights on one kind of machine."""
    import torch
    from transformers import AlbertForSequenceClassification

    before = torch.get_num_threads()
    torch.set_num_threads(settings.threads)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            config = _configure(encoder, settings)
            model = AlbertForSequenceClassification(config)
            if settings.pretraining_epochs:
                questions = Feed(keep_distinct(rows), encoder, settings, seed)
                body = _pretrain(questions, config, settings, f"{title}: pre-training")
                model.albert.load_state_dict(body, strict=False)
            _finetune(model, Feed(rows, encoder, settings, seed), settings, f"{title}: fine-tuning")
    finally:
        torch.set_num_threads(before)
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


def _configure(encoder: TurnEncoder, settings: TrainingSettings) -> AlbertConfig:
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
        pad_token_id=PAD,
        bos_token_id=None,
        eos_token_id=None,
        attn_implementation="eager",
    )


def _pretrain(
    feed: Feed, config: AlbertConfig, settings: TrainingSettings, title: str
) -> dict[str, torch.Tensor]:
    """The body's weights after predicting masked tokens (8 in 10 masked, 1 drawn at random, 1 kept)."""
    import torch
    from transformers import AlbertForMaskedLM

    model = AlbertForMaskedLM(config)
    for batch in _steps(model, feed, settings, settings.pretraining_epochs, title):
        ids = batch[0]["input_ids"]
        chosen = (torch.rand(ids.shape) < settings.mask_share) & (ids > MASK)
        fate = torch.rand(ids.shape)
        drawn = torch.randint(MASK + 1, config.vocab_size, ids.shape)
        masked = torch.where(chosen & (fate < 0.8), MASK, torch.where(chosen & (fate > 0.9), drawn, ids))
        if not chosen.any():
            continue
        states = model.albert(**{**batch[0], "input_ids": masked}).last_hidden_state
        torch.nn.functional.cross_entropy(model.predictions(states[chosen]), ids[chosen]).backward()
    body: dict[str, torch.Tensor] = model.albert.state_dict()
    return body


def _finetune(
    model: AlbertForSequenceClassification, feed: Feed, settings: TrainingSettings, title: str
) -> None:
    """Cross-entropy with label smoothing and class weights, tokens lost at random, last weights averaged."""
    import torch

    weights = torch.tensor(feed.class_weights)
    averaged = torch.optim.swa_utils.AveragedModel(model)
    start = round(settings.epochs * (1 - settings.average_share)) * feed.batches
    steps = _steps(model, feed, settings, settings.epochs, title)
    for number, (inputs, labels) in enumerate(steps):
        if number > start:
            averaged.update_parameters(model)
        ids = inputs["input_ids"]
        lost = (torch.rand(ids.shape) < settings.token_dropout) & (ids > MASK)
        logits = model(**{**inputs, "input_ids": torch.where(lost, UNK, ids)}).logits
        torch.nn.functional.cross_entropy(
            logits, labels, weight=weights, label_smoothing=settings.label_smoothing
        ).backward()
    averaged.update_parameters(model)
    model.load_state_dict(averaged.module.state_dict())


def _steps(
    model: torch.nn.Module, feed: Feed, settings: TrainingSettings, epochs: int, title: str
) -> Iterator[tuple[dict[str, torch.Tensor], torch.Tensor]]:
    """Batches whose gradients, left by the caller, are applied with AdamW: linear warm-up, linear decay."""
    import torch

    total = epochs * feed.batches
    rise = max(1, round(settings.warmup * total))
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    model.train()
    done = 0
    with tqdm(total=total, desc=title, unit="step", disable=None) as progress:
        for _ in range(epochs):
            for batch in feed.epoch():
                yield batch
                done += 1
                rate = settings.learning_rate * min(done / rise, (total - done) / max(1, total - rise))
                for group in optimizer.param_groups:
                    group["lr"] = max(rate, 0.05 * settings.learning_rate)
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                progress.update()
