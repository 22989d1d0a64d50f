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
from vta.faults import Fault

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

    def fault(self, name: str, reason: Fault, line: int | None = None) -> InvalidInput:
        """The error that a member is wrong, in a line of it where one is named."""
        if line is None:
            return InvalidInput(
                Fault("course_file.member", path=self._path, name=name, reason=reason), path=self._path
            )
        fault = Fault("course_file.line", path=self._path, name=name, line=line, reason=reason)
        return InvalidInput(fault, path=self._path, line=line)

    def _check_members(self) -> None:
        names = self._archive.namelist()
        for name in (MANIFEST, *MEMBERS):
            if names.count(name) != 1:
                twice = name in names
                raise self.fault(
                    name, Fault("course_file.twice") if twice else Fault("course_file.no_member")
                )
        for info in self._archive.infolist():
            if info.filename not in (MANIFEST, *MEMBERS):
                raise self.fault(info.filename[:200], Fault("course_file.stranger"))
            if info.flag_bits & _ENCRYPTED or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise self.fault(info.filename, Fault("course_file.packing"))

    def _read_manifest(self) -> Manifest:
        with self._opened(MANIFEST) as member:
            text = member.read(_LARGEST_MANIFEST + 1)
        if len(text) > _LARGEST_MANIFEST:
            raise self.fault(MANIFEST, Fault("course_file.too_large", most=_LARGEST_MANIFEST))
        self._check_version(text)
        manifest = self._parse(Manifest, MANIFEST, None, text)
        if set(manifest.members) != set(MEMBERS):
            raise self.fault(MANIFEST, Fault("course_file.members", names=", ".join(MEMBERS)))
        if sum(each.size for each in manifest.members.values()) > LARGEST_COURSE:
            raise self.fault(MANIFEST, Fault("course_file.members_size", most=LARGEST_COURSE))
        return manifest

    def _check_version(self, text: bytes) -> None:
        """A newer version is reported as such, whatever else the file holds."""
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.fault(MANIFEST, Fault("course_file.not_json")) from error
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise self.fault(MANIFEST, Fault("course_file.format", format=FORMAT))
        version = given.get("version")
        if isinstance(version, int) and version > VERSION:
            raise self.fault(MANIFEST, Fault("course_file.newer", version=version, most=VERSION))
        if version != VERSION:
            raise self.fault(MANIFEST, Fault("course_file.version", version=repr(version)))

    def _lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        expected = self.manifest.members[name]
        digest, size, number = hashlib.sha256(), 0, 0
        with self._opened(name) as member:
            while line := member.readline(LARGEST_LINE + 1):
                number += 1
                size += len(line)
                if len(line) > LARGEST_LINE:
                    raise self.fault(name, Fault("course_file.too_large", most=LARGEST_LINE), number)
                if size > expected.size:
                    raise self.fault(name, Fault("course_file.beyond", size=expected.size), number)
                digest.update(line)
                yield number, line
        if size != expected.size or digest.hexdigest() != expected.sha256:
            raise self.fault(name, Fault("course_file.digest"))

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        """A member open for reading; damage of any kind is reported as a fault."""
        damage = (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)
        try:
            with self._archive.open(name) as member:
                yield member
        except damage as error:
            raise self.fault(name, Fault("course_file.damaged", reason=str(error))) from error

    def _parse(self, shape: type[R], name: str, number: int | None, line: bytes) -> R:
        try:
            return shape.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            fault = Fault("course_file.wrong", reason=first["msg"])
            if place:
                fault = Fault("course_file.wrong_field", field=place, reason=first["msg"])
            raise self.fault(name, fault, number) from error
