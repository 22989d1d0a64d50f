// One question and its answer, from the first streamed word to the finished card.

import { dressCode } from "./code.js";
import { conceptChips } from "./concepts.js";
import { button, focusIn, icon, make } from "./dom.js";
import { dressExcerpts } from "./excerpts.js";
import { linkMarkers } from "./markers.js";
import { problemWords } from "./problems.js";
import { prose } from "./prose.js";
import { reactions, waitingNote } from "./reactions.js";
import { sourceList } from "./sources.js";
import { taReply, taReplyForm } from "./ta-answers.js";
import { Writing } from "./writing.js";

export class TurnView {
  /** @type {string | null} the turn's, once its answer is finished */
  id = null;
  #texts;
  #actions;
  #answer = make("div", { class: "answer", testid: "answer" });
  #writing;
  #session = "";

  /** `actions`: `ask(question)`, `edit(question)`, `keepFocus()`, `open(citation, opener)`, `client`, `memory`. */
  /** @param {string} question @param {Sidebar.Texts} texts @param {Sidebar.Actions} actions */
  constructor(question, texts, actions) {
    this.#texts = texts;
    this.#actions = actions;
    this.question = question;
    this.#writing = new Writing(texts, actions.open);
    const label = `${texts.you}: ${question}`;
    const asked = make("p", { class: "question", testid: "question" }, question);
    const editing = { class: "quiet round", testid: "edit", "aria-label": texts.edit, title: texts.edit };
    const edit = button({ ...editing, on: { click: () => actions.edit(question) } }, icon("pencil"));
    const row = make("div", { class: "asked-row", "aria-live": "off" }, edit, asked);
    this.element = make("article", { class: "turn", testid: "turn", "aria-label": label }, row, this.#answer);
  }

  start() {
    this.#writing.begin();
    this.#answer.replaceChildren(this.#writing.element);
  }

  /** Take one event before `done`. Citations and concepts wait for it, since it brings them again. */
  /** @param {Exclude<Sidebar.Shown, { type: "done" }>} event */
  add(event) {
    this.#writing.add(event);
  }

  /**
   * Show the finished answer; from here on `id` is the turn's. `kept` is what the server knows of a turn of before:
   * its `rating`, and as `ta_question` what became of it with a real TA.
   */
  /** @param {Api.AnswerOut} answer @param {Sidebar.Kept} kept */
  finish(answer, kept = {}) {
    const texts = this.#texts;
    const { keepFocus } = this.#actions;
    this.#writing.end();
    if (this.#answer.contains(focusIn(this.#answer))) keepFocus(); // on what is about to go
    const body = prose("div", { testid: "answer-html" }, answer.html, answer.text);
    const said = body.textContent ?? "";
    /** @type {Sidebar.Open} */
    const open = (citation, opener) => this.#actions.open({ ...citation, said }, opener);
    this.id = answer.turn_id;
    this.#session = answer.session_id;
    linkMarkers(body, answer.citations, texts, open);
    const listed = dressExcerpts(body, answer.citations, texts, open);
    const label = (listed.length === answer.citations.length ? texts.sources : texts.otherSources)(listed.length);
    const sources = listed.length ? sourceList(listed, label, texts, open) : null;
    if (sources) sources.open = this.#writing.hasOpenSources;
    dressCode(body, texts);
    this.#answer.dataset.route = answer.route;
    const parts = [
      missBanner(answer, texts),
      body,
      ...notes(answer, texts),
      make(
        "div",
        { class: "more" },
        sources,
        answer.concepts.length ? conceptChips(answer.concepts, texts, this.#actions) : null,
      ),
      this.#offerRow(answer.offers ?? []),
      reactions(answer, kept, texts, { ...this.#actions, again: () => this.#actions.ask(this.question) }),
    ];
    this.#answer.replaceChildren(...parts.filter((part) => part !== null));
    return this;
  }

  /** What to go on with, under the last answer alone. */
  /** @param {Api.Offer[]} offers */
  #offerRow(offers) {
    if (!offers.length) return null;
    const ask = (/** @type {string} */ question) => () => {
      this.#actions.keepFocus(); // the button is about to go
      this.#actions.ask(question);
    };
    const chips = offers.map(({ label, question }) =>
      make("li", {}, button({ class: "small", testid: "offer", on: { click: ask(question) } }, label)),
    );
    return make("ul", { class: "offers", testid: "offers", "aria-label": this.#texts.offers }, chips);
  }

  /** Another turn follows: what was offered here belongs to an earlier answer now. */
  dropOffers() {
    this.#answer.querySelector(".offers")?.remove();
  }

  /** Show what a real TA answered, or why not, in the place of the offer to ask one. */
  /** @param {Sidebar.TaAnswer} answer */
  addTaAnswer(answer) {
    const before = this.#answer.querySelector(".ta-answer");
    if (before?.getAttribute("data-at") === answer.answered_at) return; // a reply may be being written in it
    this.#answer.querySelector(".waiting, .ask-ta")?.remove();
    before?.remove();
    const { heading, body } = taReply(answer, this.#texts);
    const properties = { class: "ta-answer", testid: "ta-answer", "data-state": answer.state, "aria-live": "off" };
    const block = make("section", { ...properties, "data-at": answer.answered_at }, make("h3", {}, heading), body);
    if (answer.asks_back) block.append(taReplyForm(this.#texts, (text) => this.#replyToTa(answer.turn_id, text, block)));
    this.#answer.querySelector("footer")?.before(block);
  }

  /** @param {string} turn @param {string} text @param {HTMLElement} block */
  async #replyToTa(turn, text, block) {
    await this.#actions.client.replyToTa(turn, text);
    this.#actions.memory.addWaiting(turn, this.#session);
    const note = waitingNote(this.#texts);
    block.replaceWith(note);
    note.focus();
  }

  /** Keep what was written, say that it is incomplete, offer to ask again. */
  /** @param {() => void} retry */
  stop(retry) {
    const again = button({ class: "small", testid: "retry", on: { click: () => this.#again(retry) } }, this.#texts.again);
    this.#break(this.#texts.stopped, again);
  }

  /** End here: what was written stays, a note says that it is incomplete, and below is a way on. */
  /** @param {string} note @param {HTMLElement} way */
  #break(note, way) {
    this.#writing.end(note);
    this.#answer.replaceChildren(this.#writing.element, way);
    way.scrollIntoView({ block: "nearest" });
  }

  /** @param {() => void} retry */
  #again(retry) {
    this.#actions.keepFocus(); // the button is about to go
    retry();
  }

  /** Keep what was written and say what went wrong; a question that cannot be used goes back to be edited. */
  /** @param {Sidebar.Failure} problem @param {() => void} retry */
  fail(problem, retry) {
    const texts = this.#texts;
    const edit = { label: texts.edit, act: () => this.#actions.edit(this.question) };
    const again = { label: texts.retry, act: () => this.#again(retry) };
    const way = problem.code === "invalid_input" ? edit : again;
    const box = problemBox(problem, texts.failed, texts, way);
    this.#break(this.#writing.isEmpty ? "" : texts.incomplete, box);
  }
}

/** A failure in words, with a way on: the `label` of a button, and what it does. */
/**
 * @param {Sidebar.Failure} problem
 * @param {string} headline
 * @param {Sidebar.Texts} texts
 * @param {{ label: string, act(): void }} way
 */
export function problemBox(problem, headline, texts, { label, act }) {
  const { title, hint } = problemWords(problem, headline, texts);
  return make(
    "div",
    { class: "problem", testid: "problem", role: "alert", "data-code": problem.code },
    make("strong", {}, title),
    make("p", {}, hint),
    button({ class: "small", testid: "retry", on: { click: act } }, label),
  );
}

/** @param {Api.AnswerOut} answer @param {Sidebar.Texts} texts */
function missBanner({ route }, texts) {
  if (route !== "unanswered" && route !== "refused") return null;
  return make(
    "div",
    { class: "miss", testid: "miss" },
    make("strong", {}, texts[route]),
    route === "refused" ? make("p", {}, texts.refusedHint) : null,
  );
}

/** @param {Api.AnswerOut} answer @param {Sidebar.Texts} texts */
function notes({ route, citations, degraded }, texts) {
  const isUncited = ["direct", "chain_of_teach"].includes(route) && !citations.length;
  const isSaid = // by the note on missing sources, or needless where nothing of the course is told
    (isUncited && degraded?.stage === "grounding") || (route === "chit_chat" && degraded?.stage === "language_model");
  const degradation = degraded && !isSaid && (texts.degraded[degraded.stage] ?? texts.degradedOther);
  return [
    isUncited ? make("p", { class: "note", testid: "uncited" }, texts.uncited) : null,
    degradation ? make("p", { class: "note", testid: "degraded", "data-stage": degraded.stage }, degradation) : null,
  ];
}
