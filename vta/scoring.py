"""The arithmetic of the small learned models: linear models, boosted trees, and their files of arrays.

The weights of a linear model are a table of a TOML file, by the names of its features and "bias"; see
`vta.patterns.read_table`. What has thousands of numbers is an .npz file. numpy is imported where it is used:
commands that only list what is stored read these models' names without it.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from _typeshed import DataclassInstance
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Size = TypeVar("Size", float, "Floats")
Arrays = TypeVar("Arrays", bound="DataclassInstance")
_FARTHEST = 50.0
"""Logits beyond it are as good as certain; `exp` overflows at 710."""


def linear(weights: Mapping[str, float], features: Mapping[str, Size]) -> Size:
    """The logit b + w · x; a feature without a weight counts nothing."""
    bias: Any = weights.get("bias", 0.0)
    total: Size = sum((weights.get(name, 0.0) * size for name, size in features.items()), start=bias)
    return total


def logistic(logit: float) -> float:
    """1 / (1 + exp(-logit)), in 0..1."""
    return 1 / (1 + math.exp(-max(min(logit, _FARTHEST), -_FARTHEST)))


def logistics(logits: Floats) -> Floats:
    """`logistic` of each."""
    import numpy as np

    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -_FARTHEST, _FARTHEST))))


@dataclass(frozen=True, slots=True)
class Trees:
    """Regression trees as arrays of T trees by N nodes; a leaf is its own child."""

    feature: NDArray[np.int16]
    threshold: NDArray[np.float32]
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    value: NDArray[np.float32]
    depth: NDArray[np.int64]

    def scores(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """The sum of the leaves that each row of features (n x features) comes to (n)."""
        import numpy as np

        rows, trees = np.arange(len(x))[:, None], np.arange(len(self.value))[None, :]
        node = np.zeros((len(x), len(self.value)), dtype=np.int16)
        for _ in range(int(self.depth)):
            goes_left = x[rows, self.feature[trees, node]] <= self.threshold[trees, node]
            node = np.where(goes_left, self.left[trees, node], self.right[trees, node])
        return np.asarray(self.value[trees, node].sum(axis=1))


def pack(model: DataclassInstance) -> bytes:
    """The arrays of a model as an .npz file, which `unpack` reads."""
    import numpy as np

    file = BytesIO()
    np.savez_compressed(file, allow_pickle=False, **{f.name: getattr(model, f.name) for f in fields(model)})
    return file.getvalue()


def unpack(model: type[Arrays], content: bytes) -> Arrays:
    """The model of this class in an .npz file; `ValueError` where the content is not such a file."""
    import numpy as np

    try:
        with np.load(BytesIO(content), allow_pickle=False) as found:
            return model(**{field.name: found[field.name] for field in fields(model)})
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"not the arrays of {model.__name__}: {error}") from error
