// One question and its answer, from the first streamed word to the finished card.

import { conceptChips } from "./concepts.js";
import { button, make } from "./dom.js";
import { reactions } from "./reactions.js";
import { prose } from "./prose.js";
import { linkMarkers, sourceList } from "./sources.js";

export class TurnView {
  #texts;
  #actions;
  #answer = make("div", { class: "answer", testid: "answer" });
  #progress = make("p", { class: "progress", testid: "progress", role: "status" });
  #stream = make("p", { class: "stream", testid: "streaming", "aria-hidden": "true" });

  /** `actions`: `ask(question)`, `open(citation, opener)`, `client`, `memory`. */
  constructor(question, texts, actions) {
    this.#texts = texts;
    this.#actions = actions;
    const label = `${texts.you}: ${question}`;
    const asked = make("p", { class: "question", testid: "question" }, question);
    this.element = make("article", { class: "turn", testid: "turn", "aria-label": label }, asked, this.#answer);
  }

  start() {
    this.#stream.textContent = "";
    this.#progress.textContent = this.#texts.reading;
    this.#answer.replaceChildren(this.#progress, this.#stream);
  }

  /**
   * Take one event before `done`. Streamed text is shown as it is: what looks like markup stays text until the
   * server has rendered it. Citations and concepts wait for `done`, which brings them again.
   */
  add(event) {
    if (event.type === "delta") this.#stream.textContent += event.data.text;
    const progress = { trace: this.#texts.searching, delta: this.#texts.writing }[event.type];
    // A status line speaks each time it is written: only write what is new.
    if (progress && progress !== this.#progress.textContent) this.#progress.textContent = progress;
  }

  /** Show the finished answer; from here on `id` is the turn's. */
  finish(answer) {
    const texts = this.#texts;
    const { open } = this.#actions;
    const body = prose("div", { testid: "answer-html" }, answer.html, answer.text);
    this.id = answer.turn_id;
    linkMarkers(body, answer.citations, texts, open);
    this.#answer.dataset.route = answer.route;
    const parts = [
      missBanner(answer, texts),
      body,
      ...notes(answer, texts),
      answer.citations.length ? sourceList(answer.citations, texts, open) : null,
      answer.concepts.length ? conceptChips(answer.concepts, texts, this.#actions) : null,
      reactions(answer, texts, this.#actions),
    ];
    this.#answer.replaceChildren(...parts.filter(Boolean));
    return this;
  }

  /** Show what a real TA answered, in the place of the offer to ask one. */
  addTaAnswer(answer) {
    this.#answer.querySelector(".waiting, .ask-ta")?.remove();
    this.#answer.querySelector(".ta-answer")?.remove();
    const heading = make("h3", {}, this.#texts.taAnswerHere);
    const body = prose("div", {}, answer.html, answer.text);
    const block = make("section", { class: "ta-answer", testid: "ta-answer", "aria-live": "off" }, heading, body);
    this.#answer.querySelector("footer").before(block);
  }

  /** Keep what was streamed, say that it is incomplete, offer to ask again. */
  stop(retry) {
    const again = button({ class: "small", testid: "retry", on: { click: retry } }, this.#texts.again);
    const note = make("p", { class: "note", testid: "stopped" }, this.#texts.stopped);
    this.#answer.replaceChildren(note, this.#stream, again);
  }

  fail(problem, retry) {
    this.#answer.replaceChildren(this.#stream, problemBox(problem, this.#texts.failed, this.#texts, retry));
  }
}

/** A failure in words, with a way to try again. */
export function problemBox(problem, headline, texts, retry) {
  const detail = problem.code === "network" ? texts.network : problem.detail;
  const wait = problem.retryAfter ? ` ${texts.retryAfter(problem.retryAfter)}` : "";
  return make(
    "div",
    { class: "problem", testid: "problem", role: "alert", "data-code": problem.code },
    make("strong", {}, texts.problems[problem.code] ?? (problem.title || headline)),
    make("p", {}, `${detail}${wait}`),
    button({ class: "small", testid: "retry", on: { click: retry } }, texts.retry),
  );
}

function missBanner({ route }, texts) {
  if (route !== "unanswered" && route !== "refused") return null;
  return make(
    "div",
    { class: "miss", testid: "miss" },
    make("strong", {}, texts[route]),
    make("p", {}, texts[`${route}Hint`]),
  );
}

function notes({ route, citations, degraded }, texts) {
  const isUncited = ["direct", "chain_of_teach"].includes(route) && !citations.length;
  const degradation = degraded && (texts.degraded[degraded.stage] ?? texts.degradedOther(degraded.stage, degraded.reason));
  return [
    isUncited ? make("p", { class: "note", testid: "uncited" }, texts.uncited) : null,
    degradation ? make("p", { class: "note", testid: "degraded", "data-stage": degraded.stage }, degradation) : null,
  ];
}
