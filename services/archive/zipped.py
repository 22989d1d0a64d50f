"""The zip that every file is: a member of JSON lines for each table, and a manifest that describes them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import from_json

from vta.errors import Conflict, InvalidInput
from vta.faults import Fault

FORMAT, NEWEST = "vta-backup", 2
LARGEST_LINE = 500_000_000
"""Bytes of a line of a file that is `bounded`; a document is one line, and is held in memory."""
LARGEST_FILE = 8_000_000_000
"""Bytes of all members, unpacked, of a file that is `bounded`."""
_MANIFEST = "manifest.json"
_COURSE_FILE = "vta-course"
"""The format of the course files of earlier releases."""
_LARGEST_MANIFEST = 1_000_000
_ENCRYPTED = 1
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The date of every member: when a file was written is none of its content."""
_OWNER_ONLY = 0o600 << 16
_UNIX = 3
_DAMAGE = (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)

_Count = Annotated[int, Field(ge=0)]


class _Record(BaseModel):
    """A part of the manifest, checked strictly."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class ZipMember(_Record):
    """The member of a table: its bytes unpacked, their hash, and the columns and rows of the table."""

    size: _Count
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    columns: list[str]
    rows: _Count


class Manifest(_Record):
    """`manifest.json`. `schema_version` is the migration that the tables stand at."""

    format: str
    version: int
    members: dict[str, ZipMember]
    software: str
    schema_version: str
    taken_at: Annotated[AwareDatetime, Field(strict=False)] | None = None
    """The moment of a backup; None for a course file, which is the same for the same course."""
    course: str | None = None
    """The course that this is a file of; None for the whole platform."""

    @model_validator(mode="before")
    @classmethod
    def _of_the_first_version(cls, given: Any) -> Any:
        """Version 1 names the tables, not their members."""
        if isinstance(given, dict) and isinstance(named := given.get("tables"), dict):
            members = {f"{name}.jsonl": member for name, member in named.items()}
            return {key: value for key, value in given.items() if key != "tables"} | {"members": members}
        return given

    @property
    def tables(self) -> dict[str, ZipMember]:
        """The members by the name of their table."""
        return {name.removesuffix(".jsonl"): member for name, member in self.members.items()}

    @property
    def rows(self) -> dict[str, int]:
        """The number of rows of each table that has any."""
        return {name: member.rows for name, member in self.tables.items() if member.rows}


class Backup:
    """A file open for reading, which may be damaged or hostile; nothing of it is unpacked to disk.

    Every fault is `InvalidInput` that names the file, the member and, where there is one, the line. Whether a
    member is as the manifest says is known at the end of its rows. `bounded` refuses large files.
    """

    def __init__(self, archive: ZipFile, path: str, *, bounded: bool) -> None:
        self._archive, self.path = archive, path
        self._longest = LARGEST_LINE if bounded else None
        self._check_packing()
        self.manifest = self._read_manifest()
        for name in archive.namelist():
            if name not in (_MANIFEST, *self.manifest.members):
                raise self.fault(name[:200], Fault("archive.stranger"))
        if bounded and sum(each.size for each in self.manifest.members.values()) > LARGEST_FILE:
            raise self.fault(_MANIFEST, Fault("archive.too_large", most=LARGEST_FILE))

    def rows(self, table: str) -> Iterator[tuple[int, list[Any]]]:
        """The rows of a table with the number of their line."""
        name, columns = f"{table}.jsonl", self.manifest.tables[table].columns
        for number, line in self._lines(name):
            try:
                values = from_json(line, allow_inf_nan=False)
            except ValueError as error:
                raise self.fault(name, Fault("archive.damaged", reason=str(error)), number) from error
            if not isinstance(values, list) or len(values) != len(columns):
                raise self.fault(name, Fault("backup.values", count=len(columns)), number)
            yield number, values

    def check(self) -> None:
        """Go through all of it; returns only where every table is what the manifest says."""
        for table in self.manifest.tables:
            for _ in self.rows(table):
                pass

    def _lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        """The lines of a member with their numbers, counted from 1."""
        expected, longest = self.manifest.members[name], self._longest
        digest, size, number = hashlib.sha256(), 0, 0
        with self._opened(name) as member:
            while line := member.readline(-1 if longest is None else longest + 1):
                number += 1
                size += len(line)
                if longest is not None and len(line) > longest:
                    raise self.fault(name, Fault("archive.too_large", most=longest), number)
                if size > expected.size:
                    raise self.fault(name, Fault("archive.beyond", size=expected.size), number)
                digest.update(line)
                yield number, line
        if (size, digest.hexdigest()) != (expected.size, expected.sha256):
            raise self.fault(name, Fault("archive.digest"))

    def fault(self, name: str, reason: Fault, line: int | None = None) -> InvalidInput:
        """The error that a member is wrong, in a line of it where one is named."""
        if line is None:
            fault = Fault("archive.member", path=self.path, name=name, reason=reason)
            return InvalidInput(fault, path=self.path)
        fault = Fault("archive.line", path=self.path, name=name, line=line, reason=reason)
        return InvalidInput(fault, path=self.path, line=line)

    def _check_packing(self) -> None:
        names = self._archive.namelist()
        for info in self._archive.infolist():
            if names.count(info.filename) != 1:
                raise self.fault(info.filename[:200], Fault("archive.twice"))
            if info.flag_bits & _ENCRYPTED or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise self.fault(info.filename, Fault("archive.packing"))

    def _read_manifest(self) -> Manifest:
        with self._opened(_MANIFEST) as member:
            text = member.read(_LARGEST_MANIFEST + 1)
        if len(text) > _LARGEST_MANIFEST:
            raise self.fault(_MANIFEST, Fault("archive.too_large", most=_LARGEST_MANIFEST))
        self._check_version(text)
        try:
            return Manifest.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            fault = Fault("archive.wrong_field", field=place, reason=first["msg"])
            raise self.fault(_MANIFEST, fault) from error

    def _check_version(self, text: bytes) -> None:
        """A newer version is reported as such, whatever else the file holds."""
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.fault(_MANIFEST, Fault("archive.not_json")) from error
        if isinstance(given, dict) and given.get("format") == _COURSE_FILE:
            raise self.fault(_MANIFEST, Fault("archive.course_file"))
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise self.fault(_MANIFEST, Fault("archive.format", format=FORMAT))
        version = given.get("version")
        if isinstance(version, int) and version > NEWEST:
            raise self.fault(_MANIFEST, Fault("archive.newer", version=version, most=NEWEST))
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise self.fault(_MANIFEST, Fault("archive.version", version=repr(version)))

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        """A member open for reading; damage of any kind is reported as a fault."""
        try:
            with self._archive.open(name) as member:
                yield member
        except KeyError as error:
            raise self.fault(name, Fault("archive.no_member")) from error
        except _DAMAGE as error:
            raise self.fault(name, Fault("archive.damaged", reason=str(error))) from error


@contextmanager
def open_backup(path: Path, *, bounded: bool = False) -> Iterator[Backup]:
    """A backup or course file by its path; `InvalidInput` where it is none, or was cut short."""
    try:
        archive = ZipFile(path)
    except OSError as error:
        reason = error.strerror or ""
        raise InvalidInput(
            Fault("archive.unreadable", path=str(path), reason=reason), path=str(path)
        ) from error
    except (BadZipFile, ValueError, NotImplementedError) as error:
        raise InvalidInput(
            Fault("archive.not_one", path=str(path), reason=str(error)), path=str(path)
        ) from error
    with archive:
        yield Backup(archive, str(path), bounded=bounded)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which gets its name once it is written; `Conflict` where there is one already."""
    if path.exists():
        raise Conflict(Fault("archive.exists", path=str(path)), path=str(path))
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
            Fault("archive.unwritable", path=str(path), reason=error.strerror or ""), path=str(path)
        ) from error


def write_lines(archive: ZipFile, name: str, lines: Iterable[str], columns: list[str]) -> ZipMember:
    """Write the member of a table, a line of it in memory at a time; newlines are added."""
    digest, size, count = hashlib.sha256(), 0, 0
    with archive.open(_packed(name), "w", force_zip64=True) as out:
        for text in lines:
            line = text.encode() + b"\n"
            count += 1
            digest.update(line)
            size += out.write(line)
    return ZipMember(size=size, sha256=digest.hexdigest(), columns=columns, rows=count)


def write_manifest(archive: ZipFile, manifest: Manifest) -> None:
    """Write the manifest, the last member of a file."""
    text = manifest.model_dump_json(indent=1, exclude_none=True)
    archive.writestr(_packed(_MANIFEST), text + "\n")


def _packed(name: str) -> ZipInfo:
    """The header of a member, equal at every time of writing."""
    info = ZipInfo(name, date_time=_LONG_AGO)
    info.compress_type, info.create_system, info.external_attr = ZIP_DEFLATED, _UNIX, _OWNER_ONLY
    return info
