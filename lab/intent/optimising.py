"""The loop that every stage of the training runs: AdamW with averaged weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tqdm import tqdm

from lab.intent.settings import TrainingSettings

if TYPE_CHECKING:
    import torch

    from lab.intent.feed import Batch


class Feed(Protocol):
    """Batches of one epoch, the same each time the same epoch is asked for."""

    batches: int

    def epoch(self, number: int) -> Iterator[Batch]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One run of the loop; `average_share` is the last part of the epochs whose weights are averaged."""

    name: str
    epochs: int
    learning_rate: float
    seed: int
    batch: int
    average_share: float = 0.0


def optimise(
    model: torch.nn.Module,
    feed: Feed,
    measure_loss: Callable[[Batch], torch.Tensor | None],
    stage: Stage,
    settings: TrainingSettings,
) -> None:
    """Minimise the loss of the batches, in place: linear warm-up, then linear decay to a twentieth."""
    import torch

    averaged = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=stage.learning_rate, weight_decay=settings.weight_decay
    )
    total = stage.epochs * feed.batches
    start = round(stage.epochs * (1 - stage.average_share)) * feed.batches
    rise = max(1, round(settings.warmup * total))
    done = 0
    model.train()
    with tqdm(total=total, desc=stage.name, unit="step", disable=None) as progress:
        for epoch in range(stage.epochs):
            torch.manual_seed(stage.seed * 1000 + epoch)
            for batch in feed.epoch(epoch):
                done += 1
                share = max(0.05, min(done / rise, (total - done) / max(1, total - rise)))
                for group in optimizer.param_groups:
                    group["lr"] = share * stage.learning_rate
                loss = measure_loss(batch)
                if loss is not None:
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    optimizer.zero_grad()
                    progress.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
                if done > start:
                    averaged.update_parameters(model)
                progress.update()
    if stage.average_share:
        model.load_state_dict(averaged.module.state_dict())
    model.eval()
