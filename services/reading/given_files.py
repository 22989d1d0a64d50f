"""Files as people send them: how many, and what they may be called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from vta.errors import InvalidInput
from vta.faults import Fault

MOST_FILES = 1000
"""Of one upload, those in its ZIPs among them."""
LONGEST_PART = 200
"""Bytes of a name."""


class UploadRefused(InvalidInput):
    """A form that is none, or that holds more files than are taken at a time: 400."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFile:
    """A file as it was sent; `name` may have folders, as a browser gives it for a chosen folder."""

    name: str
    file: BinaryIO | Path


def relative_name(name: str) -> str:
    """A name with its folders, as a browser gives it for a folder; without those of one that leads out."""
    *folders, _ = re.split(r"[/\\]", name)
    last = plain_name(name)
    if "" in folders or any(
        part in (".", "..") or ":" in part or len(part.encode()) > LONGEST_PART for part in folders
    ):
        return last
    return "/".join([*(part.replace("\0", "").strip() or "_" for part in folders), last])


def plain_name(name: str) -> str:
    """The last part of a name, without what no file may be called by."""
    last = re.split(r"[/\\]", name)[-1].replace("\0", "").strip()
    if not last or last.startswith(".") or len(last.encode()) > LONGEST_PART:
        raise InvalidInput(Fault("upload.no_name", name=last[:50]), field="files")
    return last
