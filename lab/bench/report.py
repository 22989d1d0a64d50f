"""A run, or two side by side, as figures in words, as JSON, and as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lab.bench.figures import Figure, Paired, by, compare, quantile_ms, shares, tokens_of
from lab.bench.scoring import Scored


@dataclass(frozen=True)
class ScoredRun:
    """Who was asked, and every reply with what it is worth."""

    assistant: str
    scored: Sequence[Scored]

    @cached_property
    def shares(self) -> Mapping[str, Figure]:
        return shares(self.scored)


def run_json(run: ScoredRun) -> dict[str, object]:
    """The figures of one run; `ms` are p50 and p95."""
    turns = run.scored
    return {
        "assistant": run.assistant,
        "n": len(turns),
        "conversations": len({each.turn.conversation for each in turns}),
        "shares": {
            name: {
                "mean": round(figure.mean, 4),
                "interval_95": [round(figure.low, 4), round(figure.high, 4)],
                "n": figure.n,
            }
            for name, figure in run.shares.items()
        },
        "ms": [round(quantile_ms(turns, share), 1) for share in (0.5, 0.95)],
        "tokens": tokens_of(turns),
        "courses": by(turns, lambda each: each.turn.course),
        "kinds": by(turns, lambda each: each.turn.kind),
    }


def report_json(runs: Sequence[ScoredRun]) -> dict[str, object]:
    """The figures of each run, and what the first gains over the second on the turns of both."""
    paired = _paired(runs)
    return {"runs": [run_json(run) for run in runs], "paired": asdict(paired) if paired else None}


def report_lines(runs: Sequence[ScoredRun]) -> Iterator[str]:
    """The same for a terminal."""
    for run in runs:
        told = run_json(run)
        yield f"{run.assistant}: {told['n']} turns, {told['conversations']} conversations"
        for name, figure in run.shares.items():
            low, high = 100 * figure.low, 100 * figure.high
            count = f"{figure.mean * figure.n:4.0f} of {figure.n:<4}"
            yield f"  {name:<30}{count} {100 * figure.mean:5.1f} %  [{low:.1f}, {high:.1f}]"
        tokens = tokens_of(run.scored)
        yield "  time of a reply, p50 and p95   {:.0f} and {:.0f} ms".format(*told["ms"])  # type: ignore[misc]
        yield "  tokens read and written        " + (
            "not stated" if tokens is None else "{:,} and {:,}".format(*tokens)
        )
    if paired := _paired(runs):
        yield _paired_line(paired)


def report_html(runs: Sequence[ScoredRun]) -> str:
    """Figures, then every turn with its rubric and the replies beside each other."""
    replies = [{each.turn.key: each for each in run.scored} for run in runs]
    turns = [each.turn for each in runs[0].scored]
    rows = [(turn, [of.get(turn.key) for of in replies]) for turn in turns]
    names = list(dict.fromkeys(name for run in runs for name in run.shares))
    paired = _paired(runs)
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined
    )
    return templates.get_template("report.html").render(
        runs=runs,
        names=names,
        shares=[run.shares for run in runs],
        told=[run_json(run) for run in runs],
        rows=rows,
        paired=_paired_line(paired) if paired else "",
    )


def _paired(runs: Sequence[ScoredRun]) -> Paired | None:
    return compare(runs[0].scored, runs[1].scored) if len(runs) > 1 else None


def _paired_line(paired: Paired) -> str:
    figure = paired.difference
    return (
        f"the first less the second, right, on {figure.n} turns of both: {100 * figure.mean:+.1f} points "
        f"[{100 * figure.low:+.1f}, {100 * figure.high:+.1f}]; better on {paired.better}, "
        f"worse on {paired.worse}"
    )
