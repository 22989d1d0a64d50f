// The concepts of a question as chips; one opens at a time and shows what should be known first.

import { button, make } from "./dom.js";

/** `ask(question)` is called when the student asks about a concept or one of its prerequisites. */
export function conceptChips(concepts, texts, ask) {
  const detail = make("div", { class: "concept", testid: "concept-detail", hidden: true });
  const chips = concepts.map((concept) =>
    button(
      { class: "chip", testid: "concept-chip", "aria-expanded": "false", on: { click: () => toggle(concept) } },
      concept.name,
    ),
  );

  function toggle(concept) {
    const chosen = chips[concepts.indexOf(concept)];
    const opens = chosen.getAttribute("aria-expanded") === "false";
    for (const chip of chips) chip.setAttribute("aria-expanded", String(opens && chip === chosen));
    detail.hidden = !opens;
    detail.replaceChildren(...(opens ? conceptDetail(concept, texts, ask) : []));
  }

  return make(
    "section",
    { class: "concepts", testid: "concepts" },
    make("h3", {}, texts.concepts),
    make("div", { class: "row" }, chips),
    detail,
  );
}

function conceptDetail(concept, texts, ask) {
  const askAbout = (name) => () => ask(texts.whatIs(name));
  const domains = concept.domains.length ? texts.domains(concept.domains) : null;
  const rows = concept.prerequisites.map((known) =>
    make(
      "li",
      {},
      button(
        {
          class: "chip",
          testid: "prerequisite-chip",
          "aria-label": `${known.name}: ${texts.askAbout(known.name)}`,
          on: { click: askAbout(known.name) },
        },
        known.name,
      ),
      make("span", {}, known.definition || texts.noDefinition, known.where && make("small", {}, known.where)),
    ),
  );
  return [
    make("p", { testid: "concept-definition" }, concept.definition || texts.noDefinition),
    domains && make("p", { class: "muted", testid: "concept-domains" }, domains),
    rows.length ? make("h4", {}, texts.prerequisites) : null,
    rows.length ? make("ul", { class: "prerequisites" }, rows) : null,
    button({ class: "small", testid: "concept-ask", on: { click: askAbout(concept.name) } }, texts.askAbout(concept.name)),
  ].filter(Boolean);
}
