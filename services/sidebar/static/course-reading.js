// The material beside the sidebar: its pages change without leaving the conversation, and a citation opens its
// place in them with the cited words marked.

import { DialogueClient } from "./client.js";
import { dressCode } from "./code.js";
import { button, make } from "./dom.js";
import { markQuotes } from "./quotes.js";
import { textsFor } from "./texts.js";

/** @typedef {{ href: string, said?: string }} Wanted what to open, and the answer whose words are marked there */

export class CourseReading {
  #sidebar;
  #ask;
  #client;
  #place = /** @type {HTMLElement} */ (document.getElementById("reading"));
  /** @type {HTMLElement | null} what is to be scrolled to once it can be seen */
  #goal = null;
  #latest = "";

  /** `ask(question)` asks the sidebar. */
  /** @param {HTMLElement} sidebar @param {(question: string) => void} ask */
  constructor(sidebar, ask) {
    this.#sidebar = sidebar;
    this.#ask = ask;
    this.#client = new DialogueClient(sidebar.getAttribute("api") ?? "/", sidebar.getAttribute("course") ?? "");
    this.#place.addEventListener("click", (event) => this.#follow(event));
    this.#place.addEventListener("submit", (event) => this.#search(event));
    addEventListener("popstate", () => this.open({ href: location.href }, { isBack: true }));
    this.#arrive("", null);
  }

  /** Show a page of the course; false where there is none, and nothing changes. */
  /** @param {Wanted} wanted @param {{ isBack?: boolean }} how */
  async open({ href, said = "" }, { isBack = false } = {}) {
    this.#latest = href;
    const response = await fetch(href).catch(() => null);
    const page = new DOMParser().parseFromString(response?.ok ? await response.text() : "", "text/html");
    const next = page.getElementById("reading");
    if (!next) return false;
    if (this.#latest !== href) return true; // another was opened in the meantime
    if (!isBack && href !== location.href) history.pushState(null, "", href);
    this.#place.replaceChildren(...next.childNodes);
    document.getElementById("language")?.setAttribute("href", page.getElementById("language")?.getAttribute("href") ?? "");
    this.#arrive(said, this.#place);
    return true;
  }

  /** Scroll to what was opened, if it has not been seen yet. */
  show() {
    if (!this.#goal || !this.#place.checkVisibility()) return;
    this.#goal.scrollIntoView({ block: this.#goal === this.#place ? "start" : "center" });
    this.#goal = null;
  }

  /** `top` is gone to where the page names no place. */
  /** @param {string} said @param {HTMLElement | null} top */
  #arrive(said, top) {
    const here = /** @type {HTMLElement | null} */ (this.#place.querySelector("[data-here]"));
    const read = /** @type {HTMLElement | null} */ (this.#place.querySelector("[data-document]"));
    const unit = read?.dataset.document;
    dressCode(this.#place, textsFor(document.documentElement.lang));
    for (const table of this.#place.querySelectorAll("table")) table.tabIndex = 0; // it may scroll
    for (const link of this.#place.querySelectorAll("a")) if (link.origin !== location.origin) link.target = "_blank";
    this.#tellPosition(unit, here?.querySelector(".second"));
    this.#goal = (here && said && markQuotes(here, said)) || here || top;
    this.show();
    this.#offerQuestions(unit);
  }

  /** A page that is read is where the student is, with the second if it is a transcript; no longer the player. */
  /** @param {string | undefined} unit @param {HTMLElement | null | undefined} second */
  #tellPosition(unit, second) {
    const { video, second: time } = second?.dataset ?? {};
    for (const [name, value] of Object.entries({ unit, ...(unit && { video, second: time }) })) {
      if (value) this.#sidebar.setAttribute(name, value);
      else this.#sidebar.removeAttribute(name);
    }
  }

  /** First questions of the page that is read. */
  /** @param {string | undefined} unit */
  async #offerQuestions(unit) {
    const room = /** @type {HTMLElement | null} */ (this.#place.querySelector(".first"));
    const start = room && (await this.#client.start(unit ? { unit } : undefined).catch(() => null));
    const questions = start?.first_questions ?? [];
    if (!room || !questions.length) return;
    const ask = (/** @type {string} */ question) => () => this.#ask(question);
    const items = questions.map((question) =>
      make("li", {}, button({ testid: "page-question", on: { click: ask(question) } }, question)),
    );
    room.querySelector("ul")?.replaceChildren(...items);
    room.hidden = false;
  }

  /** @param {MouseEvent} event */
  #follow(event) {
    const link = /** @type {Element} */ (event.target).closest("a");
    const isPlain = !event.defaultPrevented && !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!link || !isPlain || link.target || link.origin !== location.origin || !link.pathname.startsWith(this.#root)) return;
    event.preventDefault();
    this.#go(link.href, () => this.#place);
  }

  /** @param {SubmitEvent} event */
  #search(event) {
    const form = /** @type {HTMLFormElement} */ (event.target);
    event.preventDefault();
    const words = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    this.#go(`${form.action}?${words}`, () => this.#place.querySelector("input"));
  }

  /** Go where the student wants to; the focus was on what is gone then. */
  /** @param {string} href @param {() => HTMLElement | null} target */
  async #go(href, target) {
    if (await this.open({ href })) target()?.focus({ preventScroll: true });
    else location.assign(href);
  }

  get #root() {
    return `/courses/${encodeURIComponent(this.#sidebar.getAttribute("course") ?? "")}`;
  }
}
