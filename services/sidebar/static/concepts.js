// The concepts of a question, folded, as chips; one opens at a time and shows what should be known first.

import { button, fold, make } from "./dom.js";
import { conceptStudy } from "./study.js";

/**
 * `actions`: `ask(question)` about the concept or one of its prerequisites, `open(place, opener)` to show where
 * one is taught, and `client` to read what the answer does not carry.
 */
/** @param {Api.ConceptOut[]} concepts @param {Sidebar.Texts} texts @param {Sidebar.Actions} actions */
export function conceptChips(concepts, texts, actions) {
  const detail = make("div", { class: "concept", testid: "concept-detail", hidden: true, "aria-live": "off" });
  const studies = new Map();
  const chips = concepts.map((concept) =>
    button(
      { class: "chip", testid: "concept-chip", "aria-expanded": "false", on: { click: () => toggle(concept) } },
      concept.name,
    ),
  );

  /** @param {Api.ConceptOut} concept */
  function toggle(concept) {
    const chosen = chips[concepts.indexOf(concept)];
    const opens = chosen.getAttribute("aria-expanded") === "false";
    for (const chip of chips) chip.setAttribute("aria-expanded", String(opens && chip === chosen));
    detail.hidden = !opens;
    detail.replaceChildren(...(opens ? show(concept) : []));
  }

  /** @param {Api.ConceptOut} concept */
  function show(concept) {
    if (!studies.has(concept)) studies.set(concept, conceptStudy(concept, detail.clientWidth, texts, actions));
    return conceptDetail(concept, studies.get(concept), texts, actions.ask);
  }

  const row = make("div", { class: "row" }, chips);
  return fold({ class: "concepts", testid: "concepts" }, texts.concepts(concepts.length), row, detail);
}

/**
 * @param {Api.ConceptOut} concept
 * @param {HTMLElement} study
 * @param {Sidebar.Texts} texts
 * @param {Sidebar.Actions["ask"]} ask
 */
function conceptDetail(concept, study, texts, ask) {
  const domains = concept.domains.length ? texts.domains(concept.domains) : null;
  const askAbout = () => ask(texts.whatIs(concept.name));
  return [
    make("p", { testid: "concept-definition" }, concept.definition || texts.noDefinition),
    domains === null ? null : make("p", { class: "muted", testid: "concept-domains" }, domains),
    study,
    button({ class: "small", testid: "concept-ask", on: { click: askAbout } }, texts.askAbout(concept.name)),
  ].filter((part) => part !== null);
}
