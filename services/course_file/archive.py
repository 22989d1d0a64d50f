"""The zip of a course file, which may be damaged or hostile: its manifest, and the lines of its members."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TypeVar
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from pydantic import ValidationError

from services.course_file.form import FORMAT, MANIFEST, MEMBERS, VERSION, Manifest, Record
from vta.errors import InvalidInput

LARGEST_COURSE = 8_000_000_000
"""Bytes of all members, unpacked."""
LARGEST_LINE = 64_000_000
_LARGEST_MANIFEST = 1_000_000
_ENCRYPTED = 1

R = TypeVar("R", bound=Record)


class CourseArchive:
    """A zip with the members of a course file and no others; nothing of it is unpacked to disk.

    Every fault is `InvalidInput` that names the file, the member and, where there is one, the line. That a
    member is what the manifest says of it is known when its lines were gone through to the end.
    """

    def __init__(self, archive: ZipFile, path: str) -> None:
        self._archive, self._path = archive, path
        self._check_members()
        self.manifest = self._read_manifest()

    def records(self, shape: type[R], name: str) -> Iterator[tuple[int, int, R]]:
        """The lines of a member: the number, the length in bytes, and what it says."""
        for number, line in self._lines(name):
            yield number, len(line), self._parse(shape, name, number, line)

    def fault(self, name: str, reason: str, line: int | None = None) -> InvalidInput:
        """What to say of a fault."""
        where = name if line is None else f"{name}, line {line}"
        return InvalidInput(f"{self._path}: {where}: {reason}", path=self._path, line=line)

    def _check_members(self) -> None:
        names = self._archive.namelist()
        for name in (MANIFEST, *MEMBERS):
            if names.count(name) != 1:
                raise self.fault(name, "is not in the file" if name not in names else "is there twice")
        for info in self._archive.infolist():
            if info.filename not in (MANIFEST, *MEMBERS):
                raise self.fault(info.filename[:200], "is no part of a course file")
            if info.flag_bits & _ENCRYPTED or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise self.fault(info.filename, "is encrypted, or packed in a way that is not read")

    def _read_manifest(self) -> Manifest:
        with self._opened(MANIFEST) as member:
            text = member.read(_LARGEST_MANIFEST + 1)
        if len(text) > _LARGEST_MANIFEST:
            raise self.fault(MANIFEST, f"has more than {_LARGEST_MANIFEST} bytes")
        self._check_version(text)
        manifest = self._parse(Manifest, MANIFEST, None, text)
        if set(manifest.members) != set(MEMBERS):
            raise self.fault(MANIFEST, f"members: must be {', '.join(MEMBERS)}")
        if sum(each.size for each in manifest.members.values()) > LARGEST_COURSE:
            raise self.fault(MANIFEST, f"members: are more than {LARGEST_COURSE} bytes")
        return manifest

    def _check_version(self, text: bytes) -> None:
        """A newer form is told as such, whatever else it holds."""
        try:
            told = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.fault(MANIFEST, "is not JSON") from error
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            raise self.fault(MANIFEST, f"format: is not {FORMAT!r}")
        version = told.get("version")
        if isinstance(version, int) and version > VERSION:
            reason = f"version: {version} is of a newer release; this one reads up to {VERSION}"
            raise self.fault(MANIFEST, reason)
        if version != VERSION:
            raise self.fault(MANIFEST, f"version: {version!r} is none that is read")

    def _lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        expected = self.manifest.members[name]
        digest, size, number = hashlib.sha256(), 0, 0
        with self._opened(name) as member:
            while line := member.readline(LARGEST_LINE + 1):
                number += 1
                size += len(line)
                if len(line) > LARGEST_LINE:
                    raise self.fault(name, f"has more than {LARGEST_LINE} bytes", number)
                if size > expected.size:
                    raise self.fault(name, f"is beyond the {expected.size} bytes of the manifest", number)
                digest.update(line)
                yield number, line
        if size != expected.size or digest.hexdigest() != expected.sha256:
            raise self.fault(name, "is not what the manifest says: its sha256 differs")

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        """A member to be read inside, where damage of any kind is told."""
        damage = (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)
        try:
            with self._archive.open(name) as member:
                yield member
        except damage as error:
            raise self.fault(name, f"is damaged: {error}") from error

    def _parse(self, shape: type[R], name: str, number: int | None, line: bytes) -> R:
        try:
            return shape.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            reason = f"{place}: {first['msg']}" if place else first["msg"]
            raise self.fault(name, reason, number) from error
