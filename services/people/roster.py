"""People and their courses out of a CSV table with columns of SCIM: what it would change, and the change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from knowledge.sources.decoding import read_text_file
from knowledge.sources.faq import unguard_cell
from knowledge.sources.faq_tables import csv_rows
from services.people.store import CourseRole, Person, clean_email, clean_name
from services.stores import Stores
from vta.errors import InvalidInput, VtaError
from vta.faults import Fault
from vta.types.courses import CourseId

COLUMNS = {
    "email": "email",
    "username": "email",
    "displayname": "name",
    "name": "name",
    "course": "course",
    "role": "role",
}
"""Headers in small letters, and what they hold. Other columns are ignored."""
_SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterRow:
    """A person, and a course and role where the row names them; the header is row 1."""

    row: int
    email: str
    name: str
    course: CourseId | None
    role: CourseRole | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterPlan:
    """What a table would do: new accounts or memberships, roles that change, rows that are refused."""

    new: tuple[RosterRow, ...]
    changed: tuple[RosterRow, ...]
    unchanged: int
    refused: tuple[tuple[int, Fault], ...]


def plan_roster(stores: Stores, file: BinaryIO, *, path: str) -> RosterPlan:
    """Read a table and compare it with the store. It removes and renames nobody.

    `InvalidInput` for a file that is no such table. Roles are those in a course: nobody becomes an admin.
    """
    new, changed, refused, unchanged = list[RosterRow](), list[RosterRow](), list[tuple[int, Fault]](), 0
    seen: dict[tuple[str, CourseId | None], CourseRole | None] = {}
    for number, cells in _rows(read_text_file(file, path=path), path):
        try:
            row = _read(stores, number, cells)
        except VtaError as error:
            refused.append((number, error.fault))
            continue
        if seen.setdefault((row.email, row.course), row.role) is not row.role:
            refused.append((number, Fault("person.two_roles", email=row.email)))
            continue
        known = stores.people.find(row.email)
        role = _role_of(stores, known, row.course)
        if known is None or (row.course is not None and role is None):
            new.append(row)
        elif role is not row.role:
            changed.append(row)
        else:
            unchanged += 1
    return RosterPlan(new=tuple(new), changed=tuple(changed), unchanged=unchanged, refused=tuple(refused))


def apply_roster(stores: Stores, plan: RosterPlan) -> tuple[Person, ...]:
    """Make the accounts and memberships of a plan; returns the new accounts. Twice is as once."""
    made = []
    for row in (*plan.new, *plan.changed):
        person = stores.people.find(row.email)
        if person is None:
            person = stores.people.add(name=row.name, email=row.email)
            made.append(person)
        if row.course is not None and row.role is not None:
            stores.memberships.put(row.course, person.id, row.role)
    return tuple(made)


def _rows(text: str, path: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    first = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    rows = csv_rows(text, separator, path)
    _, header = next(rows, (1, []))
    names = [COLUMNS.get(cell.strip().casefold(), "") for cell in header]
    if not {"email", "name"} <= set(names):
        raise InvalidInput(Fault("person.no_columns").at(path, 1))
    for number, cells in rows:
        yield number, {name: unguard_cell(cell.strip()) for name, cell in zip(names, cells, strict=False)}


def _read(stores: Stores, number: int, cells: Mapping[str, str]) -> RosterRow:
    """A row in its types; `VtaError` for a wrong address, name or role, or for an unknown course."""
    course, role = CourseId(cells.get("course", "")), cells.get("role", "").casefold()
    if course:
        stores.courses.course(course)
    if role not in (set(CourseRole) if course else {""}):
        raise InvalidInput(Fault("person.course_role", role=role[:40]))
    return RosterRow(
        row=number,
        email=clean_email(cells.get("email", "")),
        name=clean_name(cells.get("name", "")),
        course=course or None,
        role=CourseRole(role) if role else None,
    )


def _role_of(stores: Stores, person: Person | None, course: CourseId | None) -> CourseRole | None:
    if person is None or course is None:
        return None
    members = stores.memberships.members(course)
    return next((each.role for each in members if each.person.id == person.id), None)
