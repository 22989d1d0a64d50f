import json
from pathlib import Path

from typer.testing import CliRunner

from services.cli.main import app

ROWS = [
    *(("what is a stack", "simple"), ("怎么申请证书", "platform"), ("栈和队列有什么区别", "complex")),
    *(("hello there", "general_chat"), ("今天好累", "emotional_chat")),
]


def write_rows(path: Path) -> Path:
    lines = [
        {"id": number, "question": question, "session_id": number, "category": label}
        for number, (question, label) in enumerate(ROWS)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_calibrate_shows_the_alpha_that_keeps_questions(tmp_path: Path) -> None:
    """`--json` is one object: alpha, lost, caught, n and the curve; the alpha is the least that keeps all."""
    data = str(write_rows(tmp_path / "data.jsonl"))
    done = CliRunner().invoke(app, ["intent", "calibrate", data, "--max-lost", "0", "--json"])
    assert done.exit_code == 0
    shown = json.loads(done.stdout)
    assert set(shown) == {"alpha", "lost", "caught", "n", "curve"}
    assert (shown["lost"], shown["n"], len(shown["curve"])) == (0, 5, 101)
    below = [point for point in shown["curve"] if point["alpha"] < shown["alpha"]]
    assert below
    assert all(point["lost"] > 0 for point in below)
    assert "VTA_ALPHA" in CliRunner().invoke(app, ["intent", "calibrate", data]).stdout
