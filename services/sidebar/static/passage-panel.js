// The panel that shows a passage, between conversation and question box.

import { dressCode } from "./code.js";
import { button, icon, make, webAddress } from "./dom.js";
import { pageAddress } from "./page-address.js";
import { prose } from "./prose.js";
import { markQuotes } from "./quotes.js";
import { kindBadge, placeOf } from "./sources.js";
import { formatTime } from "./texts.js";

/** The open passage. Escape closes it and gives focus back. */
export class PassagePanel {
  #texts;
  #around;
  /** @type {HTMLElement | null} */
  #opener = null;

  /**
   * `around` is the page: `seek` moves its player, `read` opens a page of the course; `show` brings that into view.
   * @param {Sidebar.Texts} texts
   * @param {Sidebar.Around} around
   */
  constructor(texts, around) {
    this.#texts = texts;
    this.#around = around;
    this.element = make("section", {
      class: "passage",
      testid: "passage",
      role: "dialog",
      "aria-labelledby": "passage-title",
      hidden: true,
      on: { keydown: (event) => this.#onKey(event) },
    });
  }

  /**
   * Show a citation, or a place without number and perhaps without passage, with the words marked that the answer
   * repeats. The page around is asked to go there too, and its player if it is in a video.
   */
  /** @param {Sidebar.Passage} citation @param {HTMLElement} opener */
  open(citation, opener) {
    this.#opener = opener;
    const title = make("h3", { id: "passage-title", tabindex: -1 }, [citation.n && `[${citation.n}]`, citation.title].filter(Boolean).join(" "));
    const header = make("header", {}, title, kindBadge(citation, this.#texts), this.#closeButton());
    const passage = citation.passage ? this.#passage(citation) : null;
    const parts = [header, ...this.#place(citation), passage, this.#actions(citation)];
    this.element.replaceChildren(...parts.filter((part) => part !== null));
    this.element.hidden = false;
    title.focus();
    if (passage && citation.said) markQuotes(passage, citation.said)?.scrollIntoView({ block: "nearest" });
    this.#read(citation, false);
    this.#jump(citation, false);
  }

  /** Close, and give focus back to what opened the passage unless it is to stay where it is. */
  close({ returnFocus = true } = {}) {
    if (this.element.hidden) return;
    this.element.hidden = true;
    this.element.replaceChildren();
    if (returnFocus) this.#opener?.focus();
    this.#opener = null;
  }

  /** @param {Sidebar.Passage} citation */
  #passage({ passage, passage_html: html }) {
    const quote = prose("blockquote", { class: html ? "" : "plain", testid: "passage-text", tabindex: 0 }, html, passage);
    dressCode(quote, this.#texts);
    return quote;
  }

  #closeButton() {
    const label = this.#texts.closePassage;
    const properties = { class: "quiet round", testid: "passage-close", "aria-label": label, title: label };
    return button({ ...properties, on: { click: () => this.close() } }, icon("close"));
  }

  /** @param {Sidebar.Passage} citation */
  #place({ n, locator, document: path, url, source, title }) {
    const steps = locator?.heading_path ?? [];
    const above = steps.at(-1) === title ? steps.slice(0, -1) : steps;
    const trail = make(
      "ol",
      { class: "trail", testid: "passage-path", "aria-label": this.#texts.path },
      above.map((step) => make("li", {}, step)),
    );
    const said = { locator: { ...locator, heading_path: [] }, document: path, url, source, title: n ? title : "" };
    const file = steps.length && !locator?.video && locator?.page == null ? "" : placeOf(said, this.#texts);
    const where = file ? make("p", { class: "place", testid: "passage-place" }, file) : null;
    return [above.length ? trail : null, where].filter((part) => part !== null);
  }

  /** @param {Sidebar.Passage} citation */
  #actions(citation) {
    const address = webAddress(citation.url);
    const play =
      citation.locator?.video &&
      button(
        { class: "small", testid: "passage-play", on: { click: () => this.#jump(citation, true) } },
        icon("play"),
        this.#texts.playFrom(formatTime(citation.locator.start_s)),
      );
    const link =
      address &&
      make(
        "a",
        { class: "small", testid: "passage-link", href: address, target: "_blank", rel: "noopener noreferrer" },
        icon("open"),
        this.#texts.openLink,
      );
    return make("p", { class: "row" }, play || null, this.#pageLink(citation), link);
  }

  /** @param {Sidebar.Passage} citation */
  #pageLink(citation) {
    const href = pageAddress(this.#around.pages, citation);
    const click = (/** @type {Event} */ event) => this.#read(citation, true) && event.preventDefault();
    const properties = { class: "small", testid: "passage-page", href, on: { click } };
    return href && make("a", properties, icon("page"), this.#texts.openPage);
  }

  /** Whether the page around goes to the place of a citation. */
  /** @param {Sidebar.Passage} citation @param {boolean} show */
  #read(citation, show) {
    const href = pageAddress(this.#around.pages, citation);
    return Boolean(href) && this.#around.read({ href, said: citation.said ?? "", video: citation.locator?.video, show });
  }

  /** @param {Sidebar.Place} place @param {boolean} show */
  #jump({ locator }, show) {
    if (locator?.video) this.#around.seek({ video: locator.video, start_s: locator.start_s ?? 0, show });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.close();
  }
}
