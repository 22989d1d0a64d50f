"""Members of lines in a zip: packed alike whenever they are written, counted and hashed as they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The date of every member: when a file was written is none of its content."""
_OWNER_ONLY = 0o600 << 16
_UNIX = 3


class Written(NamedTuple):
    """What was written: lines, bytes unpacked, and the hash of these."""

    lines: int
    size: int
    sha256: str


def write_lines(archive: ZipFile, name: str, lines: Iterable[str]) -> Written:
    """Write a member, a line of it in memory at a time; the newlines are added."""
    digest, size, count = hashlib.sha256(), 0, 0
    with archive.open(packed(name), "w", force_zip64=True) as out:
        for text in lines:
            line = text.encode() + b"\n"
            count += 1
            digest.update(line)
            size += out.write(line)
    return Written(count, size, digest.hexdigest())


def packed(name: str) -> ZipInfo:
    """How a member is packed."""
    info = ZipInfo(name, date_time=_LONG_AGO)
    info.compress_type, info.create_system, info.external_attr = ZIP_DEFLATED, _UNIX, _OWNER_ONLY
    return info
