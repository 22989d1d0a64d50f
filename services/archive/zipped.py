"""The zip that every file is: members of JSON lines, and a manifest that says of each its length and hash."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, BinaryIO, ClassVar, Generic, TypeVar
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from vta.errors import Conflict, InvalidInput
from vta.faults import Fault

MANIFEST = "manifest.json"
LARGEST_LINE = 64_000_000
"""Bytes of a line of a course file; those of a backup are the operator's own."""
_LARGEST_MANIFEST = 1_000_000
_ENCRYPTED = 1
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The date of every member: when a file was written is none of its content."""
_OWNER_ONLY = 0o600 << 16
_UNIX = 3
_DAMAGE = (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)

Count = Annotated[int, Field(ge=0)]


class Record(BaseModel):
    """What stands in a file, checked strictly: no unknown field, no number in a text, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class ZipMember(Record):
    """A member of the zip: its bytes unpacked, and their hash; of a table also its columns and rows."""

    size: Count
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    columns: list[str] | None = None
    rows: Count | None = None


class Manifest(Record):
    """`manifest.json`: what the file is, and what its members must be."""

    form: ClassVar[str]
    kind: ClassVar[Fault]
    """What such a file is called."""
    newest: ClassVar[int] = 1
    format: str
    version: int
    members: dict[str, ZipMember]


M = TypeVar("M", bound=Manifest)
R = TypeVar("R", bound=Record)


class Archive(Generic[M]):
    """A file open for reading, which may be damaged or hostile; nothing of it is unpacked to disk.

    Every fault is `InvalidInput` that names the file, the member and, where there is one, the line. That a
    member is what the manifest says of it is known when its lines were gone through to the end.
    """

    def __init__(self, archive: ZipFile, path: str, shape: type[M]) -> None:
        self._archive, self._path, self._kind = archive, path, shape.kind
        self._check_packing()
        self.manifest = self._read_manifest(shape)
        for name in archive.namelist():
            if name not in (MANIFEST, *self.manifest.members):
                raise self.fault(name[:200], Fault("archive.stranger", kind=self._kind))

    def records(self, shape: type[R], name: str) -> Iterator[tuple[int, int, R]]:
        """The lines of a member: the number, the length in bytes, and what it says."""
        for number, line in self.lines(name, longest=LARGEST_LINE):
            yield number, len(line), self._parse(shape, name, number, line)

    def lines(self, name: str, *, longest: int | None = None) -> Iterator[tuple[int, bytes]]:
        """The lines of a member with their numbers, counted from 1."""
        expected = self.manifest.members.get(name)
        if expected is None:
            raise self.fault(name, Fault("archive.no_member"))
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
            fault = Fault("archive.member", path=self._path, name=name, reason=reason)
            return InvalidInput(fault, path=self._path)
        fault = Fault("archive.line", path=self._path, name=name, line=line, reason=reason)
        return InvalidInput(fault, path=self._path, line=line)

    def _check_packing(self) -> None:
        names = self._archive.namelist()
        for info in self._archive.infolist():
            if names.count(info.filename) != 1:
                raise self.fault(info.filename[:200], Fault("archive.twice"))
            if info.flag_bits & _ENCRYPTED or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise self.fault(info.filename, Fault("archive.packing"))

    def _read_manifest(self, shape: type[M]) -> M:
        with self._opened(MANIFEST) as member:
            text = member.read(_LARGEST_MANIFEST + 1)
        if len(text) > _LARGEST_MANIFEST:
            raise self.fault(MANIFEST, Fault("archive.too_large", most=_LARGEST_MANIFEST))
        self._check_version(text, shape)
        return self._parse(shape, MANIFEST, None, text)

    def _check_version(self, text: bytes, shape: type[M]) -> None:
        """A newer version is reported as such, whatever else the file holds."""
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.fault(MANIFEST, Fault("archive.not_json")) from error
        if not isinstance(given, dict) or given.get("format") != shape.form:
            raise self.fault(MANIFEST, Fault("archive.format", format=shape.form))
        version = given.get("version")
        if isinstance(version, int) and version > shape.newest:
            raise self.fault(MANIFEST, Fault("archive.newer", version=version, most=shape.newest))
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise self.fault(MANIFEST, Fault("archive.version", version=repr(version)))

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

    def _parse(self, shape: type[R], name: str, number: int | None, line: bytes) -> R:
        try:
            return shape.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            fault = Fault("archive.wrong", reason=first["msg"])
            if place:
                fault = Fault("archive.wrong_field", field=place, reason=first["msg"])
            raise self.fault(name, fault, number) from error


@contextmanager
def open_archive(path: Path, shape: type[M]) -> Iterator[Archive[M]]:
    """A file by its path; `InvalidInput` where it is none of the shape's form, or was cut short."""
    try:
        archive = ZipFile(path)
    except OSError as error:
        reason = error.strerror or ""
        raise InvalidInput(
            Fault("archive.unreadable", path=str(path), reason=reason), path=str(path)
        ) from error
    except (BadZipFile, ValueError, NotImplementedError) as error:
        fault = Fault("archive.not_one", path=str(path), kind=shape.kind, reason=str(error))
        raise InvalidInput(fault, path=str(path)) from error
    with archive:
        yield Archive(archive, str(path), shape)


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


def write_lines(
    archive: ZipFile, name: str, lines: Iterable[str], *, columns: list[str] | None = None
) -> ZipMember:
    """Write a member, a line of it in memory at a time; newlines are added. Rows are counted of a table."""
    digest, size, count = hashlib.sha256(), 0, 0
    with archive.open(_packed(name), "w", force_zip64=True) as out:
        for text in lines:
            line = text.encode() + b"\n"
            count += 1
            digest.update(line)
            size += out.write(line)
    rows = None if columns is None else count
    return ZipMember(size=size, sha256=digest.hexdigest(), columns=columns, rows=rows)


def write_manifest(archive: ZipFile, manifest: Manifest) -> None:
    """Write the manifest, the last member of a file."""
    text = manifest.model_dump_json(indent=1, exclude_none=True)
    archive.writestr(_packed(MANIFEST), text + "\n")


def _packed(name: str) -> ZipInfo:
    """How a member is packed: alike whenever it is written."""
    info = ZipInfo(name, date_time=_LONG_AGO)
    info.compress_type, info.create_system, info.external_attr = ZIP_DEFLATED, _UNIX, _OWNER_ONLY
    return info
