"""The texts of pages are data: each in both languages, with the same values, and used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from services.lti.refusals import RefusalReason
from vta.languages import Language
from vta.texts import read_texts

ROOT = Path(__file__).parents[2]
TABLES = [
    ("services/console", "texts"),
    ("services/analytics", "texts.toml"),
    ("services/lti", "texts.toml"),
    ("services/sidebar", "texts.toml"),
    ("services/questions", "mail.toml"),
    ("prompts", "phrases.toml"),
]


def unused(keys: set[str], sources: str) -> set[str]:
    """Keys that no source names as a whole word, or builds from a beginning in quotation marks."""
    named = set(re.findall(r"\w+", sources))
    begun = tuple(re.findall(r'"(\w+_)"', sources))
    ends = tuple(re.findall(r"\}(_\w+)[\"']", sources))
    return {key for key in keys - named if not key.startswith(begun) and not key.endswith(ends)}


@pytest.mark.parametrize(("folder", "path"), TABLES)
def test_every_text_is_used_by_a_page(folder: str, path: str) -> None:
    """Those of the console by a page of any room, plots and phrases by the values that they stand for."""
    texts = read_texts(folder.replace("/", "."), path)
    room = [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.html")]
    if folder in ("services/console", "services/analytics"):
        room += [*(ROOT / "services").rglob("*pages.py"), *(ROOT / "services" / "console").rglob("*.html")]
    room += [ROOT / "vta" / file for file in ("types/answers.py", "types/inbox.py", "analytics/facts.py")]
    room += (ROOT / "vta" / "dialogue").glob("*.py") if folder == "prompts" else []
    sources = "\n".join(file.read_text(encoding="utf-8") for file in room)
    assert unused(set(texts[Language.EN]), sources) == set()


def test_a_text_that_nothing_names_is_found() -> None:
    """Neither as a word, nor by its beginning or its end."""
    assert unused({"save", "route_direct", "why_asks", "lost"}, 't.save t["route_" ~ x] f"{n}_asks"') == {
        "lost"
    }


def test_every_refused_launch_has_its_texts() -> None:
    """What happened, and what to do."""
    for texts in read_texts("services.lti", "texts.toml").values():
        assert all(texts[f"refused_{reason}"] and texts[f"refused_{reason}_do"] for reason in RefusalReason)


@pytest.mark.parametrize(("row", "fault"), [
    ('save = {en = "Save"}', "a.toml: save needs one text in each language"),
    ('save = {en = "Save", zh = ""}', "a.toml: save needs one text in each language"),
    ('save = {en = "Save", zh = "保存", fr = "Garder"}', "a.toml: save needs one text in each language"),
    ('left = {en = "{n} left", zh = "还剩 {m} 条"}', "a.toml: the texts of left name different values"),
    ('copy = {en = "Copy", zh = "复制"}', "a.toml: the key 'copy' is taken"),
    ('here = {en = "Here", zh = "这里"}', "b.toml: the key 'here' is taken"),
])  # fmt: skip
def test_a_faulty_row_names_its_file_and_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, fault: str
) -> None:
    """When the page is imported, so that no reader meets it."""
    (tmp_path / "faulty").mkdir()
    (tmp_path / "faulty" / "a.toml").write_text(f'{row}\nhere2 = {{en = "x", zh = "y"}}\n', encoding="utf-8")
    if "here" in row:
        (tmp_path / "faulty" / "b.toml").write_text(row, encoding="utf-8")
    monkeypatch.setattr("vta.texts.files", lambda _: tmp_path)
    with pytest.raises(ValueError, match=re.escape(fault)):
        read_texts("anything", "faulty")


def test_a_wrong_key_is_named() -> None:
    """Where Python asks for it; templates are strict by themselves."""
    with pytest.raises(KeyError, match="there is no text 'sav'"):
        read_texts("services.lti", "texts.toml")[Language.EN]["sav"]
