"""What a training run leaves after each epoch, so that it can be cut off and go on."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path

_FINGERPRINT = "fingerprint"
_SECONDS = "seconds"


class Checkpoints:
    """States of stages by their names, in a folder of their own; without a folder nothing is kept.

    `description` says what the run is made of: what a run made of anything else left is dropped.
    """

    def __init__(self, folder: Path | None = None, description: Sequence[str] = ()) -> None:
        self._folder = folder
        self._started = time.perf_counter()
        self._before = 0.0
        if folder is None:
            return
        fingerprint = hashlib.sha256(json.dumps(list(description)).encode()).hexdigest()
        mark = folder / _FINGERPRINT
        if not mark.is_file() or mark.read_text() != fingerprint:
            self.clear()
            folder.mkdir(parents=True)
            mark.write_text(fingerprint)
        elif (folder / _SECONDS).is_file():
            self._before = float((folder / _SECONDS).read_text())

    @property
    def seconds(self) -> float:
        """How long the run has taken, up to the last state of earlier attempts and since this began."""
        return self._before + time.perf_counter() - self._started

    def load(self, name: str) -> dict[str, object] | None:
        """The last state of a stage, if there is one."""
        import torch

        path = None if self._folder is None else self._folder / f"{name}.pt"
        state: dict[str, object] | None = None
        if path is not None and path.is_file():
            state = torch.load(path, weights_only=True)
        return state

    def save(self, name: str, state: dict[str, object]) -> None:
        """Keep the state instead of the stage's last; a cut in between leaves the last."""
        import torch

        if self._folder is not None:
            aside = self._folder / f"{name}.part"
            torch.save(state, aside)
            aside.replace(self._folder / f"{name}.pt")
            (self._folder / _SECONDS).write_text(str(self.seconds))

    def clear(self) -> None:
        """Remove the folder with all states."""
        if self._folder is not None and self._folder.is_dir():
            for path in self._folder.iterdir():
                path.unlink()
            self._folder.rmdir()
