"""Reads a backup, which may have been cut short or damaged."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from pydantic import ValidationError

from services.backup.form import FORMAT, MANIFEST, VERSION, Manifest, member_name
from vta.errors import InvalidInput
from vta.faults import Fault

_DAMAGE = (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)


class Backup:
    """A backup open for reading. Every fault is `InvalidInput` that names the file, the member and the line.

    That a table is what the manifest says of it is known when its rows were gone through to the end.
    """

    def __init__(self, archive: ZipFile, path: str) -> None:
        self._archive, self._path = archive, path
        self.manifest = self._read_manifest()
        ours = {MANIFEST, *map(member_name, self.manifest.tables)}
        for name in archive.namelist():
            if name not in ours:
                raise self.fault(name[:200], Fault("backup.stranger"))
            ours.remove(name)

    def rows(self, table: str) -> Iterator[tuple[int, list[Any]]]:
        """The rows of a table with the number of their line."""
        member, name = self.manifest.tables[table], member_name(table)
        digest, size, number = hashlib.sha256(), 0, 0
        try:
            with self._archive.open(name) as lines:
                for number, line in enumerate(lines, start=1):
                    digest.update(line)
                    size += len(line)
                    yield number, self._values(line, len(member.columns), name, number)
        except KeyError as error:
            raise self.fault(name, Fault("backup.no_member")) from error
        except _DAMAGE as error:
            raise self.fault(name, Fault("backup.damaged", reason=str(error))) from error
        if (number, size, digest.hexdigest()) != (member.rows, member.size, member.sha256):
            raise self.fault(name, Fault("backup.digest"))

    def check(self) -> None:
        """Go through all of it; returns only where every table is what the manifest says."""
        for table in self.manifest.tables:
            for _ in self.rows(table):
                pass

    def fault(self, name: str, reason: Fault, line: int | None = None) -> InvalidInput:
        """The error that a member is wrong, in a line of it where one is named."""
        return InvalidInput(reason.at(f"{self._path}: {name}", line), path=self._path, line=line)

    def _read_manifest(self) -> Manifest:
        try:
            given = json.loads(self._archive.read(MANIFEST))
        except KeyError as error:
            raise self.fault(MANIFEST, Fault("backup.no_member")) from error
        except (*_DAMAGE, ValueError) as error:
            raise self.fault(MANIFEST, Fault("backup.damaged", reason=str(error))) from error
        told = given if isinstance(given, dict) else {}
        if (told.get("format"), told.get("version")) != (FORMAT, VERSION):
            raise self.fault(MANIFEST, Fault("backup.format", format=FORMAT, version=VERSION))
        try:
            return Manifest.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise self.fault(MANIFEST, Fault("backup.damaged", reason=reason)) from error

    def _values(self, line: bytes, count: int, name: str, number: int) -> list[Any]:
        try:
            values = json.loads(line)
        except ValueError as error:
            raise self.fault(name, Fault("backup.damaged", reason=str(error)), number) from error
        if not isinstance(values, list) or len(values) != count:
            raise self.fault(name, Fault("backup.values", count=count), number)
        return values


@contextmanager
def open_backup(path: Path) -> Iterator[Backup]:
    """A backup by its file; `InvalidInput` where it is none, or was cut short."""
    try:
        archive = ZipFile(path)
    except (BadZipFile, ValueError, NotImplementedError) as error:
        raise InvalidInput(
            Fault("backup.not_one", path=str(path), reason=str(error)), path=str(path)
        ) from error
    except OSError as error:
        fault = Fault("backup.unreadable", path=str(path), reason=error.strerror or "")
        raise InvalidInput(fault, path=str(path)) from error
    with archive:
        yield Backup(archive, str(path))
