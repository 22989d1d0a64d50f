"""The trained signal: a logistic regression on hashed character n-grams, read with numpy alone."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np

from intent.guard.spelling import unmask
from intent.ngrams import NgramBranch, hash_plain
from vta.errors import NotReady
from vta.faults import Fault
from vta.types import Suspicion

KINDS = (
    "instruction_override",
    "prompt_leak",
    "role_change",
    "role_escalation",
    "exfiltration",
    "obfuscation",
)
WEIGHTS, SETTINGS = "weights.npz", "settings.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramGuard:
    """`vta.ports.Guard`. The layer's first column is the logit of an attack, the others those of its kinds.

    `threshold` is the logit above which a text is flagged. Nothing changes, so threads may share it.
    """

    layer: NgramBranch
    threshold: float

    @classmethod
    def load(cls, folder: Traversable | None = None) -> NgramGuard:
        """The shipped signal, or that of a folder. `NotReady` where it is not there or damaged."""
        folder = folder or files("intent.guard") / "weights"
        try:
            layer = NgramBranch.from_bytes((folder / WEIGHTS).read_bytes())
            threshold = float(json.loads((folder / SETTINGS).read_text(encoding="utf-8"))["threshold"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NotReady(Fault("intent.guard_unreadable", reason=str(error))) from error
        if len(layer.bias) != 1 + len(KINDS):
            raise NotReady(Fault("intent.guard_columns", columns=len(layer.bias), wanted=1 + len(KINDS)))
        return cls(layer=layer, threshold=threshold)

    def inspect(self, text: str) -> Suspicion:
        """How much a text looks like an attack, and of which kind where it is flagged."""
        logits = self.layer.read(*hash_plain(unmask(text)))
        attack = float(logits[0])
        kind = KINDS[int(np.argmax(logits[1:]))] if attack > self.threshold else None
        return Suspicion(malicious=1 / (1 + math.exp(-attack)), flag=kind is not None, kind=kind)
