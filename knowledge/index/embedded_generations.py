"""The folder of the embedded index: its generations, and `live.json`, which names the one that answers."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from knowledge.index.tokens import FORMAT


@dataclass(frozen=True, slots=True)
class Live:
    """The generation that answers, by the name of its folder, and what it was made from."""

    name: str
    stamp: str


class GenerationFolder:
    """Reads and writes which generation is live. Safe to share between threads and processes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.lock_file = folder / "writer.lock"
        self._live_file = folder / "live.json"
        self._read: tuple[tuple[int, ...], Live | None] | None = None

    def live(self) -> Live | None:
        """The live generation; None where there is none of this format, or its folder is gone."""
        live = self._named()
        while live is not None and not (self.path / live.name).is_dir():
            newer = self._named()
            if newer == live:
                return None
            live = newer  # swapped by another process, which then dropped the one that was read
        return live

    def make_live(self, live: Live) -> None:
        """Name the generation in one atomic step."""
        staged = self.path / f"{live.name}.json"
        with staged.open("w", encoding="utf-8") as file:
            json.dump({"generation": live.name, "stamp": live.stamp, "format": FORMAT}, file)
            file.flush()
            os.fsync(file.fileno())
        staged.replace(self._live_file)

    def drop_all_but(self, live: Live | None) -> None:
        """Remove every other generation; a reader that still has one open keeps its mapped files.

        A folder is renamed before it is emptied, so that a process that is opening it can tell.
        """
        for folder in self.path.glob("generation-*"):
            if not folder.is_dir():
                folder.unlink(missing_ok=True)  # a `live.json` that never became it
            elif live is None or folder.name != live.name:
                folder.rename(folder.with_name(f"dropped-{folder.name}"))
        for folder in self.path.glob("dropped-*"):
            shutil.rmtree(folder, ignore_errors=True)

    def left_over(self) -> list[Path]:
        """What killed processes left: all generations but the live one, and what dropped ones still hold.

        What a running process is writing at this moment is among them.
        """
        live = self.live()
        found = (*self.path.glob("generation-*"), *self.path.glob("dropped-*"))
        return [path for path in found if live is None or path.name != live.name]

    def _named(self) -> Live | None:
        """What live.json names; None for nothing, or for a generation kept in another format."""
        try:
            found = os.stat(self._live_file)
        except FileNotFoundError:
            return None
        version = found.st_ino, found.st_mtime_ns, found.st_size
        if self._read is None or self._read[0] != version:
            self._read = version, _read_live(self._live_file)
        return self._read[1]


def _read_live(file: Path) -> Live | None:
    try:
        live = json.loads(file.read_text(encoding="utf-8"))
        return Live(str(live["generation"]), str(live["stamp"])) if live["format"] == FORMAT else None
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
