"""Where the HTTP codes of errors are known."""

from __future__ import annotations

import re
from pathlib import Path

SERVICES = Path(__file__).parents[4] / "services"


def test_no_other_module_makes_a_problem_by_its_number():
    """`problems.py` has a function for each; pages of the console have statuses, but no problems."""
    made = {
        path.relative_to(SERVICES).as_posix()
        for path in SERVICES.rglob("*.py")
        if re.search(r"\b(ProblemRaised|HTTPException)\(\s*\d", path.read_text(encoding="utf-8"))
    }
    assert made == {"web/problems.py"}
