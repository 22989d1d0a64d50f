"""docs/sizing.md follows from its assumptions and the records: the same arithmetic once more."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = " ".join((DOCS / "sizing.md").read_text(encoding="utf-8").split())


def record(name: str) -> Any:
    return json.loads((DOCS / "runs" / f"{name}.json").read_text(encoding="utf-8"))


def said(pattern: str) -> list[float]:
    """The numbers that the page has where the pattern has groups."""
    found = re.search(pattern, PAGE)
    assert found, f"docs/sizing.md does not say {pattern}"
    return [float(each.replace(",", "")) for each in found.groups()]


def about(value: float) -> Any:
    """As exactly as a page rounds."""
    return pytest.approx(value, rel=0.05)


STUDENTS, SHARE, A_DAY = said(r"\| ([\d,]+); (\d+) % \| ([\d,]+) a day")
EACH, QUESTIONS = said(r"questions of a student on such a day \| (\d+) \| ([\d,]+) a day")
BUSIEST, OVER_MEAN, MEAN, PEAK = said(r"\| (\d+) %; (\d+) times \| (\d+) a second, (\d+) at the peak")
COURSES, PAIRS_EACH, PAIRS = said(r"of one \| ([\d,]+); ([\d,]+) \| ([\d,]+) pairs")
EDITS_EACH, EDITS, EDITS_PEAK = said(r"on a day \| (\d+) \| ([\d,]+) a day, (\d+) a second at the peak")


def at_the_peak(a_day: float) -> float:
    return a_day * BUSIEST / 100 / 3600 * OVER_MEAN


def test_what_a_day_and_its_peak_bring():
    assert A_DAY == STUDENTS * SHARE / 100
    assert QUESTIONS == A_DAY * EACH
    assert (about(at_the_peak(QUESTIONS)), about(at_the_peak(QUESTIONS) / OVER_MEAN)) == (PEAK, MEAN)
    assert PAIRS == COURSES * PAIRS_EACH
    assert EDITS == COURSES * EDITS_EACH
    assert about(at_the_peak(EDITS)) == EDITS_PEAK


def test_servers():
    """Costs as the page takes them are not below those of the records, and cores follow from them."""
    least, most, question = said(r"service\.json\): ([\d.]+) to (\d+) ms\) \| (\d+) ms of processor")
    taken = [
        row["processor_ms"]
        for server in record("service")["servers"]
        for row in server["rows"]
        if row["part"] in ("direct", "taught")
    ]
    assert (least, most) == (about(min(taken)), about(max(taken)))
    assert question >= max(taken)
    many = next(
        row for row in record("scale")["rows"] if (row["engine"], row["pairs"]) == ("embedded", 1_000_000)
    )
    measured, edit = said(r"scale\.json\): (\d+) ms\) \| (\d+) ms \|")
    assert measured == about(many["edit"]["cpu_mean_ms"])
    assert edit >= measured
    (cores,) = said(r"at 30 a second ([\d.]+) cores")
    (edit_cores,) = said(r"at 5 a second ([\d.]+) cores")
    (together,) = said(r"\*\*(\d+) cores\*\*")
    assert cores == about(PEAK * question / 1000)
    assert edit_cores == about(EDITS_PEAK * edit / 1000)
    assert together == round(2 * (cores + edit_cores))
    started, asked, courses = said(r"had (\d+) MB at its start and ([\d,]+) MB after (\d+) of")
    memory = many["memory"]
    assert (started, asked) == (
        about(memory["started"]["resident_mb"]),
        about(memory["asked"]["resident_mb"]),
    )
    assert courses == many["turn"]["courses_asked"]
    questions, exam_cores, workers = said(r"questions \((\d+) a second, ([\d.]+) cores\) needs (\d+) workers")
    assert questions == 5 * PEAK
    assert exam_cores == about(questions * question / 1000)
    assert workers >= 2 * exam_cores


def test_postgresql():
    bytes_a_turn = record("turn_size")["bytes_a_turn"]
    size, day, month, year = said(
        r"SQLite\) \| ([\d.]+) kB \| [\d,]+ a day: ([\d.]+) GB a day, "
        r"\*\*(\d+) GB in 30 days\*\*, (\d+) GB a year"
    )
    (half_a_year,) = said(r"with 180 days (\d+) GB")
    a_day = QUESTIONS * bytes_a_turn / 1e9
    assert size == about(bytes_a_turn / 1000)
    assert [day, month, half_a_year, year] == [about(a_day * days) for days in (1, 30, 180, 365)]


def test_elasticsearch():
    rows = record("ranking_elasticsearch")["rows"]
    kept = next(
        row for row in rows if (row["system"], row["pairs"]) == ("elasticsearch, our ranker", 100_000)
    )
    words, all_words = said(r"words alone \(\S+\) \| (\d+) MB on disk \| [\d,]+ pairs: ([\d.]+) GB")
    vectors, all_vectors = said(r"100,000 pairs \| (\d+) MB \| ([\d.]+) GB")
    p50, twice = said(r"busy machine \| (\d+) ms at p50")[0], said(r"is rebuilt: (\d+) GB of disk")[0]
    assert words == about(kept["disk_mb"])
    assert p50 == about(kept["p50_ms"])
    assert (all_words, all_vectors) == (about(words * PAIRS / 1e8), about(vectors * PAIRS / 1e8))
    assert twice == about(2 * (all_words + all_vectors))


def test_a_language_model():
    (asked,) = said(r"if there is one \| half \| (\d+) a second at the peak")
    prompt, answer = said(r"takes (\d+) prompt and (\d+) answer tokens with the short form")
    short = record("prompt_tokens")["short"]["tokens"]
    assert min(row["mean"] for name, row in short.items() if name.startswith("teaching")) <= prompt
    prompts, answers = said(r"are ([\d,]+) prompt and ([\d,]+) answer tokens a second")
    answered, day_prompt, day_answer = said(
        r"over a day, ([\d,]+) answers are (\d+) million and (\d+) million"
    )
    assert asked == PEAK / 2
    assert (prompts, answers) == (about(asked * prompt), about(asked * answer))
    assert answered == QUESTIONS / 2
    assert (day_prompt, day_answer) == (about(answered * prompt / 1e6), about(answered * answer / 1e6))
