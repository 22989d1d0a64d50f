"""`vta doctor` says what is wrong with the search index and what mends it, and the remedy does."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from command_lines import Vta
from full_disk import files_of_at_most
from scripted_llm import ScriptedLlm


@pytest.fixture
def indexed(command: Vta, tmp_path: Path) -> Path:
    """The folder of the index of a small course."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(40):
        (notes / f"{number}.md").write_text(f"# Stack {number}\n\nA stack is last in, first out.\n", "utf-8")
    assert command("course", "add", "ds", "--name", "DS", "--domain", "cs", "--language", "en").code == 0
    assert command("ingest", "ds", str(notes)).code == 0
    return tmp_path / "home" / "index"


def folder_of_course(index: Path) -> Path:
    return next(index.glob("generation-*/*/meta.json")).parent


def state(command: Vta) -> tuple[int, str]:
    found = command("doctor", "--json")
    return found.code, found.json["search"]


def test_an_index_that_is_well_says_at_which_revision(command: Vta, indexed: Path) -> None:
    assert state(command)[0] == 0
    assert state(command)[1].startswith("embedded index, made at ")
    assert ";" not in state(command)[1]


def test_files_of_a_killed_process_are_counted_and_harmless(command: Vta, indexed: Path) -> None:
    """They go with the next rebuild."""
    (folder_of_course(indexed) / f"{'0' * 32}.idx").write_bytes(b"half")
    (indexed / "generation-killed").mkdir()
    code, said = state(command)
    assert code == 0
    assert "1 left by a process that was killed" in said
    assert "vta reindex" in said
    assert command("reindex").code == 0
    assert "killed" not in state(command)[1]


@pytest.mark.parametrize("kind", ["store", "idx"])
def test_an_index_that_cannot_be_read_is_a_failure_and_is_rebuilt(
    command: Vta, indexed: Path, kind: str
) -> None:
    for file in folder_of_course(indexed).glob(f"*.{kind}"):
        file.write_bytes(b"")
    code, said = state(command)
    assert code == 1
    assert said.startswith("failed: the search index is damaged")
    assert "vta reindex" in said
    assert command("reindex").code == 0
    assert state(command)[0] == 0


def test_an_index_that_is_behind_says_by_how_much(command: Vta, indexed: Path) -> None:
    """As after a crash between the store's change and the index's."""
    live = json.loads((indexed / "live.json").read_text("utf-8"))
    revision, _, rest = live["stamp"].partition("/")
    live["stamp"] = f"{int(revision) - 1}/{rest}"
    (indexed / "live.json").write_text(json.dumps(live), "utf-8")
    code, said = state(command)
    assert code == 0
    assert "1 revision behind the store" in said
    assert command("reindex").code == 0
    assert "behind" not in state(command)[1]


def test_no_index_is_said(command: Vta, indexed: Path) -> None:
    (indexed / "live.json").unlink()
    assert state(command) == (0, "embedded index, empty; the next question or vta reindex builds it")


def test_a_folder_that_takes_no_more_is_a_failure(command: Vta, indexed: Path) -> None:
    """With the reason of the system and what to do."""
    with files_of_at_most(100_000):
        code, said = state(command)
    assert code == 1
    assert said.startswith("failed: the folder of the index cannot be written: File too large")
    assert "make room" in said


def test_risks_come_with_a_remedy_and_never_change_the_exit_code(
    command: Vta, indexed: Path, tmp_path: Path
) -> None:
    """A backup of everything ends the risk of none; one of a course does not."""

    def risks() -> dict[str, str]:
        found = command("doctor", "--json")
        assert found.code == 0
        return {risk["name"]: risk["remedy"] for risk in found.json["risks"]}

    assert {"backup", "open_sidebar", "admin_key", "retention"} <= set(risks())
    assert command("backup", str(tmp_path / "ds.zip"), "--course", "ds").code == 0
    assert "vta backup" in risks()["backup"]
    assert command("backup", str(tmp_path / "all.zip")).code == 0
    assert "backup" not in risks()


def test_the_settings_that_hold_are_told_without_secrets(
    command: Vta, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were set, as text; all, as JSON."""
    monkeypatch.setenv("VTA_ADMIN_KEY", "CANARY-admin-key")
    monkeypatch.setenv("VTA_BETA", "0.5")
    text, told = command("doctor").out, command("doctor", "--json").json["settings"]
    assert "VTA_ADMIN_KEY = [secret] (environment)" in text
    assert "VTA_BETA = 0.5 (environment)" in text
    assert "VTA_TOP_K" not in text
    assert told["VTA_TOP_K"]["from"] == "default"
    assert "CANARY" not in text + str(told)


@pytest.mark.parametrize(
    ("answer", "warned"), [("It is in room 204 [1].", False), ("The exam is on 14 May.", True)]
)
def test_a_model_that_cannot_answer_from_one_passage_is_warned_about(
    command: Vta, scripted_llm: ScriptedLlm, answer: str, warned: bool
) -> None:
    """It is reachable all the same."""
    scripted_llm.play(scripted_llm.models(), scripted_llm.ok(answer))
    found = command("doctor", "--json", llm_base_url=scripted_llm.base_url, llm_model="scripted-model")
    assert found.code == 0
    assert found.json["language_model"].startswith("reachable, scripted-model")
    assert ("0.70 against 0.76" in str(found.json["risks"])) == warned


def test_a_model_that_the_server_does_not_have_is_told_with_those_that_it_has(
    command: Vta, scripted_llm: ScriptedLlm
) -> None:
    refused = '{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}'
    scripted_llm.play(scripted_llm.models(), scripted_llm.status(404, body=refused))
    found = command("doctor", "--json", llm_base_url=scripted_llm.base_url, llm_model="x")
    assert found.code == 1
    assert "let VTA_LLM_MODEL name one of scripted-model" in found.json["language_model"]


def test_a_redis_that_does_not_answer_is_a_failure(command: Vta, indexed: Path) -> None:
    found = command("doctor", "--json", redis_url="redis://127.0.0.1:1/0")
    assert (found.code, found.json["redis"].startswith("failed")) == (1, True)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("DROP TABLE feedback", "feedback"),
        ("ALTER TABLE documents DROP COLUMN switched_off", "documents.switched_off"),
    ],
)
def test_a_table_or_column_that_somebody_took_out_is_a_failure(
    command: Vta, indexed: Path, statement: str, named: str
) -> None:
    with closing(sqlite3.connect(indexed.parent / "vta.db")) as store:
        store.execute(statement)
    found = command("doctor", "--json")
    assert (found.code, f"lacks {named};" in found.json["store"]) == (1, True)


def test_what_the_platform_makes_of_courses_is_for_its_owner_alone(command: Vta, indexed: Path) -> None:
    """A folder that nobody else may enter hides what is in it."""
    assert command("reindex").code == 0
    home = indexed.parent
    assert [each.stat().st_mode & 0o077 for each in (home, indexed, home / "dictionary.json")] == [0, 0, 0]
