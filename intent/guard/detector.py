"""The trained signal: a logistic regression on hashed character n-grams and on marks, with numpy alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
from numpy.typing import NDArray

from intent.guard.marks import MARKS, mark
from intent.guard.spelling import unmask
from intent.ngrams import NgramBranch, hash_plain
from vta.errors import NotReady
from vta.faults import Fault
from vta.scoring import logistic
from vta.types.questions import Suspicion

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

    `marks` are added to the first, one weight for each of `MARKS`. `threshold` is the logit above which a
    text is flagged. Nothing changes, so threads may share it.
    """

    layer: NgramBranch
    marks: NDArray[np.float64]
    threshold: float

    @classmethod
    def load(cls, folder: Traversable | None = None) -> NgramGuard:
        """The shipped signal, or that of a folder. `NotReady` where it is not there or damaged."""
        folder = folder or files("intent.guard") / "weights"
        try:
            layer = NgramBranch.from_bytes((folder / WEIGHTS).read_bytes())
            settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
            threshold = float(settings["threshold"])
            marks = np.array([float(settings["marks"][name]) for name in MARKS])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NotReady(Fault("intent.guard_unreadable", reason=str(error))) from error
        if len(layer.bias) != 1 + len(KINDS):
            raise NotReady(Fault("intent.guard_columns", columns=len(layer.bias), wanted=1 + len(KINDS)))
        return cls(layer=layer, marks=marks, threshold=threshold)

    def inspect(self, text: str) -> Suspicion:
        """How much a text looks like an attack, and of which kind where it is flagged.

        A text without letters and digits asks for nothing.
        """
        plain = unmask(text)
        if not any(map(str.isalnum, plain)):
            return Suspicion(malicious=0.0, flag=False, kind=None)
        logits = self.layer.read(*hash_plain(plain))
        attack = float(logits[0] + self.marks @ mark(plain))
        kind = KINDS[int(np.argmax(logits[1:]))] if attack > self.threshold else None
        return Suspicion(malicious=logistic(attack), flag=kind is not None, kind=kind)
