"""A new file that is there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from vta.errors import Conflict, InvalidInput
from vta.faults import Fault


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which gets its name once it is written; `Conflict` where there is one already."""
    if path.exists():
        raise Conflict(Fault("course_file.exists", path=str(path)), path=str(path))
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as beside:
            written = Path(beside, path.name)
            with written.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            written.rename(path)
    except OSError as error:
        raise InvalidInput(
            Fault("course_file.unwritable", path=str(path), reason=error.strerror or ""), path=str(path)
        ) from error
