"""FAQ entries from the shell: filed, imported from a sheet, listed when removed."""

from __future__ import annotations

import json
from pathlib import Path

from command_lines import Vta
from openpyxl import Workbook


def workbook(path: Path) -> str:
    book = Workbook()
    for name, question in (("2024", "Why?"), ("2025", "How?")):
        sheet = book.create_sheet(name)
        for row in (["Course FAQ"], [], ["Question", "Answer", "Category"], [question, "So.", "exams"]):
            sheet.append(row)
    book.save(path)
    return str(path)


def test_an_import_is_filed_and_listed(graph_command: Vta, tmp_path: Path) -> None:
    """The sheet is named or the first with a header, which is said; a draft answers nobody."""
    vta, table = graph_command, workbook(tmp_path / "faq.xlsx")
    first = vta("faq", "ds", "import", table, "--dry-run")
    assert first.code == 0
    assert "the sheet '2024' was read, not 2025; choose with --sheet" in first.err
    done = vta("faq", "ds", "import", table, "--sheet", "2025", "--json").json
    assert (done["added"], done["sheet"], done["other_sheets"]) == (1, "2025", ["2024"])
    missing = vta("faq", "ds", "import", table, "--sheet", "2026")
    assert missing.code == 2
    assert "there is no sheet '2026'; there are Sheet, 2024, 2025" in missing.err
    (entry,) = vta("faq", "ds", "list", "--category", "exams", "--state", "live", "--json").lines
    assert (entry["question"], entry["category"], entry["state"]) == ("How?", "exams", "live")
    drafted = vta("faq", "ds", "edit", entry["id"], "--state", "draft", "--json").json
    assert (drafted["state"], drafted["category"]) == ("draft", "exams")
    assert vta("faq", "ds", "list", "--state", "live", "--json").lines == []
    vta("faq", "ds", "remove", entry["id"])
    assert "(removed) (draft)" in vta("faq", "ds", "list", "--removed").out


def test_an_ingest_reads_the_tables_that_an_import_reads(graph_command: Vta, tmp_path: Path) -> None:
    """Semicolons, UTF-16, titles above the header; the rows left out are told as Excel numbers them."""
    rows = ("什么时候交作业？;周五之前。", "什么时候交作业;周日之前。", "考试可以带书吗？;不可以。")
    text = "\n;".join(("常见问题;;\n\n;问题;答案", *rows))
    folder = tmp_path / "course"
    folder.mkdir()
    (folder / "常见问题.csv").write_bytes(text.encode("utf-16"))
    workbook(folder / "faq.xlsx")
    ran = graph_command("ingest", "ds", str(folder), "--json")
    report = json.loads(ran.out)
    reasons = json.dumps(report["rejected"], ensure_ascii=False)
    assert report["pairs"] == 3
    assert "常见问题.csv, row 5: the same question as in row 4" in reasons
    assert "the sheet '2024' was read; not read: 2025" in reasons
