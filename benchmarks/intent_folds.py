"""Train the shipped intent model and record the figures of its session-wise folds.

python -m benchmarks intent_folds ../shared/data/vta/intent_dev.jsonl --weights intent/weights \\
    --pretrain ../shared/data/hello_algo/zh ...

The same as `vta intent train`, with the command, the commit and the machine beside the figures.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from lab.intent.settings import TRAINING_LIBRARIES
from lab.intent.training import train

_PACKAGES = {"sklearn": "scikit-learn"}


def run(data: Path, *, weights: Path, pretrain: list[Path] = [], seed: int = 7) -> dict[str, Any]:  # noqa: B006
    """Writes the model into the folder `weights`."""
    report = train(data, weights, seed=seed, pretrain=pretrain)
    libraries = {name: version(_PACKAGES.get(name, name)) for name in TRAINING_LIBRARIES}
    return {"libraries": libraries, **report.to_json()}
