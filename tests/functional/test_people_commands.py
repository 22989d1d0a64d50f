"""`vta people` on a real data folder."""

from __future__ import annotations

import json

import pytest
from command_lines import Vta

from services.cli.output import stores
from services.store.audit_log import Actor, ActorKind, acting
from vta.types.courses import CourseId, Role


@pytest.fixture
def vta(graph_command: Vta) -> Vta:
    return graph_command


def test_an_account_is_made_changed_and_removed(vta):
    """With a link to set the password; all that is kept of it can be printed."""
    made = vta(
        "people", "add", "Ann@Uni.example", "--name", "Ann", "--course", "ds", "--role", "ta", "--json"
    )
    assert made.code == 0
    first = json.loads(made.out)
    assert first["email"] == "ann@uni.example"
    assert "/console/-/passwords/" in first["link"]
    assert "VTA_PUBLIC_URL" in made.err
    assert json.loads(vta("people", "reset", "ann@uni.example", "--json").out)["link"] != first["link"]
    assert vta("people", "edit", "ann@uni.example", "--admin", "--disable").out == (
        "ann@uni.example\tAnn\tdisabled\tds (ta)\n"
    )
    assert vta("people", "edit", "ann@uni.example", "--member", "--enable").code == 0
    kept = json.loads(vta("people", "list", "--json").out)
    assert (kept["role"], kept["courses"], kept["has_password"]) == (
        "member",
        [{"id": "ds", "role": "ta"}],
        False,
    )
    assert vta("people", "remove", "ann@uni.example").code == 0
    assert vta("people", "list").out == ""


@pytest.mark.fault(case="T141")
def test_removing_an_account_names_its_keys_and_asks(vta):
    """Without a yes nothing is removed."""
    vta("people", "add", "ann@uni.example", "--name", "Ann", "--course", "ds")
    with stores(None) as (kept, _):
        ann = kept.people.find("ann@uni.example")
        with acting(Actor(kind=ActorKind.PERSON, id=ann.id)):
            text, key = kept.keys.make(CourseId("ds"), Role.INSTRUCTOR)
    refused = vta("people", "remove", "ann@uni.example")
    assert (refused.code, key.id in refused.err) == (2, True)
    removed = vta("people", "remove", "ann@uni.example", "--json", stdin="ann@uni.example\n")
    assert removed.json == {"removed": "ann@uni.example", "revoked": [key.id]}
    with stores(None) as (kept, _):
        assert kept.keys.check(text) is None


@pytest.mark.parametrize(
    "line",
    [
        ("people", "add", "no-address", "--name", "Ann"),
        ("people", "add", "a@b.example", "--name", " "),
        ("people", "add", "a@b.example", "--name", "Ann", "--course", "none"),
        ("people", "reset", "nobody@uni.example"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_done_is_said_in_one_line(vta, line):
    """And nothing is kept of it."""
    refused = vta(*line)
    assert (refused.code, len(refused.err.splitlines())) == (2, 1)
    assert vta("people", "list").out == ""


TABLE = """userName;displayName;role;course
Ann@Uni.example;Ann;instructor;ds
bo@uni.example;'=Bo;TA;ds
cy@uni.example;Cy;;
no address;Di;ta;ds
ed@uni.example;Ed;admin;ds
flo@uni.example;Flo;ta;nowhere
bo@uni.example;Bo;instructor;ds
"""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_people_come_from_a_table_and_a_second_time_nothing_changes(vta, tmp_path, encoding):
    """Each refused row with its line and reason; a dry run changes nothing; nobody is removed."""
    table = tmp_path / "people.csv"
    table.write_text(TABLE, encoding)
    planned = json.loads(vta("people", "import", str(table), "--dry-run", "--json").out)
    assert (planned["new"], planned["links"], vta("people", "list").out) == (3, {}, "")
    done = json.loads(vta("people", "import", str(table), "--json").out)
    assert [each["line"] for each in done["refused"]] == [5, 6, 7, 8]
    assert set(done["links"]) == {"ann@uni.example", "bo@uni.example", "cy@uni.example"}
    listed = vta("people", "list").out
    assert "bo@uni.example\t=Bo\tmember\tds (ta)" in listed
    again = json.loads(vta("people", "import", str(table), "--json").out)
    assert [again[each] for each in ("new", "changed", "unchanged")] == [0, 0, 3]
    table.write_text("email,name,course,role\nbo@uni.example,Bobby,ds,instructor\n", "utf-8")
    assert vta("people", "import", str(table)).out.startswith("0 new, 1 changed, 0 unchanged")
    assert vta("people", "list").out == listed.replace("=Bo\tmember\tds (ta)", "=Bo\tmember\tds (instructor)")


def test_a_table_without_the_columns_of_people_is_refused(vta, tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("who,what\nann,ta\n", "utf-8")
    refused = vta("people", "import", str(table))
    assert (refused.code, "userName" in refused.err) == (2, True)
