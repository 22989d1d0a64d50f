"""What must hold before an office file (a zip of XML) is given to its library, and what its faults become."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from vta.errors import InvalidInput
from vta.faults import Fault

MOST_ENTRIES = 10_000
LARGEST_PACKAGE = 300_000_000
"""Bytes of all entries unpacked."""
LARGEST_XML = 60_000_000
"""Bytes of all XML entries unpacked: these become trees in memory."""

_MARKUP_DECLARATION = re.compile(rb"<\0?!\0?(?:D\0?O\0?C\0?T\0?Y\0?P\0?E|E\0?N\0?T\0?I\0?T\0?Y)")
_DECLARED_IN = 65_536
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Unreadable(InvalidInput):
    """A library cannot read the file, for a reason of its own: a fault of form, or a lack of memory."""


def check_package(file: BinaryIO, *, path: str, kind: str) -> None:
    """Refuse what would unpack to too much, and XML that declares entities; the file is at its start after.

    The sizes are those that the zip names; `zipfile` never unpacks more of an entry than that.
    """
    if file.read(len(_COMPOUND_FILE)) == _COMPOUND_FILE:
        raise InvalidInput(Fault("file.old_or_encrypted", kind=kind).at(path))
    file.seek(0)
    with faults_named(path, kind), zipfile.ZipFile(file) as package:
        entries = package.infolist()
        xml = [entry for entry in entries if entry.filename.lower().endswith((".xml", ".rels"))]
        if len(entries) > MOST_ENTRIES:
            fault = Fault("file.package_entries", count=len(entries), most=MOST_ENTRIES)
            raise InvalidInput(fault.at(path))
        if (size := sum(entry.file_size for entry in entries)) > LARGEST_PACKAGE:
            raise InvalidInput(Fault("file.package_size", size=size, most=LARGEST_PACKAGE).at(path))
        if (size := sum(entry.file_size for entry in xml)) > LARGEST_XML:
            raise InvalidInput(Fault("file.package_xml", size=size, most=LARGEST_XML).at(path))
        for entry in xml:
            with package.open(entry) as part:
                if _MARKUP_DECLARATION.search(part.read(_DECLARED_IN)):
                    fault = Fault("file.declares_entities", entry=entry.filename, kind=kind)
                    raise InvalidInput(fault.at(path))
    file.seek(0)


@contextmanager
def faults_named(path: str, kind: str) -> Iterator[None]:
    """Turn whatever a library trips over in a broken file into `Unreadable`.

    The libraries for office files and PDF raise errors of every class on broken input, so all are caught
    but a lack of memory, which says nothing about the file's form.
    """
    try:
        yield
    except (InvalidInput, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise Unreadable(Fault("file.not_kind", kind=kind, reason=reason).at(path)) from error
