"""Compare the estimate of tokens with the counts of two published vocabularies over the project's own texts.

Needs the package bpe-openai, which brings the vocabularies with it:
.venv/bin/python benchmarks/token_estimate.py > docs/runs/token_estimate.json
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import bpe_openai

from vta.languages import Language
from vta.text import detect_language
from vta.tokens import estimate_tokens

ROOT = Path(__file__).parents[1]
PATTERNS = (
    "prompts/chain_of_teach/examples/*.md",
    "services/demo/courses/**/*.*",
    "tests/data/golden/*.txt",
    "docs/*.md",
    "vta/**/*.py",
)
VOCABULARIES = ("cl100k_base", "o200k_base")


def main() -> None:
    texts = [file.read_text(encoding="utf-8") for pattern in PATTERNS for file in sorted(ROOT.glob(pattern))]
    record: dict[str, object] = {"command": "benchmarks/token_estimate.py"}
    for vocabulary in VOCABULARIES:
        encode = bpe_openai.get_encoding(vocabulary).encode
        for language in Language:
            chosen = [text for text in texts if text and detect_language(text, Language.EN) is language]
            ratios = sorted(estimate_tokens(text) / len(encode(text)) for text in chosen)
            record[f"{vocabulary} {language}"] = {
                "texts": len(ratios),
                "least": round(ratios[0], 3),
                "median": round(median(ratios), 3),
                "most": round(ratios[-1], 3),
            }
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
