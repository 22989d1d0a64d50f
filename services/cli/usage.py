"""`vta usage`: what the language model cost."""

from __future__ import annotations

from dataclasses import asdict

import typer

from services.cli.output import Home, Json, platform, show, show_json
from services.use_cases.model_cost import cost_of


def register(app: typer.Typer) -> None:
    app.command()(usage)


def usage(home: Home = None, as_json: Json = False) -> None:
    """Show language model calls, tokens and, where prices are set, cost, by course and model.

    Example: vta usage --json
    """
    with platform(home) as vta:
        totals, settings = vta.stores.usage.totals(), vta.settings
    for total in totals:
        cost = cost_of(total, settings)
        if as_json:
            show_json({**asdict(total), "cost": cost})
            continue
        tokens = f"{total.prompt_tokens} + {total.completion_tokens} tokens"
        unknown = f" ({total.uncounted} not counted)" if total.uncounted else ""
        price = "" if cost is None else f", cost {cost:.4f}"
        show(f"{total.course_id or '-'}\t{total.model}\t{total.calls} calls{unknown}, {tokens}{price}")
