"""Train the shipped intent model and record the figures of its session-wise folds.

.venv/bin/python benchmarks/intent_folds.py ../shared/data/vta/intent_dev.jsonl --out intent/weights \\
    --pretrain ../shared/data/hello_algo/zh ... > docs/runs/intent_folds.json

The same as `vta intent train`, with the command, the commit and the machine beside the figures.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from lab.intent.settings import TRAINING_LIBRARIES
from lab.intent.training import train

_PACKAGES = {"sklearn": "scikit-learn"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pretrain", type=Path, nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    report = train(given.data, given.out, seed=given.seed, pretrain=given.pretrain)
    record = {
        "commit": commit.stdout.strip(),
        "python": platform.python_version(),
        "libraries": {name: version(_PACKAGES.get(name, name)) for name in TRAINING_LIBRARIES},
        **report.to_json(),
    }
    print(json.dumps(record, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
