"""The script of axe-core, and what runs it in a page."""

from __future__ import annotations

from pathlib import Path

AXE = Path(__file__).parents[1] / ".venv/npm/node_modules/axe-core/axe.min.js"
RUN = """async (rules) => {
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  const only = rules ? { runOnly: { type: "rule", values: rules } } : {};
  const { violations } = await axe.run(document, { resultTypes: ["violations"], ...only });
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.flat().join(" ")}`));
}"""
