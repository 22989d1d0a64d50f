"""Compare the estimate of tokens with the counts of two published vocabularies over the project's own texts.

Needs the package bpe-openai, which brings the vocabularies with it:
python -m benchmarks token_estimate
"""

from __future__ import annotations

from statistics import median
from typing import Any

import bpe_openai

from benchmarks.record import ROOT
from vta.languages import Language
from vta.text import detect_language
from vta.tokens import estimate_tokens

PATTERNS = (
    "prompts/chain_of_teach/examples/*.md",
    "services/demo/courses/**/*.*",
    "tests/data/golden/*.txt",
    "docs/*.md",
    "vta/**/*.py",
)
VOCABULARIES = ("cl100k_base", "o200k_base")


def run() -> dict[str, Any]:
    """The ratio of estimate and count by vocabulary and language."""
    texts = [file.read_text(encoding="utf-8") for pattern in PATTERNS for file in sorted(ROOT.glob(pattern))]
    figures: dict[str, Any] = {}
    for vocabulary in VOCABULARIES:
        encode = bpe_openai.get_encoding(vocabulary).encode
        for language in Language:
            chosen = [text for text in texts if text and detect_language(text, Language.EN) is language]
            ratios = sorted(estimate_tokens(text) / len(encode(text)) for text in chosen)
            figures[f"{vocabulary} {language}"] = {
                "texts": len(ratios),
                "least": round(ratios[0], 3),
                "median": round(median(ratios), 3),
                "most": round(ratios[-1], 3),
            }
    return figures
