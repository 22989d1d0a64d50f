"""Learn beta on half of the sessions and count the wrong direct answers of the other half, five times.

.venv/bin/python benchmarks/calibration_held_out.py ../shared/data/vta/qa_dev.jsonl
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from lab.evaluation.calibration import calibrate
from lab.evaluation.faq_folds import ask_folds, read_asked
from vta.types.courses import Thresholds


def main() -> None:
    answers = ask_folds(read_asked(Path(sys.argv[1])))
    for max_error in (0.05, 0.1):
        for salt in "abcde":
            halves = [
                hashlib.sha256(f"{salt}{a.question.session}".encode()).digest()[-1] % 2 for a in answers
            ]
            learning = [a.trial for a, half in zip(answers, halves, strict=True) if half == 0]
            asked = [a.trial for a, half in zip(answers, halves, strict=True) if half == 1]
            beta = calibrate(learning, max_error=max_error, alpha=Thresholds().alpha).beta
            direct = [trial for trial in asked if trial.score is not None and trial.score > beta]
            row = {"max_error": max_error, "split": salt, "beta": round(beta, 3), "asked": len(asked)}
            wrong = sum(not trial.right for trial in direct)
            print(json.dumps({**row, "direct": len(direct), "error": round(wrong / len(direct), 4)}))


if __name__ == "__main__":
    main()
