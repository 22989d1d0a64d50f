// What stands in an empty conversation: a greeting, and questions to begin with.

import { button, make } from "./dom.js";

/** @param {string[]} questions @param {Sidebar.Texts} texts @param {string | null | undefined} greeting @param {(question: string) => void} ask */
export function welcome(questions, texts, greeting, ask) {
  const chips = questions.map((question) =>
    make("li", {}, button({ class: "suggestion", testid: "suggestion", on: { click: () => ask(question) } }, question)),
  );
  return make(
    "div",
    { class: "welcome", testid: "welcome", "aria-live": "off" },
    make("h3", {}, greeting || texts.welcome),
    greeting ? null : make("p", {}, texts.welcomeHint),
    chips.length ? make("p", { class: "muted" }, texts.suggestions) : null,
    chips.length ? make("ul", {}, chips) : null,
  );
}

/** The questions of the attribute `suggestions`. */
/** @param {string | null} json @returns {string[]} */
export function parseList(json) {
  try {
    const list = JSON.parse(json || "[]");
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  } catch {
    console.warn("vta-sidebar: `suggestions` is not a JSON list");
    return [];
  }
}
