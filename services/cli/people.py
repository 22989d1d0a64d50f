"""`vta people`: accounts of instructors, teaching assistants and admins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from services.cli.output import Home, Json, Yes, group, naming_file, require_yes, show, show_json, stores
from services.people.roster import apply_roster, plan_roster
from services.people.store import CourseRole, Person, PlatformRole, unknown_person
from services.settings import Settings
from services.stores import Stores
from vta.types.courses import CourseId

people_app = group("Accounts of those who teach. Example: vta people list")

Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The e-mail address, which is the log-in name.")]
Admin = Annotated[
    bool, typer.Option("--admin", help="An instructor of every course, who may remove courses.")
]
Creator = Annotated[bool, typer.Option("--creator", help="Someone who may make courses.")]


@people_app.command("add")
def add_person(
    *,
    email: Email,
    name: Annotated[str, typer.Option(help="The name that colleagues see.")],
    admin: Admin = False,
    creator: Creator = False,
    course: Annotated[str | None, typer.Option(help="The id of a course they teach.")] = None,
    role: Annotated[CourseRole, typer.Option(help="What they are there.")] = CourseRole.INSTRUCTOR,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Add an account and print the link, valid for 7 days, by which its owner sets the password.

    Example: vta people add ann@uni.example --name "Ann Lee" --admin
    """
    with stores(home) as (store, settings):
        if course is not None:
            store.courses.course(CourseId(course))
        person = store.people.add(name=name, email=email, role=_platform_role(admin, creator))
        if course is not None:
            store.memberships.put(CourseId(course), person.id, role)
        _show_link(store, settings, person, as_json)


@people_app.command("edit")
def edit_person(
    *,
    email: Email,
    admin: Admin = False,
    creator: Creator = False,
    member: Annotated[bool, typer.Option("--member", help="Neither admin nor creator any more.")] = False,
    disabled: Annotated[
        bool | None, typer.Option("--disable/--enable", help="Whether the account lets anyone in.")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Change what an account may do, or switch it off.

    Example: vta people edit ann@uni.example --disable
    """
    with stores(home) as (store, _):
        person = _find(store, email)
        if admin or creator or member:
            store.people.set_role(person.id, _platform_role(admin, creator))
        if disabled is not None:
            store.people.set_disabled(person.id, disabled)
        _show(store, store.people.person(person.id), as_json)


@people_app.command("list")
def list_people(home: Home = None, as_json: Json = False) -> None:
    """List the accounts, one a line, with their courses. Example: `vta people list --json`."""
    with stores(home) as (store, _):
        for person in store.people.people():
            _show(store, person, as_json)


@people_app.command("import")
def import_people(
    *,
    file: Annotated[Path, typer.Argument(help="A CSV: userName (or email), displayName; course, role.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Add people to courses from a table; it removes and renames nobody, and may be given again.

    Refused rows are listed. New accounts are printed with the link to set a password.
    Example: vta people import people.csv --dry-run
    """
    with stores(home) as (store, settings):
        with naming_file(file), file.open("rb") as opened:
            plan = plan_roster(store, opened, path=str(file))
        made = () if dry_run else apply_roster(store, plan)
        links = {each.email: password_address(store, each, settings.public_url or "") for each in made}
    counts = {"new": len(plan.new), "changed": len(plan.changed), "unchanged": plan.unchanged}
    refused = [{"line": line, "reason": fault.text()} for line, fault in plan.refused]
    if as_json:
        show_json({**counts, "refused": refused, "links": links, "dry_run": dry_run})
    else:
        show(", ".join(f"{count} {what}" for what, count in counts.items()) + " (dry run)" * dry_run)
        for row in plan.changed:
            show(f"{row.email}\t{row.course}\tnow {row.role}")
        for email, link in links.items():
            show(f"{email}\t{link}")
        for each in refused:
            typer.echo(f"{file}, line {each['line']}: {each['reason']}", err=True)
    if refused and not sum(counts.values()):
        raise typer.Exit(2)


@people_app.command("remove")
def remove_person(email: Email, yes: Yes = False, home: Home = None, as_json: Json = False) -> None:
    """Remove an account and the keys it made, which are named before. What they wrote keeps their name.

    Example: vta people remove ann@uni.example --yes
    """
    with stores(home) as (store, _):
        person = _find(store, email)
        keys = store.keys.made_by(person.id)
        for key in keys:
            typer.echo(f"revokes the key {key.id} of the course {key.course_id}", err=True)
        require_yes(person.email, yes or not keys)
        store.people.remove(person.id)
    row = {"removed": person.email, "revoked": [key.id for key in keys]}
    show_json(row) if as_json else show(f"removed {person.email}")


@people_app.command("reset")
def reset_password(email: Email, home: Home = None, as_json: Json = False) -> None:
    """Print a link, valid for 7 days, to set a new password. Example: `vta people reset ann@uni.example`."""
    with stores(home) as (store, settings):
        _show_link(store, settings, _find(store, email), as_json)


def password_address(store: Stores, person: Person, root: str) -> str:
    """A new link to set an account's password, below the address of the server."""
    return f"{root}/console/-/passwords/{store.invitations.make_password_link(person.id)}"


def _show_link(store: Stores, settings: Settings, person: Person, as_json: bool) -> None:
    link = password_address(store, person, settings.public_url or "")
    show_json({"email": person.email, "link": link}) if as_json else show(link)
    if settings.public_url is None:
        typer.echo("Put your server's address before it; with VTA_PUBLIC_URL set it is whole.", err=True)


def _show(store: Stores, person: Person, as_json: bool) -> None:
    """An account with the courses that it was let into; an admin's others are not named."""
    taught = store.memberships.courses_of(person.id, PlatformRole.MEMBER)
    if as_json:
        names = ("email", "name", "role", "disabled", "has_password", "created_at", "last_seen_at")
        courses = [{"id": each.course.id, "role": each.role} for each in taught]
        show_json({**{name: getattr(person, name) for name in names}, "courses": courses})
        return
    roles = ", ".join(f"{each.course.id} ({each.role})" for each in taught)
    state = "disabled" if person.disabled else str(person.role)
    show(f"{person.email}\t{person.name}\t{state}\t{roles}")


def _find(store: Stores, email: str) -> Person:
    found = store.people.find(email)
    if found is None:
        raise unknown_person(email)
    return found


def _platform_role(admin: bool, creator: bool) -> PlatformRole:
    if admin:
        return PlatformRole.ADMIN
    return PlatformRole.CREATOR if creator else PlatformRole.MEMBER
